import Model

/// A persisted property of an object in memory, without its type. `at` is where the wrapper lies in the object.
package protocol AnyPersisted {
    static var shape: _PropertyShape { get }
    static func options(at wrapper: UnsafeRawPointer) -> UInt32
    /// Name of the origin property of inverse links; nil for other properties.
    static func originProperty(at wrapper: UnsafeRawPointer) -> String?
    /// The value that an unmanaged object holds; nil for a collection.
    static func content(at wrapper: UnsafeMutableRawPointer) -> _StoredValue?
    /// The collection that the property keeps, made if need be.
    static func collection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)?
    /// The collection that the property keeps; nil as long as nobody has asked for it.
    static func keptCollection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)?
    /// Assigns an unmanaged object's property; false if the value is of another type.
    static func assign(_ content: _StoredValue, at wrapper: UnsafeMutableRawPointer) -> Bool
    static func unmanagedValue(at wrapper: UnsafeMutableRawPointer) -> Any
    static func managedValue(_ object: ObjectBase, _ index: Int) -> Any
    /// A stored value as the property's type shows it; nil for null.
    static func swiftValue(_ content: _StoredValue) -> Any?
    /// Notes that the wrapper's object belongs to a realm.
    static func markManaged(at wrapper: UnsafeMutableRawPointer)
    /// Forgets the collection that was made for the managed object.
    static func reset(at wrapper: UnsafeMutableRawPointer)
    /// Lets a property without wrapper know the managed object that it is a part of. `isNew`: the object is being added,
    /// and has yet to be stored.
    static func attach(at wrapper: UnsafeMutableRawPointer, to object: ObjectBase, _ index: Int, isNew: Bool)
}

/// A `List`, a `MutableSet` or a `Map`, seen from the object that has it.
package protocol PersistedCollection: AnyObject {
    /// Elements of an unmanaged collection.
    var unmanagedElements: [_StoredValue] { get }
    /// Elements as they are, managed or not.
    var presentElements: [_StoredValue] { get }
    /// Replaces the elements of an unmanaged collection; false if one is of another type.
    func replaceUnmanaged(_ elements: [_StoredValue]) -> Bool
    /// Whether it is the collection of a managed object.
    var isAttached: Bool { get }
    /// From now on this is the collection property `index` of the managed object.
    func attach(to object: ObjectBase, _ index: Int)
}

/// A `Map`, seen from the object that has it. Its elements are the values, in the order of the keys.
package protocol PersistedDictionary: PersistedCollection {
    var unmanagedKeys: [String] { get }
    /// Replaces the entries of an unmanaged map; false if a value is of another type.
    func replaceUnmanaged(_ keys: [String], _ elements: [_StoredValue]) -> Bool
    /// Keys and values as they are, managed or not.
    var anyEntries: [(key: String, value: Any)] { get }
    func value(forKeyPath keyPath: String) -> Any?
}

extension Persisted: AnyPersisted {
    package static var shape: _PropertyShape { Value._shape }

    package static func options(at wrapper: UnsafeRawPointer) -> UInt32 {
        wrapper.assumingMemoryBound(to: Self.self).pointee._place.options
    }

    package static func originProperty(at wrapper: UnsafeRawPointer) -> String? {
        guard case .value(let value) = wrapper.assumingMemoryBound(to: Self.self).pointee._storage else { return nil }
        return (value as? any LinkingObjectsProtocol)?._originProperty
    }

    package static func content(at wrapper: UnsafeMutableRawPointer) -> _StoredValue? {
        wrapper.assumingMemoryBound(to: Self.self).pointee._unmanagedValue._rlmContent
    }

    package static func collection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)? {
        wrapper.assumingMemoryBound(to: Self.self).pointee._unmanagedValue as? any PersistedCollection
    }

    package static func keptCollection(at wrapper: UnsafeMutableRawPointer) -> (any PersistedCollection)? {
        guard case .value(let value) = wrapper.assumingMemoryBound(to: Self.self).pointee._storage else { return nil }
        return value as? any PersistedCollection
    }

    package static func assign(_ content: _StoredValue, at wrapper: UnsafeMutableRawPointer) -> Bool {
        guard let value = Value._make(content) else { return false }
        wrapper.assumingMemoryBound(to: Self.self).pointee._storage = .value(value)
        return true
    }

    package static func unmanagedValue(at wrapper: UnsafeMutableRawPointer) -> Any {
        wrapper.assumingMemoryBound(to: Self.self).pointee._unmanagedValue
    }

    package static func managedValue(_ object: ObjectBase, _ index: Int) -> Any {
        if let chunk = object._findChunk(index) { return Value._load(chunk, object._rlmRow, object, index) }
        return Value._get(object, index)
    }

    package static func swiftValue(_ content: _StoredValue) -> Any? {
        Value._make(content).flatMap { AnyCoercion.unwrapped($0) }
    }

    package static func markManaged(at wrapper: UnsafeMutableRawPointer) {
        wrapper.assumingMemoryBound(to: Self.self).pointee._place.bits |= _PersistedOptions.managed
    }

    package static func reset(at wrapper: UnsafeMutableRawPointer) {
        if Value._role == .collection { wrapper.assumingMemoryBound(to: Self.self).pointee._storage = .unset }
    }

    /// Wrappers learn it from the object at each access.
    package static func attach(at wrapper: UnsafeMutableRawPointer, to object: ObjectBase, _ index: Int, isNew: Bool) {}
}
