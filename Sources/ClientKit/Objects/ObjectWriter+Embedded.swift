import Model
import Store

extension ManagedClass {
    /// Whether property `index` holds embedded objects.
    func isEmbedding(_ index: Int) -> Bool {
        persisted.properties[index].isEmbedding
    }
}

// Embedded objects are made in the slot that holds them, instead of being made and then linked.
extension ObjectWriter {
    /// Makes an unmanaged object part of another: what the slot held goes.
    @discardableResult
    func embed(
        _ object: ObjectBase, _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ slot: RealmCore.ObjectSlot,
        update: Realm.UpdatePolicy = .error
    ) -> ObjectKey {
        let property = model.persisted.properties[index]
        let part = model.targetModel(index)
        if !property.admits(object) {
            fail(.wrongClass(object, part.persisted.name, model.persisted.name, property.name))
        }
        if object._rlmCore != nil {
            fail(
                Mistake(
                    "Can't set link to existing managed embedded object of class '\(part.persisted.name)' in "
                        + "'\(model.persisted.name).\(property.name)'."))
        }
        let partKey = core.embed(model.info, key, model.column(index), slot)
        object._attachCreated(core, part, partKey)
        for step in part.steps { assign(step, of: object, part, partKey, isNew: true, update: update) }
        return partKey
    }

    /// Makes a new part of an object of values of any type; nil if the value is nil.
    @discardableResult
    func embed(
        any value: Any, _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ slot: RealmCore.ObjectSlot,
        update: Realm.UpdatePolicy
    ) -> ObjectKey? {
        guard let given = AnyCoercion.unwrapped(value) else { return nil }
        let part = model.targetModel(index)
        let converted = (given as? any _CustomPersistable).map { $0._rlmEncoded }
        let source: Any
        if case .object(let object)? = converted?.content { source = object } else { source = given }
        guard ObjectInput.isInput(source) else {
            model.persisted.properties[index].refuse(value, of: model.persisted.name)
        }
        let partKey = core.embed(model.info, key, model.column(index), slot)
        fill(part, partKey, ObjectInput(source, for: part.persisted), isNew: true, update: update) {
            part.persisted.template?.type.init()
        }
        return partKey
    }

    /// Replaces a collection of embedded objects by unmanaged ones, or by what values of any type make.
    func embedAll(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ names: [String]?, _ elements: [Any], isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        let column = model.column(index)
        if !isNew, core.listCount(model.info, key, column) > 0 {
            if names == nil { core.listClear(model.info, key, column) } else { core.mapClear(model.info, key, column) }
        }
        for (position, element) in elements.enumerated() {
            if let names { checkMapKey(names[position]) }
            let slot = names.map { .entry($0[position]) } ?? RealmCore.ObjectSlot.insert(at: position)
            if let object = element as? ObjectBase, object._rlmCore == nil, update == .error || isNew {
                embed(object, model, key, index, slot, update: update)
            } else if embed(any: element, model, key, index, slot, update: update) == nil {
                guard case .entry(let name) = slot else {
                    model.persisted.properties[index].refuse(element, of: model.persisted.name)
                }
                core.mapSet(model.info, key, column, forKey: name, .null)
            }
        }
    }
}

extension Mistake {
    static func wrongClass(_ object: ObjectBase, _ expected: String, _ className: String, _ property: String) -> Mistake
    {
        Mistake(
            "Object of type '\(object._rlmModel?.info.name ?? Swift.type(of: object).className())' does not match the class '\(expected)' of property "
                + "'\(className).\(property)'.")
    }
}
