import Foundation
import Model
import Query

extension QueryCompiler {
    /// The column-wise form of a comparison; nil when there is none and rows are evaluated one by one.
    func kernelNode(_ comparison: RowComparison) -> (any ScanNode)? {
        guard case .path(let path, let quantifier) = comparison.left, !path.isMulti, comparison.right.isConstant,
            !comparison.left.isType
        else { return nil }
        // A link may have a quantifier, and has one value: NONE negates.
        if quantifier == Quantifier.none {
            guard comparison.op != .between else { return nil }
            return kernelNode(comparison.unquantified(path)).map { NotNode($0) }
        }
        let links = path.steps.compactMap { if case .link(let column) = $0 { column } else { nil } }
        guard links.count == path.steps.count else { return nil }
        var probes = links
        let column: StoredColumn
        switch path.end {
        case .object:
            guard let last = probes.popLast() else { return nil }
            column = last
        case .value(let value): column = value
        default: return nil
        }
        let tables = [path.start] + path.tables.prefix(probes.count)
        guard let node = columnNode(comparison, column) else { return nil }
        let nullMatches = RowComparison(
            left: .constant(.null), right: comparison.right, op: comparison.op, options: comparison.options,
            evaluator: evaluator
        ).holdsForConstants
        return zip(probes, tables.dropFirst()).reversed().reduce(node) { inner, probe in
            let (column, stored) = probe
            let target = snapshot.table(stored.id)
            var keys = KeySet(for: target)
            let wanted: any ScanNode = nullMatches ? NotNode(inner) : inner
            QueryScan(target, wanted).eachKey { keys.insert($0) }
            return LinkProbeNode(
                column, targets: keys, of: target.count, nullMatches: nullMatches, inner: inner)
        }
    }

    /// Compares a property of the table itself with constants.
    private func columnNode(_ comparison: RowComparison, _ column: StoredColumn) -> (any ScanNode)? {
        switch comparison.right {
        case .constant(let constant):
            return columnNode(comparison.op, comparison.options, column, constant)
        case .list(let values, let quantifier):
            guard quantifier == nil || quantifier == .any else { return nil }
            switch comparison.op {
            case .between:
                guard values.count == 2, let low = columnNode(.greaterOrEqual, [], column, values[0]),
                    let high = columnNode(.lessOrEqual, [], column, values[1])
                else { return nil }
                return AndNode([low, high])
            case .equal, .isIn:
                if let ranges = integers(values, column) {
                    return IntegerNode(
                        column, in: ranges, nullMatches: column.property.type != .link && values.contains { $0.isNull })
                }
                let parts = values.compactMap { columnNode(.equal, comparison.options, column, $0) }
                return parts.count == values.count && parts.count <= 16 ? OrNode(parts) : nil
            default: return nil
            }
        default: return nil
        }
    }

    /// Single-value ranges for an IN over integers, Booleans or links; nil when some value isn't one.
    private func integers(_ values: [UnsafeScalar], _ column: StoredColumn) -> [ClosedRange<Int64>]? {
        let type = column.property.type
        var found: Set<Int64> = []
        for value in values {
            switch (value, type) {
            case (.int(let value), .int): found.insert(value)
            case (.bool(let value), .bool): found.insert(value ? 1 : 0)
            case (.null, .int), (.null, .bool): break
            default: return nil
            }
        }
        return found.sorted().map { $0...$0 }
    }

    private func columnNode(
        _ op: Comparison.Operator, _ options: Comparison.Options, _ column: StoredColumn, _ constant: UnsafeScalar
    ) -> (any ScanNode)? {
        let type = column.property.type
        // Links may lead to objects that don't exist, collections equal nothing: rows are looked at one by one.
        guard type != .mixed else { return nil }
        if constant.isNull, type != .link {
            switch op {
            case .equal, .isIn, .lessOrEqual, .greaterOrEqual: return NullNode(column, matchesNull: true)
            case .notEqual: return NullNode(column, matchesNull: false)
            case .less, .greater: return ConstantNode(false)
            case .like where type == .string || type == .binary: return NullNode(column, matchesNull: true)
            case .beginsWith, .endsWith, .contains:
                return type == .string || type == .binary ? ConstantNode(true) : nil
            default: return nil
            }
        }
        switch (type, constant) {
        case (.int, .int(let value)): return integerNode(op, column, value)
        case (.int, .double(let value)): return integerNode(op, column, rounding: value)
        case (.int, .float(let value)): return integerNode(op, column, rounding: Double(value))
        case (.bool, .bool(let value)): return integerNode(op, column, value ? 1 : 0)
        case (.link, _): return linkNode(op, column, constant)
        case (.float, .float(let value)): return floatingNode(op, column, Double(value))
        case (.double, .float(let value)): return floatingNode(op, column, Double(value))
        case (.float, .double(let value)), (.double, .double(let value)): return floatingNode(op, column, value)
        case (.float, .int(let value)), (.double, .int(let value)):
            // Only integers that a double holds exactly can be compared as doubles.
            return Int64(exactly: Double(value)) == value && value.magnitude <= 1 << 53
                ? floatingNode(op, column, Double(value)) : nil
        case (.timestamp, .timestamp(let value)): return timestampNode(op, column, value)
        case (.string, .string(let bytes)), (.binary, .binary(let bytes)):
            switch op {
            case .equal, .notEqual, .beginsWith, .endsWith, .contains, .like, .isIn:
                return BytesNode(column, op == .isIn ? .equal : op, bytes, options: options, constants: constants)
            default: return nil
            }
        case (.objectId, .objectId(let value)):
            guard op == .equal || op == .notEqual || op == .isIn else { return nil }
            var bytes = [UInt8](repeating: 0, count: 12)
            bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { value.store(to: start) } }
            return FixedBytesNode(column, equals: bytes, negated: op == .notEqual)
        case (.uuid, .uuid(let value)):
            guard op == .equal || op == .notEqual || op == .isIn else { return nil }
            return FixedBytesNode(
                column, equals: withUnsafeBytes(of: value.uuid) { Array($0) }, negated: op == .notEqual)
        default: return nil
        }
    }

    private func integerNode(_ op: Comparison.Operator, _ column: StoredColumn, _ value: Int64) -> (any ScanNode)? {
        switch op {
        case .equal, .isIn: IntegerNode(column, in: [value...value], nullMatches: false)
        case .notEqual: IntegerNode(column, in: [value...value], negated: true, nullMatches: true)
        case .less: IntegerNode(column, in: value == .min ? [] : [.min...(value - 1)], nullMatches: false)
        case .lessOrEqual: IntegerNode(column, in: [.min...value], nullMatches: false)
        case .greater: IntegerNode(column, in: value == .max ? [] : [(value + 1)...(.max)], nullMatches: false)
        case .greaterOrEqual: IntegerNode(column, in: [value...(.max)], nullMatches: false)
        default: nil
        }
    }

    /// Compares integers with a fraction: the bound moves to the next integer.
    private func integerNode(
        _ op: Comparison.Operator, _ column: StoredColumn, rounding value: Double
    ) -> (any ScanNode)? {
        if let whole = Int64(exactly: value) { return integerNode(op, column, whole) }
        let none = IntegerNode(column, in: [], nullMatches: false)
        let all = IntegerNode(column, in: [.min...(.max)], nullMatches: false)
        switch op {
        case .equal, .isIn: return none
        case .notEqual: return IntegerNode(column, in: [], negated: true, nullMatches: true)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if value.isNaN { return none }
            let isUpper = op == .less || op == .lessOrEqual
            guard let floor = Int64(exactly: value.rounded(.down)) else { return (value > 0) == isUpper ? all : none }
            // The value lies between floor and floor + 1.
            if isUpper { return IntegerNode(column, in: [.min...floor], nullMatches: false) }
            return floor == .max ? none : IntegerNode(column, in: [(floor + 1)...(.max)], nullMatches: false)
        default: return nil
        }
    }

    private func floatingNode(_ op: Comparison.Operator, _ column: StoredColumn, _ value: Double) -> (any ScanNode)? {
        switch op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: FloatingNode(column, op, value)
        case .isIn: FloatingNode(column, .equal, value)
        default: nil
        }
    }

    private func timestampNode(
        _ op: Comparison.Operator, _ column: StoredColumn, _ value: Timestamp
    ) -> (any ScanNode)? {
        let first = Timestamp(seconds: .min, nanoseconds: .min)
        let last = Timestamp(seconds: .max, nanoseconds: .max)
        // Instants are discrete: what is less than one is at most the one before.
        func range(_ low: Timestamp, _ high: Timestamp, negated: Bool = false) -> any ScanNode {
            TimestampNode(column, from: low, through: high, negated: negated, nullMatches: negated)
        }
        switch op {
        case .equal, .isIn: return range(value, value)
        case .notEqual: return range(value, value, negated: true)
        case .lessOrEqual: return range(first, value)
        case .greaterOrEqual: return range(value, last)
        case .less:
            return value.nanoseconds == .min
                ? nil : range(first, Timestamp(seconds: value.seconds, nanoseconds: value.nanoseconds - 1))
        case .greater:
            return value.nanoseconds == .max
                ? nil : range(Timestamp(seconds: value.seconds, nanoseconds: value.nanoseconds + 1), last)
        default: return nil
        }
    }

    private func linkNode(_ op: Comparison.Operator, _ column: StoredColumn, _ constant: UnsafeScalar) -> (
        any ScanNode
    )? {
        guard let target = column.property.target.flatMap({ snapshot.table(named: $0) }),
            target.record.tombstones == 0
        else { return nil }
        let key: Int64
        switch constant {
        case .null: key = 0
        case .link(let table, let object) where table == target.stored.id && object.raw >= 0: key = object.raw + 1
        default: return nil
        }
        switch op {
        case .equal, .isIn: return IntegerNode(column, in: [key...key], nullMatches: false)
        case .notEqual: return IntegerNode(column, in: [key...key], negated: true, nullMatches: false)
        default: return nil
        }
    }
}

extension RowComparison {
    fileprivate func unquantified(_ path: ResolvedPath) -> RowComparison {
        RowComparison(left: .path(path, nil), right: right, op: op, options: options, evaluator: evaluator)
    }

    /// The outcome of a comparison of constants, which no row is needed for.
    var holdsForConstants: Bool {
        guard case .constant(let value) = left else { return false }
        switch right {
        case .constant(let other): return holds([value], [other])
        case .list(let others, _): return holds([value], others)
        default: return false
        }
    }
}
