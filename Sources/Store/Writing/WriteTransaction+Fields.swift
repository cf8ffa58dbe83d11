import Foundation
import Model

extension WriteTransaction {
    /// C-137.
    @discardableResult
    func update(_ path: RawPath, _ payload: RawPayload) throws -> ColumnPlan {
        let (memo, key) = try object(path)
        let plan = try plan(memo, path.property)
        try update(memo.writer, plan, key, payload)
        return plan
    }

    /// Assigns to a property of an object.
    func update(_ writer: TableWriter, _ plan: ColumnPlan, _ key: Int64, _ payload: RawPayload) throws {
        guard plan.collection == .single else {
            throw bad("C-148", "'\(plan.property.name)' is a collection: only its elements can be assigned")
        }
        guard let (cluster, row) = try writer.locate(key) else {
            throw writer.damaged("object \(key) has a key but no row")
        }
        if plan.kind == .mixed {
            try setMixed(writer, cluster, row, plan, payload)
        } else if plan.isEmbedded {
            try setEmbedded(writer, cluster, row, plan, payload)
        } else if plan.kind == .link {
            try setLink(writer, cluster, row, plan, payload)
        } else {
            try setScalar(writer, cluster, row, plan, payload)
        }
        writer.noteModified(key, plan.id)
    }

    private func setLink(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan, _ payload: RawPayload
    ) throws {
        let stored: Int64
        switch payload {
        case .null: stored = 0
        case .link(let target, let key): stored = try resolveLink(target, key, plan) + 1
        default: throw mismatch(plan, payload)
        }
        guard let column = try writer.column(cluster, plan) else { throw mismatch(plan, payload) }
        column.pad(to: row + 1, nullable: true)
        let before = column.builder.int(row)
        guard before != stored else { return }
        let origin = cluster.keys[row]
        if before != 0 { noteLink(writer, plan, from: origin, to: before &- 1, -1) }
        if stored != 0 { noteLink(writer, plan, from: origin, to: stored &- 1, 1) }
        column.builder.set(row, int: stored)
        column.isDirty = true
    }

    /// Sets a value that isn't a link (C-148).
    @inline(__always)
    func setScalar(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan, _ payload: RawPayload
    ) throws {
        guard let column = try writer.column(cluster, plan) else { throw mismatch(plan, payload) }
        if plan.isIndexed { try writer.noteIndexed(cluster, row, plan) }
        column.isDirty = true
        if row > column.builder.count { column.pad(to: row, nullable: plan.isNullable) }
        guard row == column.builder.count else {
            return try replaceScalar(writer, cluster, row, plan, column, payload)
        }
        try append(payload, plan, column) { bytes in
            try self.putExternal(writer, cluster.keys[row], plan, bytes)
        }
    }

    /// Appends a value to a column. `external` puts long bytes elsewhere.
    @inline(__always)
    private func append(
        _ payload: RawPayload, _ plan: ColumnPlan, _ column: ColumnBuffer,
        external: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        switch (payload, plan.type) {
        case (.int(let value), .int): column.builder.append(int: value)
        case (.string(let bytes), .string):
            guard UTF8Check.isValid(bytes) else {
                throw bad("C-26", "a string for '\(plan.property.name)' isn't UTF-8")
            }
            if bytes.count <= FileFormat.longestInlineValue {
                column.builder.append(bytes: bytes)
            } else {
                try external(bytes)
                column.builder.appendExternal()
            }
        case (.binary(let bytes), .binary):
            if bytes.count <= FileFormat.longestInlineValue {
                column.builder.append(bytes: bytes)
            } else {
                try external(bytes)
                column.builder.appendExternal()
            }
        case (.bool(let value), .bool): column.builder.append(int: value ? 1 : 0)
        case (.double(let value), .double): column.builder.append(double: value)
        case (.float(let value), .float): column.builder.append(float: value)
        case (.timestamp(let value), .timestamp):
            guard value.isValid else { throw bad("C-41", "\(value) isn't an instant") }
            column.builder.append(timestamp: value)
        case (.objectId(let value), .objectId): column.builder.append(objectId: value)
        case (.uuid(let value), .uuid): column.builder.append(uuid: value)
        case (.decimal(let value), .decimal): column.builder.append(decimal: value)
        case (.null, _) where plan.isNullable: column.builder.appendNull()
        default: throw mismatch(plan, payload)
        }
    }

    private func replaceScalar(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan, _ column: ColumnBuffer,
        _ payload: RawPayload
    ) throws {
        column.pad(to: row + 1, nullable: plan.isNullable)
        if column.builder.isExternal(row) {
            try store.delete(
                store.databases.blobs, .blobs(writer.stored.id, plan.id, ObjectKey(cluster.keys[row])))
        }
        if case .int(let value) = payload, plan.type == .int {
            return column.builder.set(row, int: value)
        }
        column.builder.replace(
            row,
            with: try single(payload, plan) { bytes in
                try self.putExternal(writer, cluster.keys[row], plan, bytes)
            })
    }

    /// A column of one row that holds a value (C-148).
    func single(
        _ payload: RawPayload, _ plan: ColumnPlan, external: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> ChunkBuilder {
        let column = ColumnBuffer(ChunkBuilder(plan.kind))
        try append(payload, plan, column, external: external)
        return column.builder
    }

    private func putExternal(
        _ writer: TableWriter, _ object: Int64, _ plan: ColumnPlan, _ bytes: UnsafeRawBufferPointer
    ) throws {
        try store.put(store.databases.blobs, .blobs(writer.stored.id, plan.id, ObjectKey(object)), bytes)
    }

    /// C-140.
    func addInteger(_ path: RawPath, _ amount: Int64) throws {
        guard case .property(let writer, let plan, let key) = try place(path) else {
            throw bad("C-147", "only properties can be added to")
        }
        if plan.type == .mixed, plan.collection == .single { return try addToMixed(writer, plan, key, amount) }
        guard plan.type == .int, plan.collection == .single else {
            throw bad("C-140", "'\(plan.property.name)' isn't an integer")
        }
        guard let (cluster, row) = try writer.locate(key), let column = try writer.column(cluster, plan) else {
            throw writer.damaged("object \(key) has a key but no row")
        }
        column.pad(to: row + 1, nullable: plan.isNullable)
        guard !column.builder.isNull(row) else { return }
        if plan.isIndexed { try writer.noteIndexed(cluster, row, plan) }
        column.builder.set(row, int: column.builder.int(row) &+ amount)
        column.isDirty = true
        writer.noteModified(key, plan.id)
    }

    private func addToMixed(_ writer: TableWriter, _ plan: ColumnPlan, _ key: Int64, _ amount: Int64) throws {
        guard let (cluster, row) = try writer.locate(key) else {
            throw writer.damaged("object \(key) has a key but no row")
        }
        let cell = try withCell(writer, cluster, row, plan) { $0 }
        if case .null = cell { return }
        guard case .int(let value) = cell else { throw bad("C-140", "'\(plan.property.name)' holds no integer") }
        try update(writer, plan, key, .int(value &+ amount))
    }

    func mismatch(_ plan: ColumnPlan, _ payload: RawPayload) -> StoreError {
        bad("C-148", "property '\(plan.property.name)' can't hold \(payload)")
    }
}

/// Whether bytes are UTF-8.
enum UTF8Check {
    @inline(__always)
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        var seen: UInt64 = 0
        while at + 8 <= bytes.count {
            seen |= bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            at += 8
        }
        while at < bytes.count {
            seen |= UInt64(bytes[at])
            at += 1
        }
        return seen & 0x8080_8080_8080_8080 == 0 || String(validating: bytes, as: UTF8.self) != nil
    }
}
