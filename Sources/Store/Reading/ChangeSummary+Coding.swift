extension ChangeSummary {
    /// Version of the coding; the first byte.
    private static let codingVersion: UInt8 = 1
    /// Bound on the keys of one summary, so that a damaged one can't ask for all memory.
    private static let keyLimit: Int64 = 1 << 28

    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(ChangeSummary.codingVersion)
        writer.append(UInt8(schemaChanged ? 1 : 0))
        let touched = tables.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        writer.append(varint: UInt64(touched.count))
        for (id, changes) in touched {
            writer.append(varint: UInt64(id.raw))
            writer.append(changes.insertions)
            writer.append(changes.deletions)
            let groups = Dictionary(grouping: changes.modifications.keys) { changes.modifications[$0] ?? ColumnSet() }
                .map { (columns: $0.key.columns.map(\.raw), keys: $0.value) }
                .sorted { $0.columns.lexicographicallyPrecedes($1.columns) }
            writer.append(varint: UInt64(groups.count))
            for group in groups {
                writer.append(varint: UInt64(group.columns.count))
                for column in group.columns { writer.append(varint: UInt64(column)) }
                writer.append(KeyRuns(group.keys.sorted()))
            }
        }
        return writer.bytes
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws {
        var reader = ByteReader(bytes)
        guard let summary = ChangeSummary(from: &reader), reader.isAtEnd else {
            throw StoreError(.corrupt, "a change summary can't be read")
        }
        self = summary
    }

    private init?(from reader: inout ByteReader) {
        guard reader.uint8() == ChangeSummary.codingVersion, let flags = reader.uint8(), let count = reader.varint()
        else { return nil }
        schemaChanged = flags & 1 != 0
        var keyLimit = ChangeSummary.keyLimit
        for _ in 0..<count {
            guard let id = reader.varint().flatMap({ UInt16(exactly: $0) }),
                let changes = TableChanges(from: &reader, &keyLimit)
            else { return nil }
            tables[TableId(id)] = changes
        }
    }
}

extension TableChanges {
    fileprivate init?(from reader: inout ByteReader, _ keyLimit: inout Int64) {
        self.init()
        guard let inserted = reader.keyRuns(&keyLimit), let deleted = reader.keyRuns(&keyLimit),
            let groups = reader.varint()
        else { return nil }
        for _ in 0..<groups {
            guard let count = reader.varint() else { return nil }
            var columns = ColumnSet()
            for _ in 0..<count {
                guard let column = reader.varint().flatMap({ UInt16(exactly: $0) }) else { return nil }
                columns.insert(ColumnId(column))
            }
            guard let runs = reader.keyRuns(&keyLimit) else { return nil }
            for key in runs.keys { modify(key, columns) }
        }
        for run in deleted.runs { insertDeletion(run) }
        for run in inserted.runs { insert(run) }
    }
}

extension ByteWriter {
    /// Number of runs, then for each the gap since the last one's end and the number of keys less one.
    fileprivate mutating func append(_ keys: KeyRuns) {
        append(varint: UInt64(keys.runs.count))
        var end: Int64 = 0
        for run in keys.runs {
            append(varint: UInt64(bitPattern: run.lowerBound &- end))
            append(varint: UInt64(bitPattern: run.upperBound &- run.lowerBound))
            end = run.upperBound
        }
    }
}

extension ByteReader {
    /// Takes the number of keys off `limit`.
    fileprivate mutating func keyRuns(_ limit: inout Int64) -> KeyRuns? {
        guard let count = varint() else { return nil }
        var keys = KeyRuns()
        var end: Int64 = 0
        for _ in 0..<count {
            guard let gap = varint().flatMap({ Int64(exactly: $0) }),
                let more = varint().flatMap({ Int64(exactly: $0) }), more < limit
            else { return nil }
            limit -= more + 1
            let (from, overflow) = end.addingReportingOverflow(gap)
            let (to, overflowing) = from.addingReportingOverflow(more)
            guard !overflow, !overflowing else { return nil }
            keys.insert(from...to)
            end = to
        }
        return keys
    }
}
