import Model
import Store

extension Map: _Persistable {
    public typealias PersistedType = Map

    public static var _shape: _PropertyShape {
        var shape = Value._shape
        shape.collection = .dictionary
        return shape
    }

    public static func _defaultValue() -> Map { Map() }

    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Map {
        _get(object, index)
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> Map { Map(CollectionPlace(object, index)) }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: Map) {
        _assign(_get(object, index), value)
    }

    public var _rlmContent: _StoredValue? { nil }

    public static func _make(_ content: _StoredValue) -> Map? { nil }

    public static var _role: _PropertyRole { .collection }

    public static func _assign(_ collection: Map, _ contents: Map) {
        if collection == contents { return }
        let entries = Array(contents)
        collection.removeAll()
        for entry in entries { collection.updateValue(entry.value, forKey: entry.key) }
    }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> Map {
        let map = Map()
        guard let type = _shape.objectType else {
            tracer.note(index)
            return map
        }
        // A key path goes on through a value, whatever its key.
        map.traced = Value._decode(_StoredValue(tracer.noteElement(index, type)))
        return map
    }
}

extension Map: PersistedDictionary {
    package var unmanagedKeys: [String] { keys.map(\._mapKey) }

    package var unmanagedElements: [_StoredValue] { values.map(\._rlmEncoded) }

    package var presentElements: [_StoredValue] { values.map(\._rlmEncoded) }

    package func replaceUnmanaged(_ elements: [_StoredValue]) -> Bool { elements.isEmpty && replaceUnmanaged([], []) }

    package func replaceUnmanaged(_ keys: [String], _ elements: [_StoredValue]) -> Bool {
        let values = elements.compactMap { Value._decode($0) }
        guard values.count == keys.count else { return false }
        contents = Dictionary(
            zip(keys, values).map { (Key._fromMapKey($0), $1) }, uniquingKeysWith: { _, last in last })
        return true
    }

    package var anyEntries: [(key: String, value: Any)] { map { ($0.key._mapKey, $0.value) } }

    package var isAttached: Bool { place != nil }

    package func attach(to object: ObjectBase, _ index: Int) {
        contents = [:]
        guard let core = object._rlmCore, let model = object._rlmModel else { return }
        place = CollectionPlace(core, model, object._rlmKey, index)
    }
}
