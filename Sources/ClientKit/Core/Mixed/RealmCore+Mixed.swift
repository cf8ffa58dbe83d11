import Model
import Store

// Properties of mixed values, and what lies inside them. A place is a property of an object and the steps from there; a
// property that is a list or dictionary of mixed values is stepped into as the lists and dictionaries inside of one are.
extension RealmCore {
    /// What lies at a place, with the open transaction's changes; nil if the steps lead nowhere.
    func mixedNode(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ steps: [MixedStep] = []
    ) -> MixedNode? {
        var node = mixedRoot(info, key, column)
        for step in steps {
            guard let next = node.child(step) else { return nil }
            node = next
        }
        return node
    }

    private func mixedRoot(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> MixedNode {
        if let tree = transaction?.recorder.mixedTree(info, key, column) { return .element(tree) }
        switch column.property.collection {
        case .single: return MixedNode(info.reader.mixed(key, column))
        case .list, .set: return .list(info.reader.list(key, column))
        case .dictionary: return .dictionary(info.reader.dictionary(key, column))
        }
    }

    /// The elements of the list, or the values of the dictionary, at a place.
    func cells(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ steps: [MixedStep]
    ) -> [ListElement] {
        if column.property.collection != .single, steps.isEmpty { return listCells(info, key, column) }
        switch mixedNode(info, key, column, steps)?.element {
        case .list(let elements)?, .dictionary(_, let elements)?: return elements
        default: return []
        }
    }

    /// The plain value of a Mixed property, links by their keys; null for collections.
    func mixedValue(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> Value {
        guard case .element(let element)? = mixedNode(info, key, column) else { return .null }
        return value(of: element)
    }

    /// The plain value of an element; null for collections, and for links to what isn't there.
    func value(of element: ListElement) -> Value {
        switch element {
        case .value(let value): return value
        case .object(let table, let key):
            guard let info = storedInfo(table), contains(info, key), let primary = primaryKey(of: key, info) else {
                return .null
            }
            return .link(Link(className: info.name, key: primary))
        case .link, .list, .dictionary: return .null
        }
    }

    // MARK: Changing

    /// Assigns a Mixed property.
    func setMixed(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ element: ListElement, isDefault: Bool = false
    ) {
        changeMixed(info, key, column, [], .assign(element, isDefault: isDefault))
    }

    /// Changes the list or dictionary at a place.
    func changeMixed(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ steps: [MixedStep],
        _ change: ChangeRecorder.MixedChange
    ) {
        let transaction = openTransaction("set '\(info.name).\(column.property.name)'")
        // A Mixed may link to any object, by the key that the file has for it.
        settle()
        let key = settled(info, key)
        transaction.recorder.change(info, key, column, steps, change) {
            mixedNode(info, key, column)?.element ?? .null
        }
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }

    /// Removes what links to an object from a property of mixed values (C-120).
    func removeMixedLinks(_ origin: ChangeRecorder.LinkOrigin, to link: ListElement) {
        let places = mixedNode(origin.info, origin.key, origin.column)?.element.places(of: link) ?? []
        for place in places {
            var steps = place
            switch (steps.popLast(), origin.column.property.collection) {
            case (.index?, .set): setErase(origin.info, origin.key, origin.column, link)
            case (.index(let index)?, _):
                changeMixed(origin.info, origin.key, origin.column, steps, .erase(at: index))
            case (.key(let name)?, _):
                changeMixed(origin.info, origin.key, origin.column, steps, .put(key: name, .null))
            case (nil, _): setMixed(origin.info, origin.key, origin.column, .null)
            }
        }
    }
}
