import Model
import Store

// What a collection property gets as a whole: when an object is added or created, or a collection is assigned as `Any`.
extension ObjectWriter {
    /// Gives a collection property what an unmanaged collection holds.
    func setCollection(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, to collection: any PersistedCollection, isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        if model.isEmbedding(index) {
            let objects = collection.unmanagedElements.map { stored -> Any in
                if case .object(let object) = stored.content { object } else { Any?.none as Any }
            }
            let names = (collection as? any PersistedDictionary)?.unmanagedKeys
            return embedAll(model, key, index, names, objects, isNew: isNew, update: update)
        }
        let elements = collection.unmanagedElements.map { element(of: $0, model, index, update: update) }
        if let map = collection as? any PersistedDictionary {
            setMap(model, key, index, map.unmanagedKeys, elements, isNew: isNew, update: update)
        } else {
            setElements(model, key, index, elements, isNew: isNew, update: update)
        }
    }

    /// Gives a collection property what a value of any fitting type holds. nil empties it.
    func setCollection(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, toAny value: Any, isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        let property = model.persisted.properties[index]
        let given = AnyCoercion.unwrapped(value)
        func stored(_ value: Any) -> ListElement {
            let stored = element(value, property, model, index, update: update)
            if stored == .null, !property.isNullable { property.refuse(value, of: model.persisted.name) }
            return stored
        }
        if property.collection == .dictionary {
            guard let entries = given == nil ? [] : given.flatMap({ ObjectInput.entries(of: $0) }) else {
                property.refuse(value, of: model.persisted.name)
            }
            if model.isEmbedding(index) {
                return embedAll(
                    model, key, index, entries.map(\.key), entries.map(\.value), isNew: isNew, update: update)
            }
            return setMap(
                model, key, index, entries.map(\.key), entries.map { stored($0.value) }, isNew: isNew, update: update)
        }
        guard let elements = given == nil ? [] : given.flatMap({ ObjectInput.elements(of: $0) }) else {
            property.refuse(value, of: model.persisted.name)
        }
        if model.isEmbedding(index) {
            return embedAll(model, key, index, nil, elements, isNew: isNew, update: update)
        }
        setElements(model, key, index, elements.map(stored), isNew: isNew, update: update)
    }

    private func setElements(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ elements: [ListElement], isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        if model.column(index).property.collection == .set {
            setSet(model, key, index, elements, isNew: isNew, update: update)
        } else {
            setList(model, key, index, elements, isNew: isNew, update: update)
        }
    }

    private func setSet(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ elements: [ListElement], isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        let column = model.column(index)
        let info = model.info
        if !isNew, update == .modified {
            let kept = Set(elements)
            for element in core.listCells(info, key, column) where !kept.contains(element) {
                core.setErase(info, key, column, element)
            }
        } else if !isNew, core.listCount(info, key, column) > 0 {
            core.setClear(info, key, column)
        }
        for element in elements { core.setInsert(info, key, column, element) }
    }

    private func setList(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ elements: [ListElement], isNew: Bool,
        update: Realm.UpdatePolicy
    ) {
        let column = model.column(index)
        let info = model.info
        if !isNew {
            let count = core.listCount(info, key, column)
            if update == .modified, count == elements.count {
                let isSame = core.listCells(info, key, column) == elements
                if isSame { return }
            }
            if count > 0 { core.listClear(info, key, column) }
        }
        for (position, element) in elements.enumerated() {
            core.listInsert(info, key, column, at: position, element)
        }
    }

    private func setMap(
        _ model: ManagedClass, _ key: ObjectKey, _ index: Int, _ names: [String], _ elements: [ListElement],
        isNew: Bool, update: Realm.UpdatePolicy
    ) {
        let column = model.column(index)
        let info = model.info
        if !isNew, update == .modified {
            let kept = Set(names)
            for name in core.mapKeys(info, key, column) where !kept.contains(name) {
                core.mapRemove(info, key, column, forKey: name)
            }
        } else if !isNew, core.listCount(info, key, column) > 0 {
            core.mapClear(info, key, column)
        }
        for (name, element) in zip(names, elements) {
            checkMapKey(name)
            if !isNew, update == .modified, core.mapElement(info, key, column, forKey: name) == element { continue }
            core.mapSet(info, key, column, forKey: name, element)
        }
    }
}

/// Traps for keys that no managed map has (MK-34).
func checkMapKey(_ key: String) {
    if key.contains(".") || key.hasPrefix("$") {
        fail(
            Mistake(
                "Invalid key '\(key)' for a Map: keys must not contain '.' and must not begin with '$'; percent-encode "
                    + "them."))
    }
}
