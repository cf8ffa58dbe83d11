import Model
import Store

extension ClassInfo {
    /// The class of the embedded objects that a property holds; nil for other properties.
    func embedded(_ column: StoredColumn) -> ClassInfo? {
        guard column.property.type == .link else { return nil }
        let target = target(of: column)
        return target.schema.kind == .embedded ? target : nil
    }
}

extension RealmCore {
    /// Makes an embedded object in a property, list or map. What was there goes.
    package func embed(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ slot: ObjectSlot) -> ObjectKey {
        let transaction = openTransaction("set '\(info.name).\(column.property.name)'")
        guard let target = info.embedded(column) else {
            preconditionFailure("\(info.name).\(column.property.name) holds no embedded objects")
        }
        // Embedded objects are numbered from what the file has.
        settle()
        let key = settled(info, key)
        let holder = ChangeRecorder.LinkOrigin(info: info, column: column, key: key)
        defer { sendFullPart(transaction) }
        switch slot {
        case .property:
            if linkKey(info, key, column) != nil { setLink(info, key, column, nil) }
            return transaction.recorder.createEmbedded(target, in: holder, slot)
        case .insert: return transaction.recorder.createEmbedded(target, in: holder, slot)
        case .replace(let index):
            listErase(info, key, column, at: index)
            return transaction.recorder.createEmbedded(target, in: holder, slot)
        case .entry(let name):
            if case .link(let old)? = mapElement(info, key, column, forKey: name) { forget(target, old) }
            return transaction.recorder.createEmbedded(target, in: holder, slot)
        }
    }

    /// Where an embedded object is to be.
    package enum ObjectSlot {
        /// The property itself.
        case property
        /// A new element of a list.
        case insert(at: Int)
        /// In the place of an element, which goes.
        case replace(at: Int)
        /// The value of a map's key.
        case entry(String)
    }

    /// Which element of its holder's list, or value of its map, an embedded object is.
    func position(of key: ObjectKey, in holder: ChangeRecorder.LinkOrigin) -> Int? {
        listCells(holder.info, holder.key, holder.column).firstIndex(of: .link(key))
    }

    /// Embedded objects that leave their slot are gone, with what they hold themselves.
    func forget(_ info: ClassInfo, _ key: ObjectKey) {
        guard contains(info, key), let recorder = transaction?.recorder else { return }
        forgetParts(info, key)
        recorder.forgetEmbedded(info, key)
    }

    /// What an object that goes holds goes with it.
    func forgetParts(_ info: ClassInfo, _ key: ObjectKey) {
        for (column, target) in info.embeddedColumns {
            for part in parts(info, key, column) { forget(target, part) }
        }
    }

    /// The embedded objects that a property holds.
    func parts(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> [ObjectKey] {
        if column.property.collection == .single { return linkKey(info, key, column).map { [$0] } ?? [] }
        return listCells(info, key, column).compactMap { if case .link(let part) = $0 { part } else { nil } }
    }

    /// Empties the slot that holds an embedded object (C-121).
    func deleteEmbedded(_ info: ClassInfo, _ key: ObjectKey) {
        guard let holder = transaction?.recorder.holder(of: info, key) else { return }
        switch holder.column.property.collection {
        case .single: setLink(holder.info, holder.key, holder.column, nil)
        case .list, .set:
            guard let index = position(of: key, in: holder) else { return }
            listErase(holder.info, holder.key, holder.column, at: index)
        case .dictionary:
            guard let index = position(of: key, in: holder) else { return }
            let name = mapKeys(holder.info, holder.key, holder.column)[index]
            mapSet(holder.info, holder.key, holder.column, forKey: name, .null)
        }
    }
}
