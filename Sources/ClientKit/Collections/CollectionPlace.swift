import Model
import Store

/// Where the collection of a managed object is: a property of a class, and the object; for collections inside of an
/// `AnyRealmValue`, also the steps from there.
struct CollectionPlace {
    let core: RealmCore
    let model: ManagedClass
    let key: ObjectKey
    let index: Int
    let column: StoredColumn
    /// Into mixed values; empty for the property's own collection.
    var steps: [MixedStep] = []
    /// Generation of the last time that the owner was found.
    var seen: UInt64

    /// The collection of a property of a managed object.
    init(_ object: ObjectBase, _ index: Int) {
        let (core, model) = object._checkManaged()
        self.init(core, model, object._rlmKey, index)
    }

    init(_ core: RealmCore, _ model: ManagedClass, _ key: ObjectKey, _ index: Int) {
        self.core = core
        self.model = model
        self.key = key
        self.index = index
        column = model.column(index)
        seen = core.access.pointee.generation
    }

    /// The same collection of another instance of the realm; nil if the owner isn't there.
    func moved(to other: RealmCore) -> CollectionPlace? {
        guard let info = other.counterpart(of: model.info), other.contains(info, settledKey) else { return nil }
        var place = CollectionPlace(other, ManagedClass.of(info, model.persisted.type), settledKey, index)
        place.steps = steps
        return place.isThere ? place : nil
    }

    /// The place that further steps lead to.
    func at(_ more: [MixedStep]) -> CollectionPlace {
        var place = self
        place.steps += more
        return place
    }

    /// Whether it is inside of a mixed value.
    private var isNested: Bool { column.property.collection == .single || !steps.isEmpty }

    /// Whether a map inside of a mixed value is still there.
    private var isThere: Bool { !isNested || core.mixedNode(model.info, key, column, steps)?.kind == .dictionary }

    /// The owner's key as the file has it.
    var settledKey: ObjectKey { core.settled(model.info, key) }

    /// The place, its owner found in the present version. Traps if the owner is gone.
    func checked() -> CollectionPlace {
        core.check()
        let generation = core.access.pointee.generation
        if !isThere { fail(.invalidatedCollection) }
        if seen == generation { return self }
        if case .missing = core.locate(model.info, key, generation: seen) { fail(.invalidatedCollection) }
        var found = self
        found.seen = generation
        return found
    }

    var isInvalidated: Bool {
        core.check()
        if case .missing = core.locate(model.info, key, generation: seen) { return true }
        return !isThere
    }

    /// Traps outside of a write transaction. `kind` is the collection's type.
    func checkWrite(_ doing: String, _ kind: String) {
        core.checkWrite(
            "\(doing): cannot modify managed \(kind) '\(model.persisted.name).\(model.persisted.properties[index].name)'"
                + " outside of a write transaction")
    }

    func isSame(as other: CollectionPlace) -> Bool {
        core === other.core && settledKey == other.settledKey && column.id == other.column.id
            && model.info === other.model.info && steps == other.steps
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(settledKey)
        hasher.combine(column.id.raw)
        hasher.combine(steps)
    }

    // MARK: Reading

    /// How many elements there are.
    var count: Int {
        if !isNested { return core.listCount(model.info, key, column) }
        return core.mixedNode(model.info, key, column, steps)?.count ?? 0
    }

    /// The keys of a map.
    var keys: [String] {
        if !isNested { return core.mapKeys(model.info, key, column) }
        return core.mixedNode(model.info, key, column, steps)?.keys ?? []
    }

    /// The value of a key of a map; nil if the key isn't there.
    func stored(forKey name: String) -> _StoredValue? {
        if column.property.type == .mixed {
            let node = core.mixedNode(model.info, key, column, steps + [.key(name)])
            return node.map { stored($0, at([.key(name)])) }
        }
        return core.mapElement(model.info, key, column, forKey: name).map { stored($0) }
    }

    /// The elements of a list or set, or the values of a map.
    var elements: [_StoredValue] {
        guard column.property.type == .mixed else {
            return core.listCells(model.info, key, column).map { stored($0) }
        }
        guard let node = core.mixedNode(model.info, key, column, steps) else { return [] }
        let inner: [MixedStep] =
            node.kind == .dictionary ? node.keys.map { .key($0) } : (0..<node.count).map { .index($0) }
        return inner.map { step in node.child(step).map { stored($0, at([step])) } ?? .null }
    }

    /// The element at a position of a list or set.
    func stored(at position: Int) -> _StoredValue {
        switch column.property.type {
        case .mixed:
            let node = core.mixedNode(model.info, key, column, steps + [.index(position)])
            return node.map { stored($0, at([.index(position)])) } ?? .null
        case .link:
            return stored(core.listLinkKey(model.info, key, column, at: position).map { .link($0) } ?? .null)
        default: return _StoredValue(core.listValue(model.info, key, column, at: position))
        }
    }

    /// What a Mixed property holds.
    var mixed: _StoredValue {
        core.mixedNode(model.info, key, column).map { stored($0, self) } ?? .null
    }

    private func stored(_ element: ListElement) -> _StoredValue {
        switch element {
        case .value(let value): _StoredValue(value)
        case .link(let target): _StoredValue(model.target(index, target))
        case .object(let table, let key): object(table, key)
        case .list, .dictionary: .null
        }
    }

    /// What a node holds that lies at a place.
    private func stored(_ node: MixedNode, _ place: CollectionPlace) -> _StoredValue {
        switch node.kind {
        case .list: return _StoredValue(nested: List<AnyRealmValue>(List.Place(place)))
        case .dictionary: return _StoredValue(nested: Map<String, AnyRealmValue>(place))
        default: return stored(node.element)
        }
    }

    /// The target of a link in a Mixed: a dynamic object if this process doesn't know its class, or doesn't use it.
    private func object(_ table: TableId, _ key: ObjectKey) -> _StoredValue {
        guard let stored = core.storedInfo(table), core.contains(stored, key) else { return .null }
        if model.persisted.type != DynamicObject.self, let info = core.info(className: stored.name),
            let known = ManagedClass.known(info)
        {
            return _StoredValue(ObjectBase.accessor(known, key))
        }
        return _StoredValue(ObjectBase.accessor(ManagedClass.dynamic(stored), key))
    }

    // MARK: Changing

    func put(_ element: ListElement, forKey name: String) {
        if !isNested { return core.mapSet(model.info, key, column, forKey: name, element) }
        core.changeMixed(model.info, key, column, steps, .put(key: name, element))
    }

    func remove(key name: String) {
        if !isNested { return core.mapRemove(model.info, key, column, forKey: name) }
        core.changeMixed(model.info, key, column, steps, .remove(key: name))
    }

    func clearMap() {
        if !isNested { return core.mapClear(model.info, key, column) }
        core.changeMixed(model.info, key, column, steps, .clear)
    }

    /// Makes an element part of the collection's owner; false if the collection holds no embedded objects.
    func embeds(_ element: some RealmCollectionValue, _ slot: RealmCore.ObjectSlot) -> Bool {
        guard model.isEmbedding(index), case .object(let object) = element._rlmEncoded.content else { return false }
        ObjectWriter(core).embed(object, model, key, index, slot)
        return true
    }

    /// An element to be stored. Unmanaged objects become managed.
    func element(_ value: some RealmCollectionValue) -> ListElement {
        ObjectWriter(core).element(of: value._rlmEncoded, model, index)
    }

    /// An element to be looked for; nil for an object that can't be there.
    func known(_ stored: _StoredValue) -> ListElement? {
        switch stored.content {
        case .value(let value): return .value(value)
        case .nested: return nil
        case .object(let object):
            guard object._rlmCore === core, let (info, key) = object._rlmManaged else { return nil }
            return column.property.type == .mixed ? .object(info.table.id, key) : .link(key)
        }
    }

    /// The elements, or the values of a map, as a collection.
    var state: _CollectionState {
        let key = settledKey
        guard column.property.type == .link else {
            return _CollectionState(
                core, .values(ValueQuery(info: model.info, key: key, column: column, path: steps)))
        }
        let target = model.targetModel(index)
        let source = ObjectSource.list(owner: model.info, key: key, column: column)
        return _CollectionState(core, .objects(CollectionQuery(target.info, source: source)), target)
    }
}
