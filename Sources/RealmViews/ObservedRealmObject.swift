import ClientKit

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

/// An object, list or projection that a view is given: the view is evaluated again when it changes.
///
/// ```swift
/// struct DogEditor: View {
///     @ObservedRealmObject var dog: Dog
///
///     var body: some View {
///         TextField("Name", text: $dog.name)
///     }
/// }
/// ```
/// What the view reads is a frozen copy. If the object is deleted, the view reads a default instance.
@MainActor @preconcurrency @propertyWrapper
public struct ObservedRealmObject<ObjectType: _Viewable>: DynamicProperty {
    @StateObject private var storage = ObjectStorage<ObjectType>()
    private var given: ObjectType
    private let keyPaths: [String]?

    public init(wrappedValue: ObjectType) {
        given = wrappedValue
        keyPaths = nil
    }

    /// - Parameter keyPaths: properties whose changes count; nil for all.
    public init(wrappedValue: ObjectType, keyPaths: [String]?) {
        given = wrappedValue
        self.keyPaths = keyPaths
    }

    public var wrappedValue: ObjectType {
        get { storage.viewed.current(given, keyPaths: keyPaths) }
        set { given = newValue }
    }

    /// Bindings to the properties: each assignment is a transaction of its own.
    public var projectedValue: ObservedRealmWrapper<ObjectType> {
        ObservedRealmWrapper(storage: storage, given: given, keyPaths: keyPaths)
    }
}

/// An object or collection that a view owns: it stays while the view is in the tree.
///
/// ```swift
/// @StateRealmObject var draft = Dog()
/// ```
@MainActor @preconcurrency @propertyWrapper
public struct StateRealmObject<T: _Viewable>: DynamicProperty {
    @StateObject private var storage = ObjectStorage<T>()
    private let initial: () -> T

    public init(wrappedValue: @autoclosure @escaping () -> T) {
        initial = wrappedValue
    }

    private var own: T {
        if let own = storage.own { return own }
        let made = initial()
        storage.own = made
        return made
    }

    public var wrappedValue: T {
        get { storage.viewed.current(own, keyPaths: nil) }
        nonmutating set {
            storage.objectWillChange.send()
            storage.own = newValue
        }
    }

    /// Bindings to the properties: each assignment is a transaction of its own.
    public var projectedValue: ObservedRealmWrapper<T> {
        ObservedRealmWrapper(storage: storage, given: own, keyPaths: nil)
    }
}

/// What `$` gives of an object that a view observes.
@MainActor @preconcurrency @dynamicMemberLookup
public struct ObservedRealmWrapper<ObjectType: _Viewable> {
    let storage: ObjectStorage<ObjectType>
    let given: ObjectType
    let keyPaths: [String]?

    /// The object as it is shown.
    public var wrappedValue: ObjectType { storage.viewed.current(given, keyPaths: keyPaths) }

    /// A binding to a property: setting it writes in a transaction of its own, unless the value is there already.
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
    ) -> Binding<Subject> {
        let (storage, given, keyPaths) = (storage, given, keyPaths)
        return Binding(
            get: { storage.viewed.current(given, keyPaths: keyPaths)[keyPath: keyPath] },
            set: { value in
                let shown = storage.viewed.current(given, keyPaths: keyPaths)[keyPath: keyPath]
                if isEqual(shown, value) { return }
                storage.viewed.write(given, keyPaths: keyPaths) { $0[keyPath: keyPath] = liveValue(value) }
            })
    }
}

extension ObservedRealmWrapper where ObjectType: ObjectBase {
    /// Deletes the object in a transaction of its own.
    public func delete() {
        wrappedValue.implicitly { $0.realm?.delete($0) }
    }
}

extension ObservedRealmWrapper: BoundCollection where ObjectType: RealmCollection {
    public typealias Value = ObjectType
    public typealias Element = ObjectType.Element
}

extension ObservedRealmWrapper: BoundMap where ObjectType: RealmKeyedCollection {}

/// Whether two values are equal, as far as that can be said.
func isEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    func compare<E: Equatable>(_ a: E) -> Bool { (b as? E) == a }
    // Frozen copies of an object differ from the live one: writing one of these again does no harm.
    guard let a = a as? any Equatable else { return false }
    return compare(a)
}

/// A value as it can be stored: objects that a view shows are frozen.
func liveValue<Value>(_ value: Value) -> Value {
    guard let object = value as? any ThreadConfined, object.realm != nil, object.isFrozen else { return value }
    return object.thaw() as? Value ?? value
}
