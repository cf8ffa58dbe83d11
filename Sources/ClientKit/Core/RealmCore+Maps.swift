import Model
import Store

// Dictionary properties. Their values are elements, in the order of the keys' bytes, and are read like those of lists;
// what follows finds them by key.
extension RealmCore {
    /// The keys, in the order of their bytes.
    package func mapKeys(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [String] {
        if let keys = transaction?.recorder.mapKeys(info, key, column) { return keys }
        let dictionary = info.reader.dictionary(key, column)
        return (0..<dictionary.count).map { dictionary.key(at: $0) }
    }

    /// The value of a key; nil if the key isn't there. A link whose object doesn't exist is null.
    package func mapElement(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, forKey name: String
    ) -> ListElement? {
        if let keys = transaction?.recorder.mapKeys(info, key, column) {
            let (index, isThere) = keys.placeInByteOrder(of: name)
            return isThere ? listCells(info, key, column)[index] : nil
        }
        let dictionary = info.reader.dictionary(key, column)
        guard let index = dictionary.index(of: name) else { return nil }
        return dictionary.values.element(at: index, of: column)
    }

    package func mapSet(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, forKey name: String, _ element: ListElement
    ) {
        if let target = info.embedded(column), case .link(let old)? = mapElement(info, key, column, forKey: name) {
            forget(target, old)
        }
        if column.property.type == .mixed {
            return changeMixed(info, key, column, [], .put(key: name, element))
        }
        change(info, key, column, .set(key: name, element))
    }

    /// Removes a key and its value, if they are there.
    package func mapRemove(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, forKey name: String) {
        if let target = info.embedded(column), case .link(let old)? = mapElement(info, key, column, forKey: name) {
            forget(target, old)
        }
        if column.property.type == .mixed { return changeMixed(info, key, column, [], .remove(key: name)) }
        change(info, key, column, .remove(key: name))
    }

    package func mapClear(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) {
        if let target = info.embedded(column) {
            for part in parts(info, key, column) { forget(target, part) }
        }
        if column.property.type == .mixed { return changeMixed(info, key, column, [], .clear) }
        change(info, key, column, .clear)
    }

    private func change(
        _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ change: ChangeRecorder.MapChange
    ) {
        let transaction = openTransaction("change the map '\(info.name).\(column.property.name)'")
        if !key.isProvisional { settle() }
        var change = change
        if case .set(let name, .link(let target)) = change {
            if !target.isProvisional { settle() }
            change = .set(key: name, .link(transaction.recorder.settled(info.target(of: column), target)))
        }
        transaction.recorder.change(info, key, column, change) {
            let dictionary = info.reader.dictionary(key, column)
            return ((0..<dictionary.count).map { dictionary.key(at: $0) }, dictionary.values.elements(of: column))
        }
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }
}

extension [String] {
    /// Where a key is, or would have to be inserted, in keys that are in the order of their bytes.
    func placeInByteOrder(of key: String) -> (index: Int, isThere: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].utf8.lexicographicallyPrecedes(key.utf8) { low = middle + 1 } else { high = middle }
        }
        return (low, low < count && self[low].utf8.elementsEqual(key.utf8))
    }
}
