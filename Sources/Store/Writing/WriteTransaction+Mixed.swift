import Model

extension WriteTransaction {
    // MARK: Reading cells

    /// What a Mixed property holds. Strings and binaries are valid inside `body` only.
    func withCell<R>(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan,
        _ body: (UnsafeScalar) throws -> R
    ) throws -> R {
        guard let column = try writer.column(cluster, plan), row < column.builder.count, !column.builder.isNull(row)
        else { return try body(.null) }
        guard column.builder.isExternal(row) else {
            return try column.builder.withBytes(row) { try body(MixedCoding.decode($0)) }
        }
        let object = ObjectKey(cluster.keys[row])
        guard let bytes = store.get(store.databases.blobs, .blobs(writer.stored.id, plan.id, object)) else {
            throw writer.damaged("a long value of object \(object.raw) is missing")
        }
        return try body(MixedCoding.decode(bytes))
    }

    /// The collection that a cell holds; nil for other content.
    func nested(_ cell: UnsafeScalar, _ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64, depth: Int) throws
        -> Container?
    {
        let (id, kind): (NestedId, CollectionKind)
        switch cell {
        case .list(let nested): (id, kind) = (nested, .list)
        case .dictionary(let nested): (id, kind) = (nested, .dictionary)
        default: return nil
        }
        return try container(writer, plan, object, kind, nested: id, depth: depth)
    }

    // MARK: Writing cells

    /// The cell that a payload makes, after noting the link that it is. `depth`: how many collections it would be inside
    /// of, itself included if it is one.
    func withCell<R>(
        of payload: RawPayload, _ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64, depth: Int,
        _ body: (UnsafeScalar) throws -> R
    ) throws -> R {
        switch payload {
        case .null: return try body(.null)
        case .int(let value): return try body(.int(value))
        case .bool(let value): return try body(.bool(value))
        case .string(let bytes):
            guard UTF8Check.isValid(bytes) else {
                throw bad("C-26", "a string for '\(plan.property.name)' isn't UTF-8")
            }
            return try body(.string(bytes))
        case .binary(let bytes): return try body(.binary(bytes))
        case .timestamp(let value):
            guard value.isValid else { throw bad("C-41", "\(value) isn't an instant") }
            return try body(.timestamp(value))
        case .float(let value): return try body(.float(value))
        case .double(let value): return try body(.double(value))
        case .decimal(let value): return try body(.decimal(value))
        case .objectId(let value): return try body(.objectId(value))
        case .uuid(let value): return try body(.uuid(value))
        case .link(let target, let key):
            let other = try classMemo(target).writer
            let linked = try resolveLink(other, key)
            noteLink(to: other.stored.id, linked, from: writer, plan, object, 1)
            return try body(.link(other.stored.id, ObjectKey(linked)))
        case .list: return try body(.list(nextNested(depth)))
        case .dictionary: return try body(.dictionary(nextNested(depth)))
        case .embeddedObject, .erased, .set: throw mismatch(plan, payload)
        }
    }

    private func nextNested(_ depth: Int) throws -> NestedId {
        guard depth <= ChangesetLimit.nestingDepth else {
            throw bad("C-14", "collections are nested deeper than \(ChangesetLimit.nestingDepth)")
        }
        let next: UInt64
        if let known = nextNestedId {
            next = known
        } else {
            next = store.get(store.databases.meta, .meta(MetaKey.nextNested))?.loadNumber() ?? 1
        }
        guard next < FileFormat.numberLimit else {
            throw StoreError(.corrupt, "collection \(next) can't be the next", path: file.path)
        }
        nextNestedId = next + 1
        return NestedId(next)
    }

    /// Cuts what a cell that goes holds on to.
    func release(_ cell: UnsafeScalar, _ writer: TableWriter, _ plan: ColumnPlan, _ object: Int64) throws {
        if case .link(let table, let key) = cell {
            noteLink(to: table, key.raw, from: writer, plan, object, -1)
        } else if let container = try nested(cell, writer, plan, object, depth: 0) {
            try deeper(writer) { try removeElements(container) }
        }
    }

    /// Whether a payload asks for the collection that a cell holds already (C-151).
    func keeps(_ cell: UnsafeScalar, _ payload: RawPayload) -> Bool {
        switch (cell, payload) {
        case (.list, .list), (.dictionary, .dictionary): true
        default: false
        }
    }

    /// Assigns to a Mixed property.
    func setMixed(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan, _ payload: RawPayload
    ) throws {
        guard let column = try writer.column(cluster, plan) else { throw mismatch(plan, payload) }
        let object = cluster.keys[row]
        let isKept = try withCell(writer, cluster, row, plan) { cell in
            guard !keeps(cell, payload) else { return true }
            try release(cell, writer, plan, object)
            return false
        }
        guard !isKept else { return }
        column.pad(to: row + 1, nullable: true)
        let blob = RecordKey.blobs(writer.stored.id, plan.id, ObjectKey(object))
        if column.builder.isExternal(row) { try store.delete(store.databases.blobs, blob) }
        var single = ChunkBuilder(.mixed)
        try withCell(of: payload, writer, plan, object, depth: 1) { MixedCoding.append($0, to: &single) }
        if single.dataSize > FileFormat.longestInlineValue {
            try single.withBytes(0) { try store.put(store.databases.blobs, blob, $0) }
            column.builder.setExternal(row)
        } else {
            column.builder.replace(row, with: single)
        }
        column.isDirty = true
    }

    /// C-150: empties the collection in a Mixed slot, or makes it an empty one.
    func clearMixed(_ place: Place, _ kind: CollectionKind) throws {
        guard kind == .list || kind == .dictionary else { throw bad("C-150", "a \(kind) can't be inside a Mixed") }
        if let container = try nestedContainer(at: place), container.kind == kind {
            try removeElements(container)
            return container.noteModified()
        }
        let payload: RawPayload = kind == .list ? .list : .dictionary
        switch place {
        case .property(let writer, let plan, let object): try update(writer, plan, object, payload)
        case .element(let container, let index): try setElement(container, index, payload)
        case .entry(let container, let key): try updateEntry(container, key, payload)
        }
    }

    /// The list or dictionary in a Mixed slot; nil if the slot holds none or isn't there.
    func nestedContainer(at place: Place) throws -> Container? {
        switch place {
        case .property(let writer, let plan, let object):
            guard let (cluster, row) = try writer.locate(object) else {
                throw writer.damaged("object \(object) has no row")
            }
            return try withCell(writer, cluster, row, plan) { try nested($0, writer, plan, object, depth: 1) }
        case .element(let container, let index):
            guard index < container.count else { return nil }
            return try nested(container, at: index)
        case .entry(let container, let key):
            let (index, isThere) = try find(key, in: container)
            return isThere ? try nested(container, at: index) : nil
        }
    }

    private func nested(_ container: Container, at index: Int) throws -> Container? {
        try container.values.withScalar(at: index) {
            try nested($0, container.writer, container.plan, container.object, depth: container.depth + 1)
        }
    }
}

extension Place {
    /// Whether it is a slot that takes any value.
    var isMixed: Bool {
        switch self {
        case .property(_, let plan, _): plan.type == .mixed && plan.collection == .single
        case .element(let container, _), .entry(let container, _): container.plan.type == .mixed
        }
    }
}
