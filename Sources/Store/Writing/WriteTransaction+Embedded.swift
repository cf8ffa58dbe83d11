import Model

/// Objects of embedded classes: rows without primary key, each linked to by exactly one slot of its parent, whose
/// record in `backlinks` is what says who the parent is.
extension WriteTransaction {
    func embeddedMemo(_ plan: ColumnPlan) throws -> InstructionStream.ClassMemo {
        guard let id = plan.target, let table = schema[id] else { throw unsupported("'\(plan.property.name)'") }
        if let memo = stream.embedded[id] { return memo }
        let memo = InstructionStream.ClassMemo(try writer(table))
        stream.embedded[id] = memo
        return memo
    }

    /// Creates an object that belongs to a property of `parent`.
    func createEmbedded(_ parentWriter: TableWriter, _ plan: ColumnPlan, _ parent: Int64) throws -> Int64 {
        let writer = try embeddedMemo(plan).writer
        let object = writer.record.nextKey
        writer.record.nextKey += 1
        writer.record.count += 1
        writer.recordIsDirty = true
        _ = try writer.appendRow(object)
        writer.noteCreated(object)
        noteLink(parentWriter, plan, from: parent, to: object, 1)
        return object
    }

    /// Cuts a link that goes, as it is stored; an embedded object goes with it.
    func releaseLink(_ writer: TableWriter, _ plan: ColumnPlan, _ origin: Int64, _ stored: Int64) throws {
        guard stored != 0 else { return }
        noteLink(writer, plan, from: origin, to: stored &- 1, -1)
        if plan.isEmbedded { try eraseEmbedded(plan, stored &- 1) }
    }

    private func eraseEmbedded(_ plan: ColumnPlan, _ object: Int64) throws {
        let writer = try embeddedMemo(plan).writer
        guard let (cluster, row) = try writer.locate(object) else {
            throw writer.damaged("embedded object \(object) has no row")
        }
        try deeper(writer) { try eraseRow(writer, cluster, row) }
    }

    /// Runs what removes something that is inside of something else.
    func deeper(_ writer: TableWriter, _ body: () throws -> Void) throws {
        removalDepth += 1
        defer { removalDepth -= 1 }
        guard removalDepth <= FileFormat.deepestNesting else { throw writer.damaged("values that never end") }
        try body()
    }

    /// Removes an object's row with all that belongs to it.
    func eraseRow(_ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int) throws {
        let object = cluster.keys[row]
        for plan in writer.plans {
            if plan.collection == .single {
                try forgetValue(writer, cluster, row, plan)
            } else {
                try removeElements(container(writer, plan, object))
            }
        }
        cluster.remove(row)
        guard writer.record.count > 0 else { throw writer.damaged("more objects than the counter says") }
        writer.record.count -= 1
        writer.recordIsDirty = true
        writer.changes.delete(ObjectKey(object))
    }

    /// Assigns to a property that holds an embedded object (C-149).
    func setEmbedded(
        _ writer: TableWriter, _ cluster: ClusterBuffer, _ row: Int, _ plan: ColumnPlan, _ payload: RawPayload
    ) throws {
        guard let column = try writer.column(cluster, plan) else { throw mismatch(plan, payload) }
        column.pad(to: row + 1, nullable: true)
        let before = column.builder.int(row)
        switch payload {
        case .null:
            try releaseLink(writer, plan, cluster.keys[row], before)
            column.builder.set(row, int: 0)
        case .embeddedObject where before != 0: return
        case .embeddedObject:
            column.builder.set(row, int: try createEmbedded(writer, plan, cluster.keys[row]) + 1)
        default: throw mismatch(plan, payload)
        }
        column.isDirty = true
    }
}
