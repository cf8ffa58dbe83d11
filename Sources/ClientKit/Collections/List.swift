import Foundation
import Model
import Query
import Store

/// A list of values or of objects, as a property or by itself. A reference type: the list of a managed object is the
/// property, and its changes need a write transaction.
///
/// ```swift
/// class Person: Object {
///     @Persisted var dogs: List<Dog>
///     @Persisted var nicknames: List<String>
/// }
/// ```
public final class List<Element: RealmCollectionValue>: RealmCollection, MutableCollection {
    /// Where the list of a managed object is.
    struct Place {
        let core: RealmCore
        let model: ManagedClass
        let key: ObjectKey
        let index: Int
        let column: StoredColumn
        let state: _CollectionState
        /// Into mixed values; empty for the property's own list.
        var steps: [MixedStep] = []
        /// Generation of the last time that the owner was found.
        var seen: UInt64
    }

    var place: Place?
    var contents: [Element] = []

    /// An empty list that belongs to no realm.
    public init() {}

    init(_ place: Place) {
        self.place = place
    }

    public var _rlmState: _CollectionState? {
        settle()
        return place?.state
    }

    /// Whoever goes by the owner's key needs the one that the file has.
    private func settle() {
        if let place, place.key.isProvisional { place.core.settle() }
    }
    public var _rlmUnmanaged: [Element] { contents }

    public func _rlmMoved(to state: _CollectionState) -> List {
        guard let place else { return self }
        return List(Place(state, like: place))
    }

    /// Where a managed list is. Traps if the object it belongs to is gone.
    func checked(_ place: Place) -> Place {
        place.core.check()
        let generation = place.core.access.pointee.generation
        if place.seen != generation {
            if case .missing = place.core.locate(place.model.info, place.key, generation: place.seen) {
                fail(.invalidatedCollection)
            }
            self.place?.seen = generation
        }
        if !place.isThere { fail(.invalidatedCollection) }
        return place
    }

    public var count: Int {
        guard let place else { return contents.count }
        return checked(place).count
    }

    public subscript(position: Int) -> Element {
        get {
            checkIndex(position, below: count)
            guard let place else { return contents[position] }
            return .read(place.stored(at: position))
        }
        set {
            guard let here = writable("set an element of a list") else {
                checkIndex(position, below: contents.count)
                contents[position] = newValue
                return
            }
            checkIndex(position, below: count)
            if here.embeds(newValue, .replace(at: position)) { return }
            here.set(here.element(newValue), at: position)
        }
    }

    public subscript(bounds: Range<Int>) -> Slice<List> {
        get { Slice(base: self, bounds: bounds) }
        set { replaceSubrange(bounds, with: Array(newValue)) }
    }

    public func makeIterator() -> RLMIterator<Element> {
        settle()
        guard let place else { return RLMIterator(contents) }
        let here = checked(place)
        // What lies inside of mixed values can be changed: the state has plain values.
        if here.column.property.type == .mixed {
            return RLMIterator(here.general.elements.map { .read($0) })
        }
        return RLMIterator(here.state)
    }

    public var isInvalidated: Bool {
        guard let place else { return false }
        place.core.check()
        if case .missing = place.core.locate(place.model.info, place.key, generation: place.seen) { return true }
        return !place.isThere
    }

    func checkIndex(_ index: Int, below count: Int) {
        if index < 0 || index >= count { fail(.indexOutOfBounds(index, count)) }
    }

    /// Where the list is, for a change; nil if it is unmanaged. Traps outside of a write transaction.
    func writable(_ doing: String) -> Place? {
        guard let place else { return nil }
        let name = place.model.persisted.properties[place.index].name
        place.core.checkWrite(
            "\(doing): cannot modify managed List '\(place.model.persisted.name).\(name)'"
                + " outside of a write transaction")
        return checked(place)
    }
}

extension List.Place {
    /// The list of a property of a managed object.
    init(_ object: ObjectBase, _ index: Int) {
        let (core, model) = object._checkManaged()
        self.init(core, model, object._rlmKey, index, seen: core.access.pointee.generation)
    }

    /// The list at a place.
    init(_ place: CollectionPlace) {
        self.init(
            core: place.core, model: place.model, key: place.key, index: place.index, column: place.column,
            state: place.state, steps: place.steps, seen: place.core.access.pointee.generation)
    }

    init(_ core: RealmCore, _ model: ManagedClass, _ key: ObjectKey, _ index: Int, seen: UInt64) {
        let column = model.column(index)
        let state: _CollectionState
        if column.property.type == .link {
            let target = model.targetModel(index)
            let source = ObjectSource.list(owner: model.info, key: key, column: column)
            state = _CollectionState(core, .objects(CollectionQuery(target.info, source: source)), target)
        } else {
            state = _CollectionState(core, .values(ValueQuery(info: model.info, key: key, column: column)))
        }
        self.init(core: core, model: model, key: key, index: index, column: column, state: state, seen: seen)
    }

    /// The same list of another instance of the realm.
    init(_ state: _CollectionState, like place: List.Place) {
        let info = state.core.counterpart(of: place.model.info) ?? place.model.info
        let model = ManagedClass.of(info, place.model.persisted.type)
        self.init(
            core: state.core, model: model, key: place.key, index: place.index, column: model.column(place.index),
            state: state, steps: place.steps, seen: state.core.access.pointee.generation)
    }

    /// As a place of any collection.
    fileprivate var general: CollectionPlace {
        var place = CollectionPlace(core, model, key, index)
        place.steps = steps
        return place
    }

    /// Whether it is inside of a mixed value.
    private var isNested: Bool { column.property.collection == .single || !steps.isEmpty }

    /// Whether a list inside of a mixed value is still there.
    var isThere: Bool { !isNested || core.mixedNode(model.info, key, column, steps)?.kind == .list }

    var count: Int { isNested ? general.count : core.listCount(model.info, key, column) }

    func insert(_ element: ListElement, at position: Int) {
        if !isNested { return core.listInsert(model.info, key, column, at: position, element) }
        core.changeMixed(model.info, key, column, steps, .insert(at: position, element))
    }

    func set(_ element: ListElement, at position: Int) {
        if !isNested { return core.listSet(model.info, key, column, at: position, element) }
        core.changeMixed(model.info, key, column, steps, .set(at: position, element))
    }

    func erase(at position: Int) {
        if !isNested { return core.listErase(model.info, key, column, at: position) }
        core.changeMixed(model.info, key, column, steps, .erase(at: position))
    }

    func move(from: Int, to: Int) {
        if !isNested { return core.listMove(model.info, key, column, from: from, to: to) }
        core.changeMixed(model.info, key, column, steps, .move(from: from, to: to))
    }

    func clear() {
        if !isNested { return core.listClear(model.info, key, column) }
        core.changeMixed(model.info, key, column, steps, .clear)
    }

    func stored(at position: Int) -> _StoredValue {
        if column.property.type == .mixed { return general.stored(at: position) }
        guard column.property.type == .link else {
            return _StoredValue(core.listValue(model.info, key, column, at: position))
        }
        guard let target = core.listLinkKey(model.info, key, column, at: position) else { return .null }
        return _StoredValue(model.target(index, target))
    }

    /// Makes an element part of the list's owner; false if the list holds no embedded objects.
    func embeds(_ element: some RealmCollectionValue, _ slot: RealmCore.ObjectSlot) -> Bool {
        guard model.isEmbedding(index), case .object(let object) = element._rlmEncoded.content else { return false }
        ObjectWriter(core).embed(object, model, key, index, slot)
        return true
    }

    /// An element to be stored. Unmanaged objects become managed.
    func element(_ element: some RealmCollectionValue) -> ListElement {
        ObjectWriter(core).element(of: element._rlmEncoded, model, index)
    }
}

// Lists are compared by identity: two accessors of one property are the same list.
extension List: Hashable {
    public static func == (a: List, b: List) -> Bool {
        a.settle()
        b.settle()
        guard let placeA = a.place, let placeB = b.place else { return a === b }
        return placeA.core === placeB.core && placeA.key == placeB.key && placeA.column.id == placeB.column.id
            && placeA.model.info === placeB.model.info && placeA.steps == placeB.steps
    }

    public func hash(into hasher: inout Hasher) {
        settle()
        guard let place else { return hasher.combine(ObjectIdentifier(self)) }
        hasher.combine(place.key)
        hasher.combine(place.column.id.raw)
        hasher.combine(place.steps)
    }
}
