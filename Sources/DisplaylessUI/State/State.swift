import Observation

/// A value that a view owns: it stays while the view is in the tree, and the view is evaluated again when it changes.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let initial: Value
    private var cell: StateCell<Value>?

    public init(wrappedValue: Value) {
        initial = wrappedValue
    }

    public init(initialValue: Value) {
        initial = initialValue
    }

    /// Outside of a tree it is the initial value, and setting it has no effect.
    public var wrappedValue: Value {
        get { cell?.value ?? initial }
        nonmutating set { cell?.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let (cell, initial) = (cell, initial)
        return Binding(get: { cell?.value ?? initial }, set: { cell?.value = $0 })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {
        self.init(wrappedValue: nil)
    }
}

extension State: InstalledProperty {
    mutating func install(_ place: InstallationPlace) {
        cell = place.stored { StateCell(initial) }
    }
}

/// Where the value of a `State` lies.
@Observable
final class StateCell<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
