import Foundation
import Model
import Query

/// Narrows a query down by the primary key or by an ordered index.
///
/// What it finds are candidates: the whole condition is evaluated on them as on any row, so that an index never
/// changes a result.
struct IndexAccess {
    struct Candidates {
        /// Ascending.
        var keys: [ObjectKey]
        var explanation: String
    }

    private let table: Table
    /// An index that finds more than this share of the table is slower than a scan.
    private static let worthwhileShare = 16
    private static let alwaysWorthwhile = 64

    init(_ table: Table) {
        self.table = table
    }

    /// Candidates for a condition; nil when no index helps.
    func candidates(_ condition: Condition) -> Candidates? {
        switch condition {
        case .comparison(let comparison): return candidates(comparison.facingRight)
        case .and(let parts):
            return parts.compactMap { candidates($0) }.min { $0.keys.count < $1.keys.count }
        case .or(let parts):
            // Only if every part is narrowed.
            var keys: Set<ObjectKey> = []
            var explanations: [String] = []
            for part in parts {
                guard let found = candidates(part) else { return nil }
                keys.formUnion(found.keys)
                explanations.append(found.explanation)
            }
            return parts.isEmpty || keys.count > limit
                ? nil : Candidates(keys: keys.sorted(), explanation: explanations.joined(separator: " or "))
        case .constant, .not: return nil
        }
    }

    private var limit: Int { max(IndexAccess.alwaysWorthwhile, table.count / IndexAccess.worthwhileShare) }

    private func candidates(_ comparison: Comparison) -> Candidates? {
        guard comparison.options.isEmpty, case .path(let path, nil) = comparison.left, path.steps.count == 1,
            case .name(let name) = path.steps[0], let column = table.stored.column(named: name)
        else { return nil }
        let values: [Value]
        switch (comparison.op, comparison.right) {
        case (.equal, .constant(let value)): values = [value]
        case (.equal, .list(let list, nil)), (.isIn, .list(let list, nil)), (.isIn, .list(let list, .any)):
            values = list
        default: return range(comparison, column)
        }
        if column == table.stored.primaryKey {
            let keys = values.compactMap { IndexAccess.primaryKey($0, column) }
            guard keys.count == values.count else { return nil }
            return Candidates(
                keys: Set(keys.compactMap { table.find($0) }).sorted(), explanation: "primary key \(name)")
        }
        guard column.property.isIndexed, IndexCoding.supports(column.property) else { return nil }
        var found: Set<ObjectKey> = []
        for value in values {
            var prefix = RecordKey.index(table.stored.id, column.id)
            guard IndexAccess.fits(value, column), IndexCoding.append(value, to: &prefix),
                let keys = scan(from: prefix, while: { $0.hasPrefix(prefix) })
            else { return nil }
            found.formUnion(keys)
        }
        return Candidates(keys: found.sorted(), explanation: "index \(name)")
    }

    /// `<`, `<=`, `>`, `>=` on an ordered index.
    private func range(_ comparison: Comparison, _ column: StoredColumn) -> Candidates? {
        guard column.property.isIndexed, IndexCoding.supports(column.property),
            case .constant(let value) = comparison.right, value != .null, IndexAccess.fits(value, column),
            column.property.type != .string
        else { return nil }
        let all = RecordKey.index(table.stored.id, column.id)
        var bound = all
        guard IndexCoding.append(value, to: &bound) else { return nil }
        let keys: [ObjectKey]?
        switch comparison.op {
        case .greater, .greaterOrEqual: keys = scan(from: bound) { $0.hasPrefix(all) }
        case .less, .lessOrEqual:
            // From the first value that isn't null up to the bound, which is a candidate itself.
            var first = all
            first.append(UInt8(1))
            keys = scan(from: first) { cursor in
                cursor.hasPrefix(all) && (cursor.hasPrefix(bound) || cursor.isBefore(bound))
            }
        default: return nil
        }
        return keys.map { Candidates(keys: $0.sorted(), explanation: "index \(column.property.name) range") }
    }

    /// Nil when there are too many, or the index can't be read.
    private func scan(from start: RecordKey, while isInside: (ReadCursor) -> Bool) -> [ObjectKey]? {
        let found = try? table.transaction.withCursor(table.transaction.environment.databases.index) {
            cursor -> [ObjectKey]? in
            var keys: [ObjectKey] = []
            var isThere = cursor.seek(start)
            while isThere, isInside(cursor) {
                guard keys.count < limit else { return nil }
                keys.append(IndexCoding.object(of: cursor.key))
                isThere = cursor.next()
            }
            return keys
        }
        return found ?? nil
    }

    private static func primaryKey(_ value: Value, _ column: StoredColumn) -> PrimaryKey? {
        switch (value, column.property.type) {
        case (.null, _): .null
        case (.int(let value), .int): .int(value)
        case (.string(let value), .string): .string(value)
        case (.objectId(let value), .objectId): .objectId(value)
        case (.uuid(let value), .uuid): .uuid(value)
        default: nil
        }
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

extension ReadCursor {
    func isBefore(_ other: RecordKey) -> Bool {
        other.withUnsafeBytes { key.order($0) == .less }
    }
}
