import Foundation

/// A collection of values by keys: `Map`.
public protocol RealmKeyedCollection: Sequence, ThreadConfined, CustomStringConvertible {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue

    var count: Int { get }
    var keys: [Key] { get }
    var values: [Value] { get }

    subscript(key: Key) -> Value? { get set }
    func updateValue(_ value: Value, forKey key: Key)
    func removeObject(for key: Key)
    func removeAll()
    func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool

    func filter(_ predicate: NSPredicate) -> Results<Value>
    func sorted(byKeyPath keyPath: String, ascending: Bool) -> Results<Value>
    func sorted<S: Sequence>(by sortDescriptors: S) -> Results<Value> where S.Element == SortDescriptor
}
