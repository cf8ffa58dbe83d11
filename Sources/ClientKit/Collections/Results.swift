import Model
import Query

/// A live query: evaluated when it is read, and anew after the realm advanced. In a write transaction it shows the
/// changes at once. Frozen results never change.
///
/// ```swift
/// let puppies = realm.objects(Dog.self).where { $0.age < 2 }.sorted(by: \.name)
/// ```
@frozen
public struct Results<Element: RealmCollectionValue>: RealmCollection {
    @usableFromInline let state: _CollectionState

    init(_ state: _CollectionState) {
        self.state = state
    }

    public var _rlmState: _CollectionState? { state }
    public var _rlmUnmanaged: [Element] { [] }

    public func _rlmMoved(to state: _CollectionState) -> Results { Results(state) }

    public var count: Int { state.count }

    @inlinable
    public subscript(position: Int) -> Element { state.element(at: position) }

    public func makeIterator() -> RLMIterator<Element> { RLMIterator(state) }
}

extension Results: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}

extension Realm {
    /// All objects of a class, or projections of them. Traps if the class is not in the realm's schema.
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        core.check()
        guard let root = type._shape.objectType else { fail(.classNotManaged(type.className())) }
        let model = core.model(of: root)
        return Results(_CollectionState(core, .objects(CollectionQuery(model.info)), model))
    }

    /// Deletes the objects of a result. In a write transaction.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
        core.checkWrite("delete objects")
        deleteElements(objects.state)
    }

    /// Deletes the objects that a list holds. In a write transaction.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) {
        guard let state = objects._rlmState else {
            for object in Array(objects) { delete(object) }
            return objects.removeAll()
        }
        core.checkWrite("delete objects")
        deleteElements(state)
    }

    private func deleteElements(_ state: _CollectionState) {
        guard let info = state.model?.info else { return }
        guard state.core === core else { fail(.deleteOfForeign(info.name)) }
        if let query = state.query, query.isWholeTable { return core.deleteAll(info) }
        // A list may hold an object twice.
        for key in state.keys where core.contains(info, key) { core.delete(info, key) }
    }
}
