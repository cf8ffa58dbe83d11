import Foundation
import Model

extension WriteTransaction {
    /// C-135.
    /// - Returns: the row, if the object is new under a new object key.
    @discardableResult
    func createObject(_ target: UInt32, _ key: RawKey) throws -> (cluster: ClusterBuffer, row: Int)? {
        let memo = try classMemo(target)
        let writer = memo.writer
        let encoded = try encode(key, writer, scratch)
        let object: Int64
        var place: (cluster: ClusterBuffer, row: Int)?
        if let known = try writer.find(encoded) {
            object = known.object.raw
            if known.isTombstone {
                try checkCreation(memo)
                try revive(writer, key, encoded, object)
            } else if mustCreate || writer.stored.kind == .asymmetric && !file.options.keepsAsymmetricObjects {
                // What is only inserted can't be there already (F-66).
                throw exists(writer.stored.name, key)
            }
        } else {
            try checkCreation(memo)
            object = writer.record.nextKey
            writer.record.nextKey += 1
            writer.record.count += 1
            writer.recordIsDirty = true
            try writer.set(encoded, object, .present)
            let (cluster, row) = try writer.appendRow(object)
            writer.noteCreated(object)
            try setKey(writer, cluster, row, key)
            place = (cluster, row)
        }
        stream.target = target
        stream.key = key
        stream.object = object
        return place
    }

    @inline(__always)
    private func checkCreation(_ memo: InstructionStream.ClassMemo) throws {
        guard let checkCreation, !memo.mayCreate else { return }
        try checkCreation(memo.writer.stored)
        memo.mayCreate = true
    }

    /// An object whose key was known comes (back): links to it become visible (C-13).
    private func revive(
        _ writer: TableWriter, _ key: RawKey, _ encoded: TableWriter.EncodedKey, _ object: Int64
    ) throws {
        try writer.set(encoded, object, .present)
        writer.record.tombstones -= min(1, writer.record.tombstones)
        writer.record.count += 1
        writer.recordIsDirty = true
        if let (cluster, row) = try writer.locateAny(object) {
            // Erased by this very transaction: the row is still there.
            cluster.restore(row)
            for plan in writer.plans where plan.collection == .single {
                if plan.isIndexed, row < cluster.firstUnindexedRow, writer.indexedBefore[plan.slot]?[object] == nil {
                    writer.indexedBefore[plan.slot, default: [:]][object] = .some(nil)
                }
                guard let column = try writer.column(cluster, plan) else { continue }
                column.pad(to: row + 1, nullable: plan.isNullable)
                let single = ColumnBuffer(ChunkBuilder(column.builder.kind))
                single.pad(to: 1, nullable: plan.isNullable)
                column.builder.replace(row, with: single.builder)
                column.isDirty = true
            }
            try setKey(writer, cluster, row, key)
        } else {
            let (cluster, row) = try writer.insertRow(object)
            try setKey(writer, cluster, row, key)
        }
        writer.changes.insert(ObjectKey(object))
    }

    /// Writes the primary key into its column, or a global key into the hidden ones.
    @inline(__always)
    private func setKey(_ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ key: RawKey) throws {
        if case .global(let high, let low) = key {
            let column = try writer.hiddenColumn(cluster, writer.plans.count)
            column.pad(to: row + 1, nullable: false)
            column.builder.set(row, int: Int64(bitPattern: low))
            column.isDirty = true
            if high == 0 {
                guard low <= TableRecord.greatestGlobalKey else {
                    throw bad("C-135", "class '\(writer.stored.name)' has no key left after 0-\(low)")
                }
                writer.record.nextGlobalKey = max(writer.record.nextGlobalKey, low + 1)
            } else {
                let column = try writer.hiddenColumn(cluster, writer.plans.count + 1)
                column.pad(to: row + 1, nullable: false)
                column.builder.set(row, int: Int64(bitPattern: high))
                column.isDirty = true
            }
            return
        }
        guard let primaryKey = writer.stored.primaryKey else { return }
        let plan = writer.plans[primaryKey.slot]
        let payload: RawPayload =
            switch key {
            case .int(let value): .int(value)
            case .string(let index): .string(stream.strings.bytes(index))
            case .objectId(let value): .objectId(value)
            case .uuid(let value): .uuid(value)
            case .null, .global: .null
            }
        try setScalar(writer, cluster, row, plan, payload)
    }

    /// C-136.
    func eraseObject(_ target: UInt32, _ key: RawKey) throws {
        let writer = try classMemo(target).writer
        let encoded = try encode(key, writer, scratch)
        stream.forgetObject()
        guard let known = try writer.find(encoded), !known.isTombstone else { return }
        let object = known.object.raw
        guard let (cluster, row) = try writer.locate(object) else {
            throw writer.damaged("object \(object) has a key but no row")
        }
        try eraseRow(writer, cluster, row)
        if try hasIncomingLinks(writer, object) {
            writer.record.tombstones += 1
            try writer.set(encoded, object, .tombstone)
        } else {
            try writer.set(encoded, object, .absent)
        }
    }

    /// Drops what is kept elsewhere about a value that goes: index entry, link, long bytes.
    func forgetValue(_ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan) throws {
        if plan.isIndexed { try writer.noteIndexed(cluster, row, plan) }
        switch plan.kind {
        case .mixed:
            try withCell(writer, cluster, row, plan) { try release($0, writer, plan, cluster.keys[row]) }
            guard let column = try writer.column(cluster, plan), row < column.builder.count,
                column.builder.isExternal(row)
            else { return }
            try store.delete(
                store.databases.blobs, .blobs(writer.stored.id, plan.id, ObjectKey(cluster.keys[row])))
        case .link:
            guard let column = try writer.column(cluster, plan), row < column.builder.count else { return }
            try releaseLink(writer, plan, cluster.keys[row], column.builder.int(row))
        case .string, .binary:
            guard let column = try writer.column(cluster, plan), row < column.builder.count,
                column.builder.isExternal(row)
            else { return }
            try store.delete(
                store.databases.blobs, .blobs(writer.stored.id, plan.id, ObjectKey(cluster.keys[row])))
        default: break
        }
    }

    private func hasIncomingLinks(_ writer: TableWriter, _ object: Int64) throws -> Bool {
        guard writer.isLinkTarget else { return false }
        try backlinks.flush(store)
        let prefix = RecordKey.backlinks(to: writer.stored.id, ObjectKey(object))
        let cursor = try store.cursor(store.databases.backlinks)
        return try cursor.seek(prefix) && cursor.hasPrefix(prefix)
    }

    // MARK: Links

    func noteLink(_ writer: TableWriter, _ plan: ColumnPlan, from origin: Int64, to target: Int64, _ delta: Int64) {
        guard let table = plan.target else { return }
        noteLink(to: table, target, from: writer, plan, origin, delta)
    }

    func noteLink(
        to table: TableId, _ target: Int64, from writer: TableWriter, _ plan: ColumnPlan, _ origin: Int64,
        _ delta: Int64
    ) {
        backlinks.add(
            .init(
                target: table, targetKey: target, origin: writer.stored.id, column: plan.id, originKey: origin), delta)
    }

    /// The object that a link leads to. It need not exist: then its key is noted as a tombstone (C-13).
    func resolveLink(_ target: UInt32, _ key: RawKey, _ plan: ColumnPlan) throws -> Int64 {
        if let known = try findLink(target, key, plan) { return known }
        return try resolveLink(classMemo(target).writer, key)
    }

    /// The object with a key, noted as a tombstone if there is none.
    func resolveLink(_ writer: TableWriter, _ key: RawKey) throws -> Int64 {
        let encoded = try encode(key, writer, linkScratch)
        if let known = try writer.find(encoded) { return known.object.raw }
        let object = writer.record.nextKey
        writer.record.nextKey += 1
        writer.record.tombstones += 1
        writer.recordIsDirty = true
        try writer.set(encoded, object, .tombstone)
        return object
    }
}

extension WriteTransaction {
    /// The object that a link leads to, tombstones included; nil if nothing is known of it.
    func findLink(_ target: UInt32, _ key: RawKey, _ plan: ColumnPlan) throws -> Int64? {
        let writer = try classMemo(target).writer
        guard writer.stored.id == plan.target else {
            throw bad("C-148", "property '\(plan.property.name)' can't link to class '\(writer.stored.name)'")
        }
        return try writer.find(encode(key, writer, linkScratch))?.object.raw
    }
}

extension TableWriter {
    @inline(__always)
    func noteCreated(_ key: Int64) {
        changes.insert(ObjectKey(key))
    }
}
