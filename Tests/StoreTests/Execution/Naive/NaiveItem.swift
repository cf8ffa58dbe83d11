import Foundation
import Model
import Query

/// What a comparison compares.
enum NaiveItem {
    case value(Value)
    case object(NaiveObject)
    /// A list or dictionary in a Mixed.
    case collection(NaiveValue)
    /// The outcome of `@type`.
    case type(TypeName)

    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }

    var number: Value? {
        if case .value(let value) = self, value.isNumeric { value } else { nil }
    }

    /// Bytes of a string or binary, and which of the two it is.
    var text: (bytes: [UInt8], isString: Bool)? {
        switch self {
        case .value(.string(let text)): (Array(text.utf8), true)
        case .value(.malformedString(let bytes)): (bytes, true)
        case .value(.binary(let data)): (Array(data), false)
        default: nil
        }
    }

    var isNaN: Bool {
        switch self {
        case .value(.float(let value)): value.isNaN
        case .value(.double(let value)): value.isNaN
        case .value(.decimal(let value)): value.isNaN
        default: false
        }
    }
}

extension Value {
    var isNumeric: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }
}

/// Comparisons of single items (sections 8 to 10).
struct NaiveComparison {
    var op: Comparison.Operator
    var options: Comparison.Options
    /// Whether the right side is a literal or argument.
    var rightIsConstant: Bool

    func holds(_ a: NaiveItem, _ b: NaiveItem) -> Bool {
        if let (a, b) = Self.names(a, b) { return a.matches(b) == (op != .notEqual) }
        switch op {
        case .equal, .isIn: return Self.isEqual(a, b, options)
        case .notEqual:
            // An object that isn't there differs from everything but null, which it doesn't equal either.
            if Self.isMissing(a) || Self.isMissing(b) { return !a.isNull && !b.isNull }
            return !Self.isEqual(a, b, options)
        case .less: return Self.order(a, b) == .orderedAscending
        case .greater: return Self.order(a, b) == .orderedDescending
        case .lessOrEqual:
            return a.isNull && b.isNull || [.orderedAscending, .orderedSame].contains(Self.order(a, b))
        case .greaterOrEqual:
            return a.isNull && b.isNull || [.orderedDescending, .orderedSame].contains(Self.order(a, b))
        default: return text(a, b)
        }
    }

    /// Names of types stand beside `@type` only.
    private static func names(_ a: NaiveItem, _ b: NaiveItem) -> (TypeName, TypeName)? {
        switch (a, b) {
        case (.type(let a), .type(let b)): (a, b)
        case (.type(let a), .value(.string(let text))): TypeName(text).map { (a, $0) }
        case (.value(.string(let text)), .type(let b)): TypeName(text).map { ($0, b) }
        default: nil
        }
    }

    private static func isMissing(_ item: NaiveItem) -> Bool {
        if case .value(.link) = item { true } else { false }
    }

    private static func isEqual(_ a: NaiveItem, _ b: NaiveItem, _ options: Comparison.Options) -> Bool {
        if a.isNull || b.isNull { return a.isNull && b.isNull }
        if let x = a.text, let y = b.text {
            return x.isString == y.isString && folded(x.bytes, options) == folded(y.bytes, options)
        }
        return order(a, b) == .orderedSame
    }

    /// Nil when they have no order: other types, NaN, nulls, different objects.
    static func order(_ a: NaiveItem, _ b: NaiveItem) -> ComparisonResult? {
        if case .object(let a) = a, case .object(let b) = b { return a === b ? .orderedSame : nil }
        if let a = a.number, let b = b.number { return numbers(a, b) }
        guard case .value(let x) = a, case .value(let y) = b else { return nil }
        switch (x, y) {
        case (.bool(let a), .bool(let b)): return a == b ? .orderedSame : a ? .orderedDescending : .orderedAscending
        case (.timestamp(let a), .timestamp(let b)):
            return compare(a.seconds, b.seconds) ?? compare(a.nanoseconds, b.nanoseconds) ?? .orderedSame
        case (.objectId(let a), .objectId(let b)):
            return compare(a.high, b.high) ?? compare(a.low, b.low) ?? .orderedSame
        case (.uuid(let a), .uuid(let b)):
            return bytes(withUnsafeBytes(of: a.uuid) { Array($0) }, withUnsafeBytes(of: b.uuid) { Array($0) })
        default:
            guard let x = a.text, let y = b.text, x.isString == y.isString else { return nil }
            return bytes(x.bytes, y.bytes)
        }
    }

    private static func compare<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult? {
        a < b ? .orderedAscending : a > b ? .orderedDescending : nil
    }

    private static func bytes(_ a: [UInt8], _ b: [UInt8]) -> ComparisonResult {
        for (x, y) in zip(a, b) where x != y { return x < y ? .orderedAscending : .orderedDescending }
        return compare(a.count, b.count) ?? .orderedSame
    }

    /// By mathematical value, beside a Decimal with the digits that binary fractions promise.
    private static func numbers(_ a: Value, _ b: Value) -> ComparisonResult? {
        if case .decimal(let x) = a { return decimal(b).flatMap { x.compare($0) } }
        if case .decimal(let y) = b { return decimal(a).flatMap { $0.compare(y) } }
        switch (a, b) {
        case (.int(let a), .int(let b)): return compare(a, b) ?? .orderedSame
        case (.int(let a), _): return double(b).flatMap { mixed(a, $0) }
        case (_, .int(let b)):
            return double(a).flatMap { mixed(b, $0) }.map {
                $0 == .orderedSame ? $0 : $0 == .orderedAscending ? .orderedDescending : .orderedAscending
            }
        default:
            guard let x = double(a), let y = double(b), !x.isNaN, !y.isNaN else { return nil }
            return compare(x, y) ?? .orderedSame
        }
    }

    private static func mixed(_ a: Int64, _ b: Double) -> ComparisonResult? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return .orderedAscending }
        if b < -0x1p63 { return .orderedDescending }
        let floor = b.rounded(.down)
        let whole = Int64(floor)
        return compare(a, whole) ?? (b > floor ? .orderedAscending : .orderedSame)
    }

    static func double(_ value: Value) -> Double? {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    static func decimal(_ value: Value) -> Decimal128? {
        switch value {
        case .int(let value): Decimal128(value)
        case .float(let value): Decimal128(value)
        case .double(let value): Decimal128(value)
        case .decimal(let value): value
        default: nil
        }
    }

    // MARK: Text

    private func text(_ a: NaiveItem, _ b: NaiveItem) -> Bool {
        if b.isNull { return rightIsConstant && (op == .like ? a.isNull : true) }
        guard let x = a.text, let y = b.text, x.isString == y.isString else { return false }
        let text = Self.folded(x.bytes, options)
        let pattern = Self.folded(y.bytes, options)
        switch op {
        case .beginsWith: return text.starts(with: pattern)
        case .endsWith: return text.reversed().starts(with: pattern.reversed())
        case .contains: return (0...text.count).contains { text[$0...].starts(with: pattern) }
        case .like:
            return Self.isLike(Self.characters(text, x.isString)[...], Self.characters(pattern, x.isString)[...])
        default: return false
        }
    }

    /// Code points of a string, bytes of a binary.
    private static func characters(_ bytes: [UInt8], _ isString: Bool) -> [[UInt8]] {
        isString
            ? String(decoding: bytes, as: UTF8.self).unicodeScalars.map { Array(String($0).utf8) } : bytes.map { [$0] }
    }

    private static func isLike(_ text: ArraySlice<[UInt8]>, _ pattern: ArraySlice<[UInt8]>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == Array("*".utf8) {
            return isLike(text, pattern.dropFirst()) || !text.isEmpty && isLike(text.dropFirst(), pattern)
        }
        guard let character = text.first, first == Array("?".utf8) || first == character else { return false }
        return isLike(text.dropFirst(), pattern.dropFirst())
    }

    /// Q-73; bytes that aren't UTF-8 stay as they are.
    private static func folded(_ bytes: [UInt8], _ options: Comparison.Options) -> [UInt8] {
        guard options.contains(.caseInsensitive), let text = String(validating: bytes, as: UTF8.self) else {
            return bytes
        }
        return text.unicodeScalars.flatMap { scalar -> [UInt8] in
            switch scalar.value {
            case 0x41...0x5A, 0xC0...0xD6, 0xD8...0xDE:
                Array(String(Unicode.Scalar(scalar.value + 0x20) ?? scalar).utf8)
            default: Array(String(scalar).utf8)
            }
        }
    }
}
