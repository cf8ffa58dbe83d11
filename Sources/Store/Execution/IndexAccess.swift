import Foundation
import Model
import Query

/// Narrows a query down: by the primary key, by ordered indexes, and by the links that lead back from objects found so.
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
    /// More candidates than this aren't worth it.
    private let limit: Int
    /// An index that finds more than this share of the table is slower than a scan.
    private static let worthwhileShare = 16
    private static let alwaysWorthwhile = 64

    init(_ table: Table) {
        self.table = table
        limit = max(IndexAccess.alwaysWorthwhile, table.count / IndexAccess.worthwhileShare)
    }

    /// Candidates for a condition; nil when no index helps.
    func candidates(_ condition: Condition) -> Candidates? {
        switch condition {
        case .comparison: return fewest([condition])
        case .and(let parts): return fewest(parts)
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

    /// The fewest candidates for conditions that must all hold. Comparisons of the same property become one range.
    private func fewest(_ parts: [Condition]) -> Candidates? {
        var best: Candidates?
        func consider(_ found: Candidates?) {
            if let found, found.keys.count < best?.keys.count ?? .max { best = found }
        }
        var ranges: [IndexRange] = []
        var open = parts[...]
        while let part = open.popFirst() {
            if case .and(let inner) = part {
                open += inner
                continue
            }
            guard case .comparison(let comparison) = part else {
                consider(candidates(part))
                continue
            }
            let turned = comparison.facingRight
            let found = self.ranges(turned)
            if found.isEmpty { consider(candidates(turned)) }
            for range in found {
                if let place = ranges.firstIndex(where: { $0.column == range.column }) {
                    ranges[place].formIntersection(range)
                } else {
                    ranges.append(range)
                }
            }
        }
        // Single values first: they leave little for the others to better.
        for range in ranges.filter(\.isPoint) + ranges.filter({ !$0.isPoint }) {
            let found = best?.keys.count ?? .max
            guard found > IndexAccess.alwaysWorthwhile else { break }
            let keys = scan(range, limit: min(limit, found))
            consider(keys.map { Candidates(keys: $0.sorted(), explanation: "index \(range.column.property.name)") })
        }
        return best
    }

    // MARK: Ordered indexes

    /// Ranges that must all hold an object that satisfies a comparison.
    private func ranges(_ comparison: Comparison) -> [IndexRange] {
        guard comparison.options.isEmpty, let column = ownColumn(comparison.left), column != table.stored.primaryKey
        else { return [] }
        func range(_ op: Comparison.Operator, _ value: Value) -> [IndexRange] {
            IndexRange(column, of: table.stored.id, op, value).map { [$0] } ?? []
        }
        switch (comparison.op, comparison.right) {
        case (.between, .list(let bounds, _)) where bounds.count == 2:
            return range(.greaterOrEqual, bounds[0]) + range(.lessOrEqual, bounds[1])
        case (let op, .constant(let value)): return range(op, value)
        default: return []
        }
    }

    /// A property with one value, without quantifier.
    private func ownColumn(_ operand: Operand) -> StoredColumn? {
        guard case .path(let path, nil) = operand, path.steps.count == 1, case .name(let name) = path.steps[0] else {
            return nil
        }
        return table.stored.column(named: name)
    }

    /// Nil when there are too many, or the index can't be read.
    private func scan(_ range: IndexRange, limit: Int) -> [ObjectKey]? {
        let found = try? table.transaction.withCursor(table.transaction.environment.databases.index) {
            cursor -> [ObjectKey]? in
            var keys: [ObjectKey] = []
            var isThere = cursor.seek(range.start)
            while isThere, range.contains(cursor) {
                guard keys.count < limit else { return nil }
                keys.append(IndexCoding.object(of: cursor.key))
                isThere = cursor.next()
            }
            return keys
        }
        return found ?? nil
    }

    // MARK: Single comparisons

    private func candidates(_ comparison: Comparison) -> Candidates? {
        guard case .path(let path, let quantifier) = comparison.left, quantifier == nil || quantifier == .any,
            case .name(let name)? = path.steps.first, let column = table.stored.column(named: name)
        else { return nil }
        if column.property.type == .link { return linkCandidates(path, column, comparison) }
        guard comparison.options.isEmpty, path.steps.count == 1, column.property.collection == .single,
            let values = sought(comparison)
        else { return nil }
        if column == table.stored.primaryKey {
            let keys = values.compactMap(\.primaryKey)
            guard keys.count == values.count, keys.allSatisfy({ fits($0, column) }) else { return nil }
            return Candidates(
                keys: Set(keys.compactMap { table.find($0) }).sorted(), explanation: "primary key \(name)")
        }
        var found: Set<ObjectKey> = []
        for value in values {
            guard let range = IndexRange(column, of: table.stored.id, .equal, value),
                let keys = scan(range, limit: limit - found.count)
            else { return nil }
            found.formUnion(keys)
        }
        return Candidates(keys: found.sorted(), explanation: "index \(name)")
    }

    /// Values of which a single value must equal one; nil if the comparison isn't such.
    private func sought(_ comparison: Comparison) -> [Value]? {
        guard comparison.op == .equal || comparison.op == .isIn else { return nil }
        switch comparison.right {
        case .constant(let value): return [value]
        case .list(let values, let quantifier) where quantifier == nil || quantifier == .any: return values
        default: return nil
        }
    }

    private func fits(_ key: PrimaryKey, _ column: StoredColumn) -> Bool {
        switch (key, column.property.type) {
        case (.null, _), (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid): true
        default: false
        }
    }

    // MARK: Links

    /// Objects that link to what is found in the target class.
    private func linkCandidates(_ path: PropertyPath, _ column: StoredColumn, _ comparison: Comparison) -> Candidates? {
        guard let target = table.targetTable(column), target.stored.kind == .topLevel, !comparesNull(comparison),
            comparesAny(comparison, path)
        else { return nil }
        let rest = Array(path.steps.dropFirst())
        let found: Candidates
        if rest.isEmpty {
            guard let values = sought(comparison) else { return nil }
            var keys: [ObjectKey] = []
            for value in values {
                guard case .link(let link) = value else { return nil }
                if link.className == target.stored.name, let key = target.find(link.key) { keys.append(key) }
            }
            found = Candidates(keys: keys, explanation: "links")
        } else {
            guard case .name = rest[0], case .path(_, let quantifier) = comparison.left else { return nil }
            var inner = comparison
            inner.left = .path(PropertyPath(rest), quantifier: quantifier)
            guard let inside = IndexAccess(target).candidates(.comparison(inner)) else { return nil }
            found = Candidates(keys: inside.keys, explanation: "\(inside.explanation) of \(target.stored.name), links")
        }
        var keys: Set<ObjectKey> = []
        for key in found.keys {
            guard let linking = target.linkers(to: key, from: table.stored.id, column.id, atMost: limit) else {
                return nil
            }
            keys.formUnion(linking)
            guard keys.count <= limit else { return nil }
        }
        return Candidates(keys: keys.sorted(), explanation: "\(found.explanation) from \(column.property.name)")
    }

    /// An object without the link may satisfy it.
    private func comparesNull(_ comparison: Comparison) -> Bool {
        switch comparison.right {
        case .constant(let value): value == .null
        case .list(let values, _): values.contains(.null)
        default: true
        }
    }

    /// Whether one value that satisfies it is enough and necessary. Several beside a list without quantifier are compared
    /// in order.
    private func comparesAny(_ comparison: Comparison, _ path: PropertyPath) -> Bool {
        guard case .path(_, let quantifier) = comparison.left else { return false }
        switch (comparison.op, comparison.right) {
        case (.notEqual, _): return false
        case (_, .constant): return true
        // Each bound may be met by another value, unless one must meet both.
        case (.between, _): return !isMulti(path) || comparison.options.contains(.sameElement)
        case (_, .list(_, .any)): return true
        case (_, .list(_, nil)): return quantifier == .any || !isMulti(path)
        default: return false
        }
    }

    private func isMulti(_ path: PropertyPath) -> Bool {
        var stored = table.stored
        for step in path.steps {
            guard case .name(let name) = step, let column = stored.column(named: name),
                column.property.collection == .single
            else { return true }
            guard let next = column.property.target.flatMap({ table.snapshot.schema.table(named: $0) }) else { break }
            stored = next
        }
        return false
    }
}
