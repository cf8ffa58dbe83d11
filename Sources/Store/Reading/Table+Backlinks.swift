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
            for _ in 0..<link.count { objects.append(link.object) }
        }
        return objects
    }

    /// All links to `target`, by table, column and object.
    package func incomingLinks(to target: ObjectKey) -> [IncomingLink] {
        var links: [IncomingLink] = []
        eachBacklink(.backlinks(to: stored.id, target)) { links.append($0) }
        return links
    }

    /// The slot that an embedded object belongs to: class, property and object.
    package func parent(of object: ObjectKey) -> IncomingLink? {
        stored.kind == .embedded ? incomingLinks(to: object).first : nil
    }

    private func eachBacklink(_ prefix: RecordKey, _ body: (IncomingLink) -> Void) {
        let failure: Void? = try? transaction.withCursor(transaction.environment.databases.backlinks) { cursor in
            var isThere = cursor.seek(prefix)
            while isThere, cursor.hasPrefix(prefix), let link = IncomingLink(cursor.key, cursor.value) {
                body(link)
                isThere = cursor.next()
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
