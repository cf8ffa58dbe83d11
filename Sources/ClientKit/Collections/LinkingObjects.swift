import Model
import Query
import Store

/// The objects that link to an object by one of their properties: the inverse of that property. An object that links
/// twice, by a list, is here twice.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
/// }
/// ```
@frozen
public struct LinkingObjects<Element: ObjectBase & RealmCollectionValue>: RealmCollection, LinkingObjectsProtocol {
    public let _originProperty: String
    let state: _CollectionState?
    /// What a key path goes on through in an object that records.
    let traced: [Element]

    /// The inverse of property `property` of class `type`.
    public init(fromType type: Element.Type, property: String) {
        _originProperty = property
        state = nil
        traced = []
    }

    init(_ property: String, _ state: _CollectionState?, traced: [Element] = []) {
        _originProperty = property
        self.state = state
        self.traced = traced
    }

    public var _rlmState: _CollectionState? { state }
    public var _rlmUnmanaged: [Element] { traced }

    public func _rlmMoved(to state: _CollectionState) -> LinkingObjects { LinkingObjects(_originProperty, state) }

    public var count: Int { state?.count ?? traced.count }

    public subscript(position: Int) -> Element {
        guard let state else {
            if !traced.indices.contains(position) { fail(.indexOutOfBounds(position, traced.count)) }
            return traced[position]
        }
        return state.element(at: position)
    }

    public func makeIterator() -> RLMIterator<Element> {
        state.map { RLMIterator($0) } ?? RLMIterator(traced)
    }

    public static func == (a: LinkingObjects, b: LinkingObjects) -> Bool {
        a._originProperty == b._originProperty && a.state == b.state
    }
}

extension LinkingObjects: _Persistable {
    public typealias PersistedType = Element

    public static var _shape: _PropertyShape {
        _PropertyShape(.link, objectType: Element.self, isLinkingObjects: true)
    }

    public static func _defaultValue() -> LinkingObjects { LinkingObjects("", nil) }

    public static func _load(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> LinkingObjects {
        _get(object, index)
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> LinkingObjects {
        let (core, model) = object._checkManaged()
        let name = model.persisted.properties[index].originProperty ?? ""
        let origin = model.targetModel(index)
        guard let position = origin.persisted.index(of: name), let column = origin.columns[position] else {
            fail(.propertyNotFound(origin.persisted.name, name))
        }
        let source = ObjectSource.backlinks(target: model.info, key: object._settledKey, column: column)
        return LinkingObjects(
            name, _CollectionState(core, .objects(CollectionQuery(origin.info, source: source)), origin))
    }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: LinkingObjects) {
        fail(Mistake("Inverse links can't be assigned: they follow from the links."))
    }

    public var _rlmContent: _StoredValue? { nil }

    public static func _make(_ content: _StoredValue) -> LinkingObjects? { nil }

    public static var _role: _PropertyRole { .computed }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> LinkingObjects {
        let element = tracer.noteElement(index, Element.self) as? Element
        return LinkingObjects("", nil, traced: element.map { [$0] } ?? [])
    }
}

extension LinkingObjects: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
