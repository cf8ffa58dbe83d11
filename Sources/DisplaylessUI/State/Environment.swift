/// Names a value of the environment, and what it is where nobody has set it.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// Values that flow down the tree.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Objects that `environmentObject(_:)` put there, by their types.
    var objects: [ObjectIdentifier: AnyObject] = [:]
}

/// A value of the environment of a view.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let keyPath: KeyPath<EnvironmentValues, Value>
    private var environment: EnvironmentValues?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
        self.keyPath = keyPath
    }

    public var wrappedValue: Value { (environment ?? EnvironmentValues())[keyPath: keyPath] }
}

extension Environment: InstalledProperty {
    mutating func install(_ place: InstallationPlace) {
        environment = place.environment
    }
}

extension View {
    /// Sets a value of the environment of this view and all below it.
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        _ModifiedView(self) { context, content in
            context.environment[keyPath: keyPath] = value
            context.render(content, at: 0)
        }
    }

    /// Gives an object to this view and all below it, which get it by `@EnvironmentObject`.
    public func environmentObject<T: ObservableObject>(_ object: T) -> some View {
        _ModifiedView(self) { context, content in
            context.environment.objects[ObjectIdentifier(T.self)] = object
            context.render(content, at: 0)
        }
    }
}

/// Ends what is presented: a sheet, or what a link led to.
@MainActor @preconcurrency
public struct DismissAction {
    let action: @MainActor () -> Void

    public func callAsFunction() {
        action()
    }
}

struct DismissKey: EnvironmentKey {
    static var defaultValue: DismissAction { DismissAction {} }
}

extension EnvironmentValues {
    public var dismiss: DismissAction { self[DismissKey.self] }
}
