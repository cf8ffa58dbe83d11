import Model
import Query

/// A stretch of an ordered index: from the record key `start` to the last one that begins with `end`.
struct IndexRange {
    let column: StoredColumn
    private(set) var start: RecordKey
    private(set) var end: RecordKey

    /// Where objects lie that satisfy a comparison of an indexed property with a constant; nil if the index doesn't tell.
    /// More may lie there: who finds them looks at the row.
    init?(_ column: StoredColumn, of table: TableId, _ op: Comparison.Operator, _ value: Value) {
        guard column.property.isIndexed, IndexCoding.supports(column.property), Self.fits(value, column) else {
            return nil
        }
        self.column = column
        let all = RecordKey.index(table, column.id)
        var bound = all
        guard IndexCoding.append(value, to: &bound) else { return nil }
        // Values that aren't null.
        var values = all
        values.append(UInt8(1))
        switch op {
        case .equal, .isIn: (start, end) = (bound, bound)
        case .lessOrEqual, .greaterOrEqual:
            // A null satisfies them beside a null only.
            guard value != .null else {
                (start, end) = (bound, bound)
                return
            }
            (start, end) = op == .lessOrEqual ? (values, bound) : (bound, values)
        case .less where value != .null: (start, end) = (values, bound)
        case .greater where value != .null: (start, end) = (bound, values)
        case .beginsWith:
            guard case .string(let text) = value, !text.isEmpty else { return nil }
            var prefix = values
            IndexCoding.append(prefix: text, to: &prefix)
            (start, end) = (prefix, prefix)
        default: return nil
        }
    }

    /// Whether it is where one value lies.
    var isPoint: Bool { start == end }

    mutating func formIntersection(_ other: IndexRange) {
        if start.isBefore(other.start) { start = other.start }
        // Of two ends of which one begins with the other, the longer one is further in.
        if other.end.hasPrefix(end) || (!end.hasPrefix(other.end) && other.end.isBefore(end)) { end = other.end }
    }

    /// Whether a cursor that began at `start` is still inside.
    func contains(_ cursor: ReadCursor) -> Bool {
        cursor.hasPrefix(end) || end.withUnsafeBytes { cursor.key.order($0) == .less }
    }

    /// Whether the index holds the value as a constant of this type would be encoded.
    private static func fits(_ value: Value, _ column: StoredColumn) -> Bool {
        switch (value, column.property.type) {
        case (.null, _), (.int, .int), (.bool, .bool), (.string, .string), (.timestamp, .timestamp),
            (.objectId, .objectId), (.uuid, .uuid), (.float, .float), (.double, .double):
            true
        default: false
        }
    }
}

extension RecordKey {
    fileprivate func isBefore(_ other: RecordKey) -> Bool {
        withUnsafeBytes { a in other.withUnsafeBytes { b in a.order(b) == .less } }
    }

    fileprivate func hasPrefix(_ other: RecordKey) -> Bool {
        withUnsafeBytes { a in other.withUnsafeBytes { b in a.starts(with: b) } }
    }
}
