import Model

/// Links from one property of one object to another object.
package struct IncomingLink: Hashable, Sendable {
    package var table: TableId
    package var column: ColumnId
    package var object: ObjectKey
    /// How often the property holds the target; more than one only for lists.
    package var count: Int
}

extension Table {
    /// The objects whose property links to `target`, in key order, each as often as it does.
    package func backlinks(to target: ObjectKey, from origin: TableId, _ column: ColumnId) -> [ObjectKey] {
        var prefix = RecordKey.backlinks(to: stored.id, target)
        prefix.append(origin.raw)
        prefix.append(column.raw)
        var objects: [ObjectKey] = []
        eachBacklink(prefix) { link in
            objects.append(contentsOf: repeatElement(link.object, count: plausible(link)))
            return true
        }
        return objects
    }

    /// The objects whose property links to `target`, in key order; nil if there are more than `limit`, without reading
    /// them all.
    func linkers(to target: ObjectKey, from origin: TableId, _ column: ColumnId, atMost limit: Int) -> [ObjectKey]? {
        var prefix = RecordKey.backlinks(to: stored.id, target)
        prefix.append(origin.raw)
        prefix.append(column.raw)
        var objects: [ObjectKey] = []
        eachBacklink(prefix) { link in
            objects.append(link.object)
            return objects.count <= limit
        }
        return objects.count <= limit ? objects : nil
    }

    /// Counts beyond this are compared with the list that they are about.
    private static let trustedCount = 1_000

    /// How often the property can hold the target: a damaged count must not ask for all memory.
    private func plausible(_ link: IncomingLink) -> Int {
        guard link.count > Table.trustedCount else { return link.count }
        guard snapshot.schema[link.table] != nil else { return 1 }
        let table = snapshot.table(link.table)
        guard let column = table.stored.column(link.column), column.property.collection != .single else { return 1 }
        let elements = ListView(table, column, CollectionAddress(link.table, link.column, link.object))
        return min(link.count, elements.count)
    }

    /// All links to `target`, by table, column and object.
    package func incomingLinks(to target: ObjectKey) -> [IncomingLink] {
        var links: [IncomingLink] = []
        eachBacklink(.backlinks(to: stored.id, target)) { link in
            links.append(link)
            return true
        }
        return links
    }

    /// The slot that an embedded object belongs to: class, property and object.
    package func parent(of object: ObjectKey) -> IncomingLink? {
        stored.kind == .embedded ? incomingLinks(to: object).first : nil
    }

    /// Until `body` says that it is enough.
    private func eachBacklink(_ prefix: RecordKey, _ body: (IncomingLink) -> Bool) {
        let failure: Void? = try? transaction.withCursor(transaction.environment.databases.backlinks) { cursor in
            var isThere = cursor.seek(prefix)
            while isThere, cursor.hasPrefix(prefix), let link = IncomingLink(cursor.key, cursor.value) {
                isThere = body(link) && cursor.next()
            }
        }
        if failure == nil { snapshot.note(fault: "links to objects of \(stored.name) can't be read") }
    }
}

extension IncomingLink {
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard key.count == 22, value.count >= 4 else { return nil }
        table = TableId(UInt16(bigEndian: key.loadUnaligned(fromByteOffset: 10, as: UInt16.self)))
        column = ColumnId(UInt16(bigEndian: key.loadUnaligned(fromByteOffset: 12, as: UInt16.self)))
        let raw = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 14, as: UInt64.self))
        object = ObjectKey(Int64(bitPattern: raw))
        count = Int(UInt32(littleEndian: value.loadUnaligned(as: UInt32.self)))
    }
}
