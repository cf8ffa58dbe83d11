import Model
import Store

extension List: _Persistable {
    public typealias PersistedType = List

    public static var _shape: _PropertyShape {
        var shape = Element._shape
        shape.collection = .list
        // Elements that are stored as objects are always there.
        if shape.type == .link, Element.self is any _CustomPersistable.Type { shape.isOptional = false }
        return shape
    }

    public static func _defaultValue() -> List { List() }

    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> List {
        _get(object, index)
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> List {
        List(Place(object, index))
    }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: List) {
        _assign(_get(object, index), value)
    }

    public var _rlmContent: _StoredValue? { nil }

    public static func _make(_ content: _StoredValue) -> List? { nil }

    public static var _role: _PropertyRole { .collection }

    public static func _assign(_ collection: List, _ contents: List) {
        if collection == contents { return }
        let elements = Array(contents)
        collection.removeAll()
        collection.append(objectsIn: elements)
    }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> List {
        let list = List()
        guard let type = Element.self as? ObjectBase.Type else {
            tracer.note(index)
            return list
        }
        // A key path goes on through `[0]` or `first`, as if through the elements.
        if let element = tracer.noteElement(index, type) as? Element { list.contents = [element] }
        return list
    }
}

extension List: PersistedCollection {
    package var unmanagedElements: [_StoredValue] { contents.map(\._rlmEncoded) }

    package var presentElements: [_StoredValue] { map(\._rlmEncoded) }

    package func replaceUnmanaged(_ elements: [_StoredValue]) -> Bool {
        let values = elements.compactMap { Element._decode($0) }
        guard values.count == elements.count else { return false }
        contents = values
        return true
    }

    package var isAttached: Bool { place != nil }

    package func attach(to object: ObjectBase, _ index: Int) {
        contents = []
        guard let core = object._rlmCore, let model = object._rlmModel else { return }
        place = Place(core, model, object._rlmKey, index, seen: core.access.pointee.generation)
    }
}
