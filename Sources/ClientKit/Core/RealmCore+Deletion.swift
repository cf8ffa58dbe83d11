import Model
import Store

extension RealmCore {
    /// Removes every link to the object, then the object (C-120).
    package func delete(_ info: ClassInfo, _ key: ObjectKey) {
        let transaction = openTransaction("delete an object of class '\(info.name)'")
        let key = settled(info, key)
        if info.schema.kind == .embedded { return deleteEmbedded(info, key) }
        for origin in incomingLinks(info, key) {
            // Never seen by the app here, but a link all the same.
            if origin.column.property.type == .mixed {
                removeMixedLinks(origin, to: .object(info.table.id, key))
                continue
            }
            switch origin.column.property.collection {
            case .dictionary:
                // The keys stay.
                for name in mapKeys(origin.info, origin.key, origin.column)
                where mapElement(origin.info, origin.key, origin.column, forKey: name) == .link(key) {
                    mapSet(origin.info, origin.key, origin.column, forKey: name, .null)
                }
            case .set: setErase(origin.info, origin.key, origin.column, .link(key))
            case .list:
                for index in listCells(origin.info, origin.key, origin.column).indices.reversed()
                where listLinkKey(origin.info, origin.key, origin.column, at: index) == key {
                    listErase(origin.info, origin.key, origin.column, at: index)
                }
            case .single: setLink(origin.info, origin.key, origin.column, nil)
            }
        }
        forgetParts(info, key)
        transaction.recorder.erase(info, key)
        if transaction.recorder.hasFullPart { sendFullPart(transaction) }
    }

    /// Every object of the class, in storage order (C-122).
    package func deleteAll(_ info: ClassInfo) {
        // Embedded objects go with what they are part of.
        if info.schema.kind == .embedded { return }
        for key in tableKeys(info) { delete(info, key) }
    }

    /// Properties that hold a link to the object now, each once.
    private func incomingLinks(_ info: ClassInfo, _ key: ObjectKey) -> [ChangeRecorder.LinkOrigin] {
        guard isLinkTarget(info) else { return [] }
        var origins: Set<ChangeRecorder.LinkOrigin> = []
        for link in info.reader.incomingLinks(to: key) {
            guard let origin = storedInfo(link.table),
                let column = origin.table.columns.first(where: { $0.id == link.column })
            else { continue }
            origins.insert(.init(info: origin, column: column, key: link.object))
        }
        if let recorder = transaction?.recorder {
            origins.formUnion(recorder.newLinks[.init(table: info.table.id, key: key)] ?? [])
        }
        // In the order in which the agent would find them: the bytes don't depend on hashing.
        return origins.filter { holds($0, info, key) }.sorted {
            ($0.info.table.id.raw, $0.column.id.raw, $0.key.raw) < ($1.info.table.id.raw, $1.column.id.raw, $1.key.raw)
        }
    }

    /// Whether the property still links to the object in the open transaction.
    private func holds(
        _ origin: ChangeRecorder.LinkOrigin, _ target: ClassInfo, _ key: ObjectKey
    ) -> Bool {
        guard contains(origin.info, origin.key) else { return false }
        if origin.column.property.type == .mixed {
            let tree = mixedNode(origin.info, origin.key, origin.column)?.element
            return tree?.places(of: .object(target.table.id, key)).isEmpty == false
        }
        if origin.column.property.collection != .single {
            return listCells(origin.info, origin.key, origin.column).contains(.link(key))
        }
        return linkKey(origin.info, origin.key, origin.column) == key
    }

    /// Whether any class of the file has links to this one: if not, deleting needs no search for them.
    private func isLinkTarget(_ info: ClassInfo) -> Bool {
        snapshot.schema.tables.contains { table in
            table.columns.contains { $0.property.target == info.name || $0.property.type == .mixed }
        }
    }

    /// Objects of `origin` whose property links to the object, once per link.
    package func backlinks(to info: ClassInfo, _ key: ObjectKey, from origin: ClassInfo, _ column: StoredColumn)
        -> [ObjectKey]
    {
        let key = settled(info, key)
        let isNew = transaction?.recorder.overlay(info)?.row(of: key).map { row in
            transaction?.recorder.overlay(info)?.rows[row].isNew == true
        }
        let stored = isNew == true ? [] : info.reader.backlinks(to: key, from: origin.table.id, column.id)
        guard let recorder = transaction?.recorder, let overlay = recorder.overlay(origin) else { return stored }
        // Objects that this transaction touched are asked what they hold now; the others are as in the file.
        var origins = Set(stored)
        for link in recorder.newLinks[.init(table: info.table.id, key: key)] ?? []
        where link.info == origin && link.column == column {
            origins.insert(link.key)
        }
        return origins.sorted().flatMap { origin -> [ObjectKey] in
            guard overlay.row(of: origin) != nil else { return stored.filter { $0 == origin } }
            guard contains(overlay.info, origin) else { return [] }
            if column.property.collection != .single {
                return listCells(overlay.info, origin, column).filter { $0 == .link(key) }.map { _ in origin }
            }
            return linkKey(overlay.info, origin, column) == key ? [origin] : []
        }
    }
}
