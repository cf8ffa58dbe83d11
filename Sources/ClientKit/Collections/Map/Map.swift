import Foundation
import Model
import Store

/// Values by strings, as a property or by itself. A reference type: the map of a managed object is the property, and its
/// changes need a write transaction. Entries come in the order of their keys' bytes.
///
/// ```swift
/// class Person: Object {
///     @Persisted var nicknames: Map<String, String>
///     @Persisted var dogs: Map<String, Dog?>
/// }
/// ```
/// Keys in a realm have no `.` and don't begin with `$`.
public final class Map<Key: _MapKey, Value: RealmCollectionValue>: RealmKeyedCollection {
    var place: CollectionPlace?
    var contents: [Key: Value] = [:]
    /// In an object that records: what a key path goes on through, whatever the key.
    var traced: Value?

    /// An empty map that belongs to no realm.
    public init() {}

    init(_ place: CollectionPlace) {
        self.place = place
    }

    /// Where a managed map is. Traps if the object it belongs to is gone.
    func checked(_ place: CollectionPlace) -> CollectionPlace {
        let here = place.checked()
        self.place?.seen = here.seen
        return here
    }

    /// Where the map is, for a change; nil if it is unmanaged. Traps outside of a write transaction.
    private func writable(_ doing: String) -> CollectionPlace? {
        guard let place else { return nil }
        place.checkWrite(doing, "Map")
        return checked(place)
    }

    // MARK: Reading

    /// How many entries there are.
    public var count: Int {
        guard let place else { return contents.count }
        return checked(place).count
    }

    /// All keys.
    public var keys: [Key] {
        guard let place else {
            return contents.keys.sorted { $0._mapKey.utf8.lexicographicallyPrecedes($1._mapKey.utf8) }
        }
        return checked(place).keys.map { Key._fromMapKey($0) }
    }

    /// All values, in the order of the keys.
    public var values: [Value] {
        guard let place else { return keys.compactMap { contents[$0] } }
        return checked(place).elements.map { .read($0) }
    }

    /// The value of a key; nil if the key isn't there. Assigning nil removes the key: for optional values, assign
    /// `.some(nil)` to keep it without a value.
    public subscript(key: Key) -> Value? {
        get {
            guard let place else { return contents[key] ?? traced }
            return checked(place).stored(forKey: key._mapKey).map { .read($0) }
        }
        set {
            if let newValue { updateValue(newValue, forKey: key) } else { removeObject(for: key) }
        }
    }

    // MARK: Changing

    /// Assigns the value of a key. An unmanaged object becomes part of the map's realm.
    public func updateValue(_ value: Value, forKey key: Key) {
        guard let here = writable("set a key of a map") else {
            contents[key] = value
            return
        }
        checkMapKey(key._mapKey)
        if here.embeds(value, .entry(key._mapKey)) { return }
        here.put(here.element(value), forKey: key._mapKey)
    }

    /// Removes a key and its value, if they are there; an object that it links to stays.
    public func removeObject(for key: Key) {
        guard let here = writable("remove a key of a map") else {
            contents[key] = nil
            return
        }
        here.remove(key: key._mapKey)
    }

    /// Removes all entries.
    public func removeAll() {
        guard let here = writable("clear a map") else { return contents.removeAll() }
        here.clearMap()
    }

    /// Takes over the entries of a sequence; `combine` says which value stays for a key that both have.
    public func merge<S: Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        for (key, value) in sequence { try merge(key, value, combine) }
    }

    /// Takes over the entries of another map; `combine` says which value stays for a key that both have.
    public func merge(
        _ dictionary: Map<Key, Value>, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for entry in dictionary { try merge(entry.key, entry.value, combine) }
    }

    private func merge(_ key: Key, _ value: Value, _ combine: (Value, Value) throws -> Value) rethrows {
        if let present = self[key] {
            updateValue(try combine(present, value), forKey: key)
        } else {
            updateValue(value, forKey: key)
        }
    }

    // MARK: Sequence

    public func makeIterator() -> RLMMapIterator<SingleMapEntry<Key, Value>> { RLMMapIterator(entries) }

    private var entries: [SingleMapEntry<Key, Value>] {
        zip(keys, values).map { SingleMapEntry($0, $1) }
    }

    /// The entries as tuples, of which a Swift dictionary can be made: `Dictionary(uniqueKeysWithValues:)`.
    public func asKeyValueSequence() -> KeyValueSequence { KeyValueSequence(entries: entries) }

    /// The entries of a map as tuples.
    public struct KeyValueSequence: Sequence {
        let entries: [SingleMapEntry<Key, Value>]

        public func makeIterator() -> RLMKeyValueIterator<Key, Value> { RLMKeyValueIterator(entries) }
    }

    /// Whether there is an entry for which a condition holds.
    public func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool {
        try entries.contains { try predicate($0.key, $0.value) }
    }
}

// Maps are compared by identity: two accessors of one property are the same map.
extension Map: Hashable {
    public static func == (a: Map, b: Map) -> Bool {
        guard let placeA = a.place, let placeB = b.place else { return a === b }
        return placeA.isSame(as: placeB)
    }

    public func hash(into hasher: inout Hasher) {
        guard let place else { return hasher.combine(ObjectIdentifier(self)) }
        place.hash(into: &hasher)
    }
}

// MARK: - Confinement
extension Map: ThreadConfined {
    public var realm: Realm? { place.map { Realm($0.core) } }

    public var isFrozen: Bool { place?.core.isFrozen ?? false }

    public var isInvalidated: Bool { place?.isInvalidated ?? false }

    /// The map as it is now, for every thread.
    public func freeze() -> Map {
        guard let place else { fail(.unmanagedCollection("freeze")) }
        let here = checked(place)
        if here.core.isFrozen { return self }
        guard let frozen = here.moved(to: here.core.frozen()) else { fail(.freezeInCreatingWrite) }
        return Map(frozen)
    }

    /// The live map of this thread; nil if the object that it belongs to was deleted since.
    public func thaw() -> Map? {
        guard let place else { fail(.unmanagedCollection("thaw")) }
        if !place.core.isFrozen { return self }
        return place.moved(to: place.core.thawed()).map { Map($0) }
    }
}

extension Map: CustomStringConvertible {
    public var description: String {
        var lines = ["Map<\(Key.self), \(Value.self)> ("]
        let entries = entries
        for entry in entries.prefix(100) {
            let text = AnyCoercion.unwrapped(entry.value).map { "\($0)" } ?? "nil"
            lines.append("    [\(entry.key)]: \(text.replacing("\n", with: "\n    "))")
        }
        if entries.count > 100 { lines.append("    … \(entries.count - 100) objects skipped.") }
        lines.append(")")
        return lines.joined(separator: "\n")
    }
}

// MARK: - Codable
extension Map: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MapCodingKey.self)
        for entry in self { try container.encode(entry.value, forKey: MapCodingKey(stringValue: entry.key._mapKey)) }
    }
}

extension Map: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: MapCodingKey.self)
        for key in container.allKeys {
            contents[Key._fromMapKey(key.stringValue)] = try container.decode(Value.self, forKey: key)
        }
    }
}

private struct MapCodingKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
