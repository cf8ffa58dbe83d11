import ClientKit
import Foundation

#if canImport(DisplaylessUI)
    import DisplaylessUI
#else
    import SwiftUI
#endif

/// A collection of a realm that a view can change: each call is a transaction of its own.
@MainActor @preconcurrency
public protocol BoundCollection {
    associatedtype Value
    associatedtype Element

    /// The collection as the view reads it.
    var wrappedValue: Value { get }
}

/// A map of a realm that a view can change: each call is a transaction of its own.
@MainActor @preconcurrency
public protocol BoundMap {
    associatedtype Value: RealmKeyedCollection

    /// The map as the view reads it.
    var wrappedValue: Value { get }
}

extension BoundCollection where Value == ClientKit.List<Element>, Element: RealmCollectionValue {
    /// Adds an element at the end.
    public func append(_ value: Element) {
        wrappedValue.implicitly { $0.append(liveValue(value)) }
    }

    /// Removes the element at a position.
    public func remove(at index: Int) {
        wrappedValue.implicitly { $0.remove(at: index) }
    }

    /// Removes the elements at some positions.
    public func remove(atOffsets offsets: IndexSet) {
        wrappedValue.implicitly { $0.remove(atOffsets: offsets) }
    }

    /// Moves elements to before a position.
    public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
        wrappedValue.implicitly { $0.move(fromOffsets: offsets, toOffset: destination) }
    }
}

extension BoundCollection where Value == MutableSet<Element>, Element: RealmCollectionValue {
    /// Adds an element that isn't there yet.
    public func insert(_ value: Element) {
        wrappedValue.implicitly { $0.insert(liveValue(value)) }
    }

    /// Removes an element.
    public func remove(_ value: Element) {
        wrappedValue.implicitly { $0.remove(liveValue(value)) }
    }
}

extension BoundCollection where Value == Results<Element>, Element: Object {
    /// Adds an object to the realm of the results. The results of an empty view know it: nothing else is needed.
    public func append(_ object: Element) {
        guard object.realm == nil, let realm = wrappedValue.realm?.thaw() else { return }
        realm.implicitly { realm.add(object) }
    }

    /// Deletes an object.
    public func remove(_ object: Element) {
        object.implicitly { $0.realm?.delete($0) }
    }

    /// Deletes the objects at some positions.
    public func remove(atOffsets offsets: IndexSet) {
        let objects = wrappedValue.objects(at: offsets)
        guard let realm = wrappedValue.realm?.thaw() else { return }
        realm.implicitly {
            for object in objects {
                if let live = object.thaw() { realm.delete(live) }
            }
        }
    }
}

extension BoundMap {
    /// The value of a key; nil removes it.
    public subscript(key: Value.Key) -> Value.Value? {
        get { wrappedValue[key] }
        nonmutating set { set(object: newValue, for: key) }
    }

    /// Sets the value of a key; nil removes it.
    public func set(object: Value.Value?, for key: Value.Key) {
        wrappedValue.implicitly { map in
            guard let object else { return map.removeObject(for: key) }
            map.updateValue(liveValue(object), forKey: key)
        }
    }
}

extension Binding: BoundCollection where Value: RealmCollection {
    public typealias Element = Value.Element
}

extension Binding: BoundMap where Value: RealmKeyedCollection {}

extension Binding where Value: ObjectBase {
    /// Deletes the object in a transaction of its own.
    @MainActor
    public func delete() {
        wrappedValue.implicitly { $0.realm?.delete($0) }
    }
}

extension ThreadConfined where Self: ObjectBase {
    /// A binding to a property: setting it writes in a transaction of its own, unless the value is there already.
    @MainActor
    public func bind<V: _Persistable>(_ keyPath: ReferenceWritableKeyPath<Self, V>) -> Binding<V> {
        let object = self
        // A frozen object shows what it was made with: the newest value is the live one's.
        return Binding(
            get: { (object.isFrozen ? object.thaw() ?? object : object)[keyPath: keyPath] },
            set: { value in
                object.implicitly { live in
                    if !isEqual(live[keyPath: keyPath], value) { live[keyPath: keyPath] = liveValue(value) }
                }
            })
    }
}
