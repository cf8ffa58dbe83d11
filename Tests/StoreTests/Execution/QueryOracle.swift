import Foundation
import Model
import Query

/// Evaluates queries on a sample row by row and value by value, as the language's description reads. Slow, and shares
/// nothing with the store.
struct QueryOracle {
    let sample: Sample

    enum Item: Hashable {
        case value(Value)
        case object(String, Int)
        /// A link on the way has no target.
        case missing

        var isNull: Bool { self == .value(.null) }
    }

    func rows(_ query: ClassQuery) -> [Int] {
        var rows = sample[query.className].rows.indices.filter { holds(query.condition, query.className, $0) }
        for descriptor in query.descriptors {
            switch descriptor {
            case .limit(let count): rows = Array(rows.prefix(count))
            case .filter(let condition): rows = rows.filter { holds(condition, query.className, $0) }
            case .distinct(let paths):
                var seen: [[Item]] = []
                rows = rows.filter { row in
                    let values = paths.map { single($0, query.className, row) }
                    guard !values.contains(nil) else { return false }
                    let tuple = values.map { $0 ?? .value(.null) }
                    if seen.contains(where: { zip($0, tuple).allSatisfy { isSame($0, $1) } }) { return false }
                    seen.append(tuple)
                    return true
                }
            case .sort(let keys):
                rows = rows.enumerated().sorted { a, b in
                    for key in keys {
                        let order = sortOrder(
                            single(key.path, query.className, a.element), single(key.path, query.className, b.element))
                        if order != 0 { return key.ascending ? order < 0 : order > 0 }
                    }
                    return a.offset < b.offset
                }.map(\.element)
            }
        }
        return rows
    }

    func holds(_ condition: Condition, _ className: String, _ row: Int) -> Bool {
        switch condition {
        case .constant(let value): value
        case .and(let parts): parts.allSatisfy { holds($0, className, row) }
        case .or(let parts): parts.contains { holds($0, className, row) }
        case .not(let part): !holds(part, className, row)
        case .comparison(let comparison): holds(comparison, className, row)
        }
    }

    // MARK: Paths

    private func cell(_ className: String, _ row: Int, _ name: String) -> (SampleValue, PropertySchema) {
        let content = sample[className]
        let column = content.column(name)
        return (content.rows[row][column], content.schema.properties[column])
    }

    /// The values of a path, and whether it is a collection. A missing link is null on a path of single links, and
    /// nothing on others.
    private func values(_ path: PropertyPath, _ className: String, _ row: Int) -> (items: [Item], isMulti: Bool) {
        let isMulti = isMultiPath(path, className)
        let items = reached(path, className, row)
        return (isMulti ? items.filter { $0 != .missing } : items.map { $0 == .missing ? .value(.null) : $0 }, isMulti)
    }

    private func reached(_ path: PropertyPath, _ className: String, _ row: Int) -> [Item] {
        guard case .name(let name)? = path.steps.first else { return [.object(className, row)] }
        let rest = PropertyPath(Array(path.steps.dropFirst()))
        let (cell, property) = cell(className, row, name)
        switch cell {
        case .value(let value): return [.value(value)]
        case .list(let values): return values.map { .value($0) }
        case .link(let target):
            guard let target, let other = property.target else { return [.missing] }
            return reached(rest, other, target)
        case .links(let targets):
            guard let other = property.target else { return [] }
            return targets.flatMap { reached(rest, other, $0) }
        }
    }

    private func isMultiPath(_ path: PropertyPath, _ className: String) -> Bool {
        guard case .name(let name)? = path.steps.first,
            let property = sample[className].schema.property(name)
        else { return false }
        if property.collection != .single { return true }
        guard let target = property.target else { return false }
        return isMultiPath(PropertyPath(Array(path.steps.dropFirst())), target)
    }

    /// One value through to-one links; nil when one on the way is null.
    private func single(_ path: PropertyPath, _ className: String, _ row: Int) -> Item? {
        guard case .name(let name)? = path.steps.first else { return .object(className, row) }
        let (cell, property) = cell(className, row, name)
        switch cell {
        case .value(let value): return .value(value)
        case .link(let target):
            guard let target, let other = property.target else { return path.steps.count == 1 ? .value(.null) : nil }
            return single(PropertyPath(Array(path.steps.dropFirst())), other, target)
        default: return nil
        }
    }

    // MARK: Comparisons

    private func operand(_ operand: Operand, _ className: String, _ row: Int)
        -> (items: [Item], isMulti: Bool, quantifier: Quantifier?)
    {
        switch operand {
        case .constant(let value): return ([.value(value)], false, nil)
        case .list(let values, let quantifier): return (values.map { .value($0) }, true, quantifier)
        case .path(let path, let quantifier):
            let (items, isMulti) = values(path, className, row)
            return (items, isMulti, quantifier)
        case .count(let path):
            return ([.value(.int(Int64(reached(path, className, row).filter { $0 != .missing }.count)))], false, nil)
        case .subqueryCount(let path, _, let condition):
            let objects = values(path, className, row).items
            let matching = objects.filter { item in
                if case .object(let other, let row) = item { holds(condition, other, row) } else { false }
            }
            return ([.value(.int(Int64(matching.count)))], false, nil)
        default: return ([], false, nil)
        }
    }

    private func holds(_ comparison: Comparison, _ className: String, _ row: Int) -> Bool {
        let left = operand(comparison.left, className, row)
        let right = operand(comparison.right, className, row)
        if comparison.op == .between {
            let lower = Comparison(comparison.left, .greaterOrEqual, element(comparison.right, 0))
            let upper = Comparison(comparison.left, .lessOrEqual, element(comparison.right, 1))
            return holds(lower, className, row) && holds(upper, className, row)
        }
        func single(_ a: Item, _ b: Item) -> Bool {
            compare(a, comparison.op, b, comparison.options)
        }
        if left.isMulti, right.isMulti, left.quantifier == nil, right.quantifier == nil {
            if comparison.op == .notEqual, left.items.count != right.items.count { return true }
            return left.items.count == right.items.count && zip(left.items, right.items).allSatisfy { single($0, $1) }
        }
        return quantified(left.items, left.quantifier) { a in
            quantified(right.items, right.quantifier) { single(a, $0) }
        }
    }

    private func element(_ operand: Operand, _ index: Int) -> Operand {
        if case .list(let values, _) = operand { .constant(values[index]) } else { operand }
    }

    private func quantified(_ items: [Item], _ quantifier: Quantifier?, _ test: (Item) -> Bool) -> Bool {
        switch quantifier {
        case .all: items.allSatisfy(test)
        case Quantifier.none?: !items.contains(where: test)
        case .any, nil: items.contains(where: test)
        }
    }

    private func compare(_ a: Item, _ op: Comparison.Operator, _ b: Item, _ options: Comparison.Options) -> Bool {
        switch op {
        case .equal, .isIn, .notEqual:
            let isEqual = a.isNull || b.isNull ? a.isNull && b.isNull : equal(a, b, options)
            return isEqual == (op != .notEqual)
        case .less, .greater:
            guard !a.isNull, !b.isNull, let order = order(a, b) else { return false }
            return op == .less ? order < 0 : order > 0
        case .lessOrEqual, .greaterOrEqual:
            if a.isNull && b.isNull { return true }
            guard !a.isNull, !b.isNull, let order = order(a, b) else { return false }
            return op == .lessOrEqual ? order <= 0 : order >= 0
        default:
            if b.isNull { return op == .like ? a.isNull : true }
            guard a.isText == b.isText, let text = a.folded(options), let pattern = b.folded(options) else {
                return false
            }
            switch op {
            case .beginsWith: return text.starts(with: pattern)
            case .endsWith: return text.reversed().starts(with: pattern.reversed())
            case .contains:
                return pattern.isEmpty
                    || text.indices.contains { text[$0...].starts(with: pattern) }
            default: return QueryOracle.like(text[...], pattern[...])
            }
        }
    }

    private static func like(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == "*" { return like(text, rest) || !text.isEmpty && like(text.dropFirst(), pattern) }
        return !text.isEmpty && (first == "?" || first == text.first) && like(text.dropFirst(), rest)
    }

    private func equal(_ a: Item, _ b: Item, _ options: Comparison.Options) -> Bool {
        if let x = a.folded(options), let y = b.folded(options) { return a.isText == b.isText && x == y }
        if case .object = a { return a == b }
        return order(a, b) == 0
    }

    /// Order of two values that aren't null; nil when they have none.
    private func order(_ a: Item, _ b: Item) -> Int? {
        guard case .value(let a) = a, case .value(let b) = b else { return nil }
        switch (a, b) {
        case (.bool(let a), .bool(let b)): return QueryOracle.sign(a ? 1 : 0, b ? 1 : 0)
        case (.timestamp(let a), .timestamp(let b)):
            return a.seconds == b.seconds
                ? QueryOracle.sign(a.nanoseconds, b.nanoseconds) : QueryOracle.sign(a.seconds, b.seconds)
        case (.string(let a), .string(let b)): return QueryOracle.bytewise(Array(a.utf8), Array(b.utf8))
        case (.binary(let a), .binary(let b)): return QueryOracle.bytewise(Array(a), Array(b))
        case (.objectId(let a), .objectId(let b)):
            return QueryOracle.bytewise(a.bytes, b.bytes)
        case (.uuid(let a), .uuid(let b)):
            return QueryOracle.bytewise(
                withUnsafeBytes(of: a.uuid) { Array($0) }, withUnsafeBytes(of: b.uuid) { Array($0) })
        default: return QueryOracle.numberOrder(a, b)
        }
    }

    private static func numberOrder(_ a: Value, _ b: Value) -> Int? {
        if let a = a.decimalValue, let b = b.decimalValue, a.isDecimal || b.isDecimal {
            return a.number.compare(b.number).map { $0.rawValue }
        }
        guard let a = a.exactNumber, let b = b.exactNumber, !a.isNaN, !b.isNaN else { return nil }
        return sign(a, b)
    }

    private static func sign<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }

    private static func bytewise(_ a: [UInt8], _ b: [UInt8]) -> Int {
        for (x, y) in zip(a, b) where x != y { return sign(x, y) }
        return sign(a.count, b.count)
    }

    // MARK: Sorting

    /// Null before values, a null link on the way after them.
    private func sortOrder(_ a: Item?, _ b: Item?) -> Int {
        func rank(_ item: Item?) -> Int { item.map { $0.isNull ? 0 : 1 } ?? 2 }
        guard rank(a) == 1, rank(b) == 1, let a, let b else { return QueryOracle.sign(rank(a), rank(b)) }
        if case .object(_, let x) = a, case .object(_, let y) = b { return QueryOracle.sign(x, y) }
        return order(a, b) ?? QueryOracle.sign(a.isNaN ? 0 : 1, b.isNaN ? 0 : 1)
    }

    private func isSame(_ a: Item, _ b: Item) -> Bool {
        if a.isNull || b.isNull { return a.isNull && b.isNull }
        if a.isNaN || b.isNaN { return a.isNaN && b.isNaN }
        return equal(a, b, [])
    }
}

extension QueryOracle.Item {
    fileprivate var isNaN: Bool {
        switch self {
        case .value(.float(let value)): value.isNaN
        case .value(.double(let value)): value.isNaN
        case .value(.decimal(let value)): value.isNaN
        default: false
        }
    }

    fileprivate var isText: Bool {
        if case .value(.string) = self { true } else { false }
    }

    /// A string or binary as characters; binaries byte by byte.
    fileprivate func folded(_ options: Comparison.Options) -> [Unicode.Scalar]? {
        let scalars: [Unicode.Scalar]
        switch self {
        case .value(.string(let value)): scalars = Array(value.unicodeScalars)
        case .value(.binary(let value)):
            scalars = value.map { Unicode.Scalar($0) }
        default: return nil
        }
        guard options.contains(.caseInsensitive) else { return scalars }
        return scalars.map(QueryOracle.Item.lower)
    }

    private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE: Unicode.Scalar(scalar.value + 0x20) ?? scalar
        default: scalar
        }
    }
}

extension ObjectId {
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 12)
        bytes.withUnsafeMutableBytes { if let start = $0.baseAddress { store(to: start) } }
        return bytes
    }
}

extension Value {
    #if arch(x86_64)
        /// Wide enough for every integer and double.
        fileprivate typealias Exact = Float80
    #else
        fileprivate typealias Exact = Double
    #endif

    fileprivate var exactNumber: Exact? {
        switch self {
        case .int(let value): Exact(value)
        case .float(let value): Exact(value)
        case .double(let value): Exact(value)
        default: nil
        }
    }

    fileprivate var decimalValue: (number: Decimal128, isDecimal: Bool)? {
        switch self {
        case .int(let value): (Decimal128(value), false)
        case .float(let value): (Decimal128(value), false)
        case .double(let value): (Decimal128(value), false)
        case .decimal(let value): (value, true)
        default: nil
        }
    }
}
