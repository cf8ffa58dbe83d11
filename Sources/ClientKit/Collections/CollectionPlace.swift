import Model
import Store

/// Where the collection of a managed object is: a property of a class, and the object.
struct CollectionPlace {
    let core: RealmCore
    let model: ManagedClass
    let key: ObjectKey
    let index: Int
    let column: StoredColumn
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
        return CollectionPlace(other, ManagedClass.of(info, model.persisted.type), settledKey, index)
    }

    /// The owner's key as the file has it.
    var settledKey: ObjectKey { core.settled(model.info, key) }

    /// The place, its owner found in the present version. Traps if the owner is gone.
    func checked() -> CollectionPlace {
        core.check()
        let generation = core.access.pointee.generation
        if seen == generation { return self }
        if case .missing = core.locate(model.info, key, generation: seen) { fail(.invalidatedCollection) }
        var found = self
        found.seen = generation
        return found
    }

    var isInvalidated: Bool {
        core.check()
        if case .missing = core.locate(model.info, key, generation: seen) { return true }
        return false
    }

    /// Traps outside of a write transaction. `kind` is the collection's type.
    func checkWrite(_ doing: String, _ kind: String) {
        core.checkWrite(
            "\(doing): cannot modify managed \(kind) '\(model.persisted.name).\(model.persisted.properties[index].name)'"
                + " outside of a write transaction")
    }

    func isSame(as other: CollectionPlace) -> Bool {
        core === other.core && settledKey == other.settledKey && column.id == other.column.id
            && model.info === other.model.info
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(settledKey)
        hasher.combine(column.id.raw)
    }

    /// An element as it is read.
    func stored(_ element: ListElement) -> _StoredValue {
        switch element {
        case .value(let value): _StoredValue(value)
        case .link(let target): _StoredValue(model.target(index, target))
        }
    }

    /// The element at a position, or the value of the key there.
    func stored(at position: Int) -> _StoredValue {
        if column.property.type == .link {
            return stored(core.listLinkKey(model.info, key, column, at: position).map { .link($0) } ?? .null)
        }
        return _StoredValue(core.listValue(model.info, key, column, at: position))
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
        case .object(let object):
            guard object._rlmCore === core, let (_, key) = object._rlmManaged else { return nil }
            return .link(key)
        }
    }

    /// The elements, or the values of a map, as a collection.
    var state: _CollectionState {
        let key = settledKey
        guard column.property.type == .link else {
            return _CollectionState(core, .values(ValueQuery(info: model.info, key: key, column: column)))
        }
        let target = model.targetModel(index)
        let source = ObjectSource.list(owner: model.info, key: key, column: column)
        return _CollectionState(core, .objects(CollectionQuery(target.info, source: source)), target)
    }
}
