import Model

/// Classes whose objects become parts of others, or cease to be (MI-11, MI-12).
extension WriteTransaction {
    /// Makes the classes embedded or not, as `wanted` says. Their properties must be those of `wanted` already.
    func convertKinds(_ wanted: RealmSchema) throws {
        for wanted in wanted.classes {
            guard let table = schema.table(named: wanted.name), table.kind != wanted.kind else { continue }
            try dropWriters()
            if wanted.kind == .embedded {
                try giveToOwners(table)
            }
            try dropWriters()
            guard let table = schema[table.id] else { continue }
            schema = try SchemaEdit.changing(
                schema, table.id, kind: wanted.kind, primaryKey: wanted.primaryKey, table.numberedProperties)
            guard let changed = schema[table.id] else { continue }
            if wanted.kind == .embedded {
                try dropKeys(table)
            } else {
                try rebuildKeys(changed, hadGlobalKeys: false)
            }
            noteSchemaChange()
        }
    }

    /// Parts have no keys of their own.
    private func dropKeys(_ table: StoredTable) throws {
        var prefix = RecordKey()
        prefix.append(table.id.raw)
        try store.deleteAll(store.databases.keys, prefix: prefix)
        for base in try clusterBases(table) {
            for id in [ColumnId.globalKeyLow, .globalKeyHigh] {
                try store.delete(store.databases.objects, .objects(table.id, base: base, id))
            }
        }
        let writer = try TableWriter(table, schema, store)
        writer.record.tombstones = 0
        writer.recordIsDirty = true
        try writer.flush(version: nextVersion)
    }

    /// One property's links to an object.
    private struct Owner {
        var table: TableId
        var column: ColumnId
        var object: Int64
        /// A list may hold an object more than once.
        var count: Int
    }

    /// Sees to it that one place holds each object: erases those that none holds, and copies for all places but one.
    private func giveToOwners(_ table: StoredTable) throws {
        // Clusters are cut and joined while objects come and go.
        let objects = try clusterBases(table).flatMap { try writer(table).storedKeys($0) }
        for (position, object) in objects.enumerated() {
            var owners = try owners(table, object)
            if owners.isEmpty {
                try eraseOrphan(table, object)
            } else {
                // The first place keeps the object itself.
                owners[0].count -= 1
                for owner in owners where owner.count > 0 { try copy(table, object, for: owner) }
            }
            if position % FileFormat.clusterCapacity == 0 { try flush() }
        }
    }

    private func owners(_ table: StoredTable, _ object: Int64) throws -> [Owner] {
        try backlinks.flush(store)
        let prefix = RecordKey.backlinks(to: table.id, ObjectKey(object))
        let cursor = try store.cursor(store.databases.backlinks)
        var owners: [Owner] = []
        var isThere = try cursor.seek(prefix)
        while isThere, cursor.hasPrefix(prefix) {
            guard let link = IncomingLink(cursor.key, cursor.value) else {
                throw StoreError(.corrupt, "class \(table.name): a link back that can't be read", path: file.path)
            }
            owners.append(
                Owner(table: link.table, column: link.column, object: link.object.raw, count: link.count))
            isThere = try cursor.next()
        }
        for owner in owners {
            guard let origin = schema[owner.table], let column = origin.column(owner.column) else { continue }
            guard column.property.type == .link, column.property.collection != .set else {
                throw StoreError(
                    .schemaMismatch,
                    "Class '\(table.name)' can't become embedded: '\(origin.name).\(column.property.name)', which isn't "
                        + "a property, list or map of its objects, holds one.", path: file.path)
            }
        }
        return owners
    }

    private func eraseOrphan(_ table: StoredTable, _ object: Int64) throws {
        let writer = try writer(table)
        guard let (cluster, row) = try writer.locate(object) else { return }
        try eraseRow(writer, cluster, row)
    }

    // MARK: Copies

    /// Puts copies where `owner` holds the object, as often as it says.
    private func copy(_ table: StoredTable, _ object: Int64, for owner: Owner) throws {
        guard let origin = schema[owner.table], let column = origin.column(owner.column) else { return }
        let holder = try writer(origin)
        let plan = holder.plans[column.slot]
        for _ in 0..<owner.count {
            let copy = try copyRow(try writer(table), object)
            noteLink(holder, plan, from: owner.object, to: object, -1)
            noteLink(holder, plan, from: owner.object, to: copy, 1)
            if plan.collection == .single {
                guard let (cluster, row) = try holder.locate(owner.object),
                    let buffer = try holder.column(cluster, plan)
                else { throw holder.damaged("object \(owner.object) has no row") }
                buffer.builder.set(row, int: copy + 1)
                buffer.isDirty = true
            } else {
                let container = try container(holder, plan, owner.object)
                // The last one: the object itself stays at the first.
                guard
                    let index = try (0..<container.count).last(where: {
                        try container.values.link(at: $0) == object + 1
                    })
                else { throw holder.damaged("object \(owner.object) doesn't hold what it is said to") }
                try container.values.set(index, .link(copy + 1))
            }
            holder.noteModified(owner.object, plan.id)
        }
    }

    /// Adds a row with the values of another, parts included.
    private func copyRow(_ writer: TableWriter, _ object: Int64) throws -> Int64 {
        let copy = writer.record.nextKey
        writer.record.nextKey += 1
        writer.record.count += 1
        writer.recordIsDirty = true
        let (target, targetRow) = try writer.appendRow(copy)
        writer.noteCreated(copy)
        guard let (source, row) = try writer.locate(object) else {
            throw writer.damaged("object \(object) has no row")
        }
        for plan in writer.plans {
            if plan.collection != .single {
                try copyElements(writer, plan, from: object, to: copy)
                continue
            }
            guard let from = try writer.column(source, plan), let to = try writer.column(target, plan) else { continue }
            from.pad(to: row + 1, nullable: plan.isNullable)
            var single = from.builder.single(row)
            if plan.type == .mixed {
                try withCell(writer, source, row, plan) { try noteCopied($0, writer, plan, copy) }
            } else if plan.kind == .link {
                single = .link(try copyLink(from.builder.int(row), writer, plan, copy))
            }
            if from.builder.isExternal(row) { try copyBlob(writer, plan, from: object, to: copy) }
            to.pad(to: targetRow, nullable: plan.isNullable)
            if to.builder.count == targetRow {
                to.builder.insert(single, at: targetRow)
            } else {
                to.builder.replace(targetRow, with: single)
            }
            to.isDirty = true
        }
        return copy
    }

    private func copyElements(_ writer: TableWriter, _ plan: ColumnPlan, from object: Int64, to copy: Int64) throws {
        let source = try container(writer, plan, object)
        let target = try container(writer, plan, copy)
        for index in 0..<source.count {
            var single = try source.values.single(at: index)
            if plan.type == .mixed {
                try source.values.withScalar(at: index) { try noteCopied($0, writer, plan, copy) }
            } else if plan.kind == .link {
                single = .link(try copyLink(source.values.link(at: index), writer, plan, copy))
            }
            try target.values.insert(single, at: index)
            if let keys = source.keys { try target.keys?.insert(keys.single(at: index), at: index) }
        }
    }

    /// The link that a copy holds, as it is stored: to the same object, or to a copy of a part.
    private func copyLink(_ stored: Int64, _ writer: TableWriter, _ plan: ColumnPlan, _ copy: Int64) throws -> Int64 {
        guard stored != 0 else { return 0 }
        var target = stored - 1
        if plan.isEmbedded, let id = plan.target, let table = schema[id] {
            let part = try self.writer(table)
            try deeper(part) { target = try copyRow(part, target) }
        }
        noteLink(writer, plan, from: copy, to: target, 1)
        return target + 1
    }

    private func copyBlob(_ writer: TableWriter, _ plan: ColumnPlan, from object: Int64, to copy: Int64) throws {
        let blobs = store.databases.blobs
        guard let bytes = store.get(blobs, .blobs(writer.stored.id, plan.id, ObjectKey(object))) else {
            throw writer.damaged("a long value of object \(object) is missing")
        }
        // What LMDB shows is good until the next write.
        try store.put(blobs, .blobs(writer.stored.id, plan.id, ObjectKey(copy)), Array(bytes))
    }

    /// Notes what a mixed value that was copied links to.
    private func noteCopied(_ cell: UnsafeScalar, _ writer: TableWriter, _ plan: ColumnPlan, _ copy: Int64) throws {
        switch cell {
        case .link(let table, let target): noteLink(to: table, target.raw, from: writer, plan, copy, 1)
        case .list, .dictionary:
            throw StoreError(
                .schemaMismatch,
                "An object of class '\(writer.stored.name)' that several objects link to can't be copied for each: "
                    + "'\(plan.property.name)' holds a list or dictionary. Give each a copy in the migration block.",
                path: file.path)
        default: break
        }
    }
}
