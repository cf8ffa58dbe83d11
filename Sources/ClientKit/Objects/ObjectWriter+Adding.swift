import Model
import Store

extension ObjectWriter {
    /// Makes an unmanaged object, and what it links to, part of the realm. Its accessors of collections, too.
    @discardableResult
    func add(_ object: ObjectBase, update: Realm.UpdatePolicy, isNested: Bool = false) -> ObjectKey {
        if let owner = object._rlmCore { return key(ofManaged: object, owner) }
        let model = core.model(of: type(of: object))
        let primary = model.primaryKey(of: object)
        if let primary {
            let existing =
                update == .error ? core.find(model.info, toCreate: primary) : core.find(model.info, primary)
            if let existing {
                if update == .error { fail(.primaryKeyExists(model.persisted.name, primary.text)) }
                object._attachCreated(core, model, existing)
                assignAll(of: object, model, existing, update: update)
                return existing
            }
        } else if update != .error, !isNested {
            fail(.noPrimaryKeyForUpdate(model.persisted.name))
        }
        let transaction = core.openTransaction("add an object of class '\(model.persisted.name)'")
        if core.coordinator.isFlexible { core.checkSubscribed(model.info, transaction) }
        // Hidden keys are numbered from what the file has.
        if primary == nil { core.settle() }
        let recorder = transaction.recorder
        let (overlay, row) = recorder.create(model.info, primary)
        let key = overlay.rows[row].key
        object._attachCreated(core, model, key)
        let steps = model.steps
        var next = 0
        while true {
            next = recorder.record(steps, from: next, of: object._rlmAddress, overlay, row)
            if recorder.hasFullPart { core.sendFullPart(transaction) }
            guard next < steps.count else { break }
            if !steps[next].codec.isDirect {
                assign(steps[next], of: object, model, key, isNew: true, update: update)
                next += 1
            }
        }
        return key
    }

    private func key(ofManaged object: ObjectBase, _ owner: RealmCore) -> ObjectKey {
        let name = object._rlmPersisted.name
        if owner !== core { fail(.managedByAnotherRealm(name)) }
        guard let model = object._rlmModel, object._relocate(owner, model) else { fail(.invalidated(name)) }
        return object._rlmKey
    }

    /// Gives an object that exists the values of one that has just become its accessor.
    private func assignAll(
        of object: ObjectBase, _ model: ManagedClass, _ key: ObjectKey, update: Realm.UpdatePolicy
    ) {
        for step in model.steps { assign(step, of: object, model, key, isNew: false, update: update) }
    }

    func assign(
        _ step: PropertyStep, of object: ObjectBase, _ model: ManagedClass, _ key: ObjectKey, isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        let property = model.persisted.properties[step.index]
        if step.codec == .collection {
            guard let collection = property.wrapper.collection(at: object._rlmAddress + step.offset) else { return }
            setCollection(model, key, step.index, to: collection, isNew: isNew, update: update)
            return collection.attach(to: object, step.index)
        }
        let info = model.info
        let column = model.column(step.index)
        let content = property.content(in: object._rlmAddress)
        if property.type == .mixed {
            let element = mixedElement(of: content, update: update, depth: 0)
            let isSame =
                isNew
                ? element == .null : update == .modified && core.mixedNode(info, key, column)?.element == element
            if !isSame { core.setMixed(info, key, column, element) }
            return
        }
        switch content.content {
        case .nested: preconditionFailure("only mixed values hold collections")
        case .object(let target) where model.isEmbedding(step.index):
            embed(target, model, key, step.index, .property, update: update)
        case .object(let target):
            let targetKey = self.key(linking: target, model, step.index, update: update)
            if isNew || update != .modified || core.linkKey(info, key, column) != targetKey {
                core.setLink(info, key, column, targetKey)
            }
        case .value(let value):
            if !isNew, update == .modified, isPresent(value, model, key, column) { return }
            if property.type == .link {
                core.setLink(info, key, column, nil)
            } else {
                core.set(info, key, column, value)
            }
        }
    }

    func isPresent(_ value: Value, _ model: ManagedClass, _ key: ObjectKey, _ column: StoredColumn) -> Bool {
        if column.property.type == .link { return core.linkKey(model.info, key, column) == nil }
        return core.value(model.info, key, column) == value
    }
}
