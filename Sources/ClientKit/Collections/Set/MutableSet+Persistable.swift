import Model
import Store

extension MutableSet: _Persistable {
    public typealias PersistedType = MutableSet

    public static var _shape: _PropertyShape {
        var shape = Element._shape
        shape.collection = .set
        // Elements that are stored as objects are always there.
        if shape.type == .link, Element.self is any _CustomPersistable.Type { shape.isOptional = false }
        return shape
    }

    public static func _defaultValue() -> MutableSet { MutableSet() }

    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> MutableSet {
        _get(object, index)
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> MutableSet {
        MutableSet(CollectionPlace(object, index))
    }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: MutableSet) {
        _assign(_get(object, index), value)
    }

    public var _rlmContent: _StoredValue? { nil }

    public static func _make(_ content: _StoredValue) -> MutableSet? { nil }

    public static var _role: _PropertyRole { .collection }

    public static func _assign(_ collection: MutableSet, _ contents: MutableSet) {
        if collection == contents { return }
        let elements = Array(contents)
        collection.removeAll()
        collection.insert(objectsIn: elements)
    }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> MutableSet {
        let set = MutableSet()
        guard let type = Element.self as? ObjectBase.Type else {
            tracer.note(index)
            return set
        }
        // A key path goes on through `first`, as if through the elements.
        if let element = tracer.noteElement(index, type) as? Element { set.contents = [element] }
        return set
    }
}

extension MutableSet: PersistedCollection {
    package var unmanagedElements: [_StoredValue] { contents.map(\._rlmEncoded) }

    package var presentElements: [_StoredValue] { map(\._rlmEncoded) }

    package func replaceUnmanaged(_ elements: [_StoredValue]) -> Bool {
        let values = elements.compactMap { Element._decode($0) }
        guard values.count == elements.count else { return false }
        replaceUnmanaged(with: values)
        return true
    }

    package var isAttached: Bool { place != nil }

    package func attach(to object: ObjectBase, _ index: Int) {
        contents = []
        guard let core = object._rlmCore, let model = object._rlmModel else { return }
        place = CollectionPlace(core, model, object._rlmKey, index)
    }
}
