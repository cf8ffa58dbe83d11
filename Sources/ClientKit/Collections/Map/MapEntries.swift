/// An entry of a `Map`.
public struct SingleMapEntry<Key: _MapKey, Value: RealmCollectionValue>: _RealmMapValue, Hashable {
    public var key: Key
    public var value: Value

    init(_ key: Key, _ value: Value) {
        self.key = key
        self.value = value
    }
}

/// What a map's entries are, as a constraint.
public protocol _RealmMapValue {
    associatedtype Key: _MapKey
    associatedtype Value: RealmCollectionValue
    var key: Key { get }
    var value: Value { get }
}

/// A position in a map's entries.
public struct MapIndex: Comparable {
    public var offset: UInt

    public init(offset: UInt) {
        self.offset = offset
    }

    public static func < (a: MapIndex, b: MapIndex) -> Bool { a.offset < b.offset }
}

/// One pass over the entries that a map had at the start.
public struct RLMMapIterator<Element: _RealmMapValue>: IteratorProtocol {
    private var entries: ArraySlice<Element>

    init(_ entries: [Element]) {
        self.entries = entries[...]
    }

    public mutating func next() -> Element? { entries.popFirst() }
}

/// One pass over the entries that a map had at the start, as tuples.
public struct RLMKeyValueIterator<Key: _MapKey, Value: RealmCollectionValue>: IteratorProtocol {
    private var entries: ArraySlice<SingleMapEntry<Key, Value>>

    init(_ entries: [SingleMapEntry<Key, Value>]) {
        self.entries = entries[...]
    }

    public mutating func next() -> (key: Key, value: Value)? {
        entries.popFirst().map { ($0.key, $0.value) }
    }
}

// The tuples of a map have labels, for which the standard library's initialisers don't take them.
extension Dictionary where Key: _MapKey, Value: RealmCollectionValue {
    /// A dictionary of a map's entries.
    public init(uniqueKeysWithValues entries: Map<Key, Value>.KeyValueSequence) {
        self.init(uniqueKeysWithValues: entries.lazy.map { ($0.key, $0.value) })
    }
}
