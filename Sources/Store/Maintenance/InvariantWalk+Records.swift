import Foundation
import Model

extension InvariantWalk {
    /// Calls `body` with each record whose key begins with `prefix`.
    func each(
        _ database: UInt32, _ prefix: RecordKey, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws {
        try transaction.withCursor(database) { cursor in
            // LMDB has no empty keys, not even to look for.
            var isThere = prefix.count == 0 ? cursor.first() : cursor.seek(prefix)
            while isThere, cursor.hasPrefix(prefix) {
                body(cursor.key, cursor.value)
                isThere = cursor.next()
            }
        }
    }

    func prefix(_ table: TableId) -> RecordKey {
        var key = RecordKey()
        key.append(table.raw)
        return key
    }

    private func recordKey(_ bytes: UnsafeRawBufferPointer) -> RecordKey {
        var key = RecordKey()
        key.append(bytes)
        return key
    }

    /// Every object is found by its key, and there are no other keys but tombstones.
    mutating func checkKeys(_ state: TableWalk) throws {
        let name = state.stored.name
        let table = snapshot.table(state.stored.id)
        for (key, objects) in state.keys {
            if objects.count > 1 { note("\(name): \(objects.count) objects have key \(key)") }
            let record = table.keyRecord(key)
            if record?.object != objects.first || record?.isTombstone == true {
                note("\(name): key \(key) doesn't lead to object \(objects[0].raw)")
            }
        }
        var present = 0
        var tombstones = 0
        var stray = 0
        var tooHigh = 0
        try each(databases.keys, prefix(state.stored.id)) { _, value in
            guard let record = KeyRecord(value) else {
                stray += 1
                return
            }
            if record.object.raw >= state.record.nextKey { tooHigh += 1 }
            if record.isTombstone { tombstones += 1 } else { present += 1 }
            if record.isTombstone == state.objects.contains(record.object) { stray += 1 }
        }
        if present != state.rows { note("\(name): \(present) keys for \(state.rows) objects") }
        if tombstones != Int(state.record.tombstones) {
            note("\(name): \(tombstones) tombstones where the counter says \(state.record.tombstones)")
        }
        if stray > 0 { note("\(name): \(stray) keys lead nowhere") }
        if tooHigh > 0 { note("\(name): \(tooHigh) keys of objects that aren't below the next key") }
    }

    /// Every embedded object is held by one slot, and there are no keys.
    mutating func checkParents(_ state: TableWalk) throws {
        let name = state.stored.name
        let table = snapshot.table(state.stored.id)
        var strays = 0
        try each(databases.keys, prefix(state.stored.id)) { _, _ in strays += 1 }
        if strays > 0 { note("\(name): \(strays) keys of embedded objects") }
        for object in state.objects {
            let count = table.incomingLinks(to: object).reduce(0) { $0 + $1.count }
            if count != 1 { note("\(name): embedded object \(object.raw) is held by \(count) slots") }
        }
        try each(databases.backlinks, prefix(state.stored.id)) { key, _ in
            guard key.count >= 10 else { return }
            let raw = Int64(bitPattern: UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 2, as: UInt64.self)))
            if !state.objects.contains(ObjectKey(raw)) { strays += 1 }
        }
        if strays > 0 { note("\(name): \(strays) slots hold embedded objects that don't exist") }
    }

    mutating func checkIndex(_ column: StoredColumn, _ state: TableWalk) throws {
        var expected = state.indexes[column.id] ?? []
        var stray = 0
        try each(databases.index, .index(state.stored.id, column.id)) { key, _ in
            if expected.remove(recordKey(key)) == nil { stray += 1 }
        }
        let place = "\(state.stored.name).\(column.property.name)"
        if !expected.isEmpty { note("\(place): the index lacks \(expected.count) entries") }
        if stray > 0 { note("\(place): the index has \(stray) entries of no object") }
    }

    /// Every link is noted at its target, and its target is known.
    mutating func checkLinks() throws {
        var expected = links
        var stray = 0
        try each(databases.backlinks, RecordKey()) { key, value in
            let count = value.count == 4 ? UInt32(littleEndian: value.loadUnaligned(as: UInt32.self)) : 0
            if expected.removeValue(forKey: recordKey(key)) != count { stray += 1 }
        }
        if let one = expected.first {
            note("\(expected.count) links aren't noted at their targets, one of them as \(one.key.hexadecimal)")
        }
        if stray > 0 { note("\(stray) links are noted at targets that they don't lead to") }
    }

    mutating func checkBlobs() throws {
        var expected = blobs
        var stray = 0
        try each(databases.blobs, RecordKey()) { key, _ in
            if expected.remove(recordKey(key)) == nil { stray += 1 }
        }
        if !expected.isEmpty { note("\(expected.count) long values are missing") }
        if stray > 0 { note("\(stray) long values belong to no property") }
    }

    /// No database has records of tables that don't exist.
    mutating func checkStrays() throws {
        let known = Set(snapshot.schema.tables.map(\.id))
        for (name, database) in [
            ("objects", databases.objects), ("keys", databases.keys), ("index", databases.index),
            ("lists", databases.lists), ("backlinks", databases.backlinks)
        ] {
            var stray = 0
            try each(database, RecordKey()) { key, _ in
                guard key.count >= 2 else {
                    stray += 1
                    return
                }
                if !known.contains(TableId(UInt16(bigEndian: key.loadUnaligned(as: UInt16.self)))) { stray += 1 }
            }
            if stray > 0 { note("'\(name)' has \(stray) records of tables that don't exist") }
        }
    }

    /// The summaries of the latest commits are all there and can be read.
    mutating func checkChanges() throws {
        var versions: [UInt64] = []
        var unreadable = 0
        try each(databases.changes, RecordKey()) { key, value in
            if key.count == 8 { versions.append(UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))) }
            if !ChangeRecord.isStub(value), (try? ChangeRecord.summary(of: value)) == nil { unreadable += 1 }
        }
        if unreadable > 0 { note("\(unreadable) change summaries can't be read") }
        // The summary of an open transaction is written when it is sealed.
        if transaction.ownsTransaction, let last = versions.last, last != snapshot.version {
            note("the last change summary is of version \(last), the realm is at \(snapshot.version)")
        }
        for (one, next) in zip(versions, versions.dropFirst()) where next != one &+ 1 {
            note("the change summaries from \(one) to \(next) are missing")
        }
    }
}

extension RecordKey {
    /// The bytes, for messages.
    fileprivate var hexadecimal: String {
        withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }
    }
}
