import Model
import Store

/// Brings Swift values and objects into the open write transaction of a realm.
struct ObjectWriter {
    let core: RealmCore

    init(_ core: RealmCore) {
        self.core = core
    }

    // MARK: Single values

    /// Assigns a property, of any kind but a collection.
    func set(_ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ stored: _StoredValue) {
        if model.column(index).property.type == .mixed {
            core.setMixed(model.info, key, model.column(index), element(of: stored, model, index))
            return
        }
        switch stored.content {
        case .nested: preconditionFailure("only mixed values hold collections")
        case .value(.null) where model.column(index).property.type == .link:
            core.setLink(model.info, key, model.column(index), nil)
        case .value(let value):
            core.set(model.info, key, model.column(index), value)
        case .object(let object):
            if model.isEmbedding(index) {
                embed(object, model, key, index, .property)
                return
            }
            let target = self.key(linking: object, model, index, update: .error)
            core.setLink(model.info, key, model.column(index), target)
        }
    }

    /// The key of an object that is to be linked. An unmanaged one is added.
    func key(linking object: ObjectBase, _ model: ManagedClass, _ index: Int, update: Realm.UpdatePolicy)
        -> ObjectKey
    {
        let property = model.persisted.properties[index]
        if !property.admits(object) {
            fail(.wrongClass(object, property.targetName ?? "", model.persisted.name, property.name))
        }
        return add(object, update: update, isNested: true)
    }

    /// A value or an object as an element of a list property.
    func element(of stored: _StoredValue, _ model: ManagedClass, _ index: Int, update: Realm.UpdatePolicy = .error)
        -> ListElement
    {
        if model.persisted.properties[index].type == .mixed {
            return mixedElement(of: stored, update: update, depth: 0)
        }
        switch stored.content {
        case .value(let value): return .value(value)
        case .object(let object): return .link(key(linking: object, model, index, update: update))
        case .nested: preconditionFailure("only mixed values hold collections")
        }
    }

    // MARK: Creating objects from values

    /// Creates or updates an object from a dictionary, an array or an object (WR-18 … WR-24).
    func create(_ model: ManagedClass, _ value: Any, update: Realm.UpdatePolicy, isNested: Bool = false) -> ObjectKey {
        let (persisted, info) = (model.persisted, model.info)
        let input = ObjectInput(value, for: persisted)
        // Made when a default is needed: its primary key may be a generated one.
        var template: ObjectBase?
        func defaults() -> ObjectBase? {
            if template == nil { template = persisted.template?.type.init() }
            return template
        }
        var isNew = true
        let key: ObjectKey
        if let primaryIndex = persisted.primaryKeyIndex {
            let property = persisted.properties[primaryIndex]
            let shown = persisted.index(of: property.name) ?? primaryIndex
            let position = persisted.properties[..<shown].count { !$0.isComputed }
            let given = input.value(property, position: position)
            let primary: PrimaryKey
            if let given {
                guard let stored = AnyCoercion.stored(given, as: property.type), property.isOptional || !stored.isNull,
                    let converted = PrimaryKey(stored)
                else { property.refuse(given, of: persisted.name) }
                primary = converted
            } else {
                primary = defaultKey(property, persisted, defaults())
            }
            if let existing = update == .error ? core.find(info, toCreate: primary) : core.find(info, primary) {
                if update == .error { fail(.primaryKeyExists(persisted.name, primary.text)) }
                key = existing
                isNew = false
            } else {
                key = core.create(info, primary, mayBeProvisional: true)
            }
        } else {
            if update != .error, !isNested { fail(.noPrimaryKeyForUpdate(persisted.name)) }
            // While a migration lasts the file may have keys that the new class doesn't have any more.
            key = core.create(info, info.primaryKey.map { core.unusedKey(info, info.properties[$0]) })
        }
        fill(model, key, input, isNew: isNew, update: update, defaults)
        return key
    }

    /// Assigns the properties that an input has; in a new object the others get their defaults.
    func fill(
        _ model: ManagedClass, _ key: ObjectKey, _ input: ObjectInput, isNew: Bool, update: Realm.UpdatePolicy,
        _ defaults: () -> ObjectBase?
    ) {
        var position = 0
        for (index, property) in model.persisted.properties.enumerated() where !property.isComputed {
            defer { position += 1 }
            if property.isPrimaryKey { continue }
            if let value = input.value(property, position: position) {
                assign(value, to: index, of: model, key, isNew: isNew, update: update)
            } else if isNew, let template = defaults() {
                assignDefault(of: template, index, model, key, update: update)
            }
        }
    }

    /// The primary key of an object that is created without one.
    private func defaultKey(_ property: PersistedProperty, _ persisted: PersistedClass, _ template: ObjectBase?)
        -> PrimaryKey
    {
        guard let template, let declared = template._rlmPersisted.property(property.name) else {
            fail(
                Mistake(
                    "Missing value for key '\(property.name)': '\(persisted.name).\(property.name)' is the primary key."
                ))
        }
        return PrimaryKey(declared.content(in: template._rlmAddress)) ?? .null
    }

    /// What C-76 has for a property that wasn't supplied.
    private func assignDefault(
        of template: ObjectBase, _ index: Int, _ model: ManagedClass, _ key: ObjectKey, update: Realm.UpdatePolicy
    ) {
        // Of a class without Swift type the template has the properties by other places, if it has them.
        guard let property = template._rlmPersisted.property(model.persisted.properties[index].name) else { return }
        guard property.collection == .single else {
            if let collection = property.wrapper.collection(at: template._rlmAddress + property.offset) {
                setCollection(model, key, index, to: collection, isNew: true, update: update)
            }
            return
        }
        let content = property.content(in: template._rlmAddress)
        if property.type == .mixed {
            let element = mixedElement(of: content, update: update, depth: 0)
            // A new object has none anyway.
            if element != .null { core.setMixed(model.info, key, model.column(index), element, isDefault: true) }
            return
        }
        switch content.content {
        case .nested: preconditionFailure("only mixed values hold collections")
        case .object(let object) where model.isEmbedding(index):
            embed(any: object, model, key, index, .property, update: update)
        case .object(let object):
            core.setLink(
                model.info, key, model.column(index), self.key(linking: object, model, index, update: update))
        case .value(let value):
            if property.type != .link { core.set(model.info, key, model.column(index), value, isDefault: true) }
        }
    }

    /// Assigns a property by a value of any type that fits it.
    func assign(
        _ value: Any, to index: Int, of model: ManagedClass, _ key: ObjectKey, isNew: Bool, update: Realm.UpdatePolicy
    ) {
        let property = model.persisted.properties[index]
        let column = model.column(index)
        guard property.collection == .single else {
            return setCollection(model, key, index, toAny: value, isNew: isNew, update: update)
        }
        if model.isEmbedding(index), embed(any: value, model, key, index, .property, update: update) != nil { return }
        let element = element(value, property, model, index, update: update)
        if property.type == .mixed {
            let isSame = !isNew && update == .modified && core.mixedNode(model.info, key, column)?.element == element
            if !isSame { core.setMixed(model.info, key, column, element) }
            return
        }
        switch element {
        case .object, .list, .dictionary: preconditionFailure("only mixed values hold such elements")
        case .link(let target):
            if isNew || update != .modified || core.linkKey(model.info, key, column) != target {
                core.setLink(model.info, key, column, target)
            }
        case .value(let stored):
            if stored == .null, !property.isOptional { property.refuse(value, of: model.persisted.name) }
            if !isNew, update == .modified, isPresent(stored, model, key, column) { return }
            if property.type == .link {
                core.setLink(model.info, key, column, nil)
            } else {
                core.set(model.info, key, column, stored)
            }
        }
    }

    /// One value, or one element of a collection. Objects of this realm are linked, others are copied into it.
    func element(
        _ value: Any, _ property: PersistedProperty, _ model: ManagedClass, _ index: Int, update: Realm.UpdatePolicy
    ) -> ListElement {
        if property.type == .mixed {
            guard let stored = AnyCoercion.stored(value, as: .mixed) else {
                property.refuse(value, of: model.persisted.name)
            }
            return mixedElement(of: stored, update: update, depth: 0)
        }
        guard property.type == .link, property.objectType != nil, let given = AnyCoercion.unwrapped(value)
        else {
            guard let stored = AnyCoercion.stored(value, as: property.type)?.value else {
                property.refuse(value, of: model.persisted.name)
            }
            return .value(stored)
        }
        if let object = given as? ObjectBase, let owner = object._rlmCore, owner === core.migrationSource,
            property.admits(object)
        {
            // An object as it was stands for what has become of it.
            return core.contains(model.targetModel(index).info, object._rlmKey) ? .link(object._rlmKey) : .null
        }
        if let object = given as? ObjectBase, object._rlmCore === core, property.admits(object) {
            return .link(key(linking: object, model, index, update: update))
        }
        guard ObjectInput.isInput(given) else { property.refuse(value, of: model.persisted.name) }
        return .link(create(model.targetModel(index), given, update: update, isNested: true))
    }
}
