import Foundation
import Model

/// A query as text, with the arguments that the text refers to.
package struct PrintedQuery: Hashable, Sendable {
    package var text: String
    /// Values that the language has no literal for; empty for most queries.
    package var arguments: [QueryArgument]

    package init(text: String, arguments: [QueryArgument] = []) {
        self.text = text
        self.arguments = arguments
    }
}

extension RQL {
    /// Writes a query in the forms of Q-133; reading it back gives the same tree. What the language has no literal
    /// for becomes an argument: decimals, not-a-number Floats, links without a primary key, shapes.
    ///
    /// - Parameter standalone: Write decimals and shapes out instead, as subscriptions want: the class's types tell the
    ///   reader what the numbers are. Arguments then remain only where nothing else is possible.
    /// - Throws: `QueryError` for what can't be written at all, such as a name with a dot between indexes.
    package static func print(
        _ condition: Condition, _ descriptors: [Descriptor] = [], standalone: Bool = false
    ) throws(QueryError) -> PrintedQuery {
        var printer = RQLPrinter(standalone: standalone)
        var text = try printer.text(condition)
        for descriptor in descriptors { text += " " + (try printer.text(descriptor)) }
        return PrintedQuery(text: text, arguments: printer.arguments)
    }
}

struct RQLPrinter {
    let standalone: Bool
    var arguments: [QueryArgument] = []
    /// Variables of the SUBQUERYs around what is being printed.
    var variables: [String] = []

    init(standalone: Bool) { self.standalone = standalone }

    // MARK: Conditions

    mutating func text(_ condition: Condition) throws(QueryError) -> String {
        switch condition {
        case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts):
            if parts.count == 1 { return try text(parts[0]) }
            if parts.isEmpty { return "TRUEPREDICATE" }
            return try join(parts, " and ") { if case .and = $0 { true } else { false } }
        case .or(let parts):
            if parts.count == 1 { return try text(parts[0]) }
            if parts.isEmpty { return "FALSEPREDICATE" }
            return "(" + (try join(parts, " or ") { _ in false }) + ")"
        case .not(let inner): return "!(" + (try text(inner)) + ")"
        case .comparison(let comparison): return try text(comparison)
        }
    }

    private mutating func join(
        _ parts: [Condition], _ separator: String, parenthesise: (Condition) -> Bool
    ) throws(QueryError) -> String {
        var texts: [String] = []
        for part in parts {
            let inner = try text(part)
            texts.append(parenthesise(part) ? "(\(inner))" : inner)
        }
        return texts.joined(separator: separator)
    }

    private mutating func text(_ comparison: Comparison) throws(QueryError) -> String {
        let left = try text(comparison.left)
        var modifiers = ""
        if comparison.options.contains(.caseInsensitive) { modifiers += "c" }
        if comparison.options.contains(.diacriticInsensitive) { modifiers += "d" }
        if comparison.options.contains(.sameElement) { modifiers += "e" }
        let op = comparison.op.rawValue + (modifiers.isEmpty ? "" : "[\(modifiers)]")
        // BETWEEN wants the braces themselves (Q-28).
        let right = try comparison.op == .between ? bounds(comparison.right) : text(comparison.right)
        return "\(left) \(op) \(right)"
    }

    private mutating func bounds(_ operand: Operand) throws(QueryError) -> String {
        switch operand {
        case .list(let values, let quantifier): return braces(values.map { SourceConstant($0) }, quantifier)
        case .sourceList(let constants, let quantifier): return braces(constants, quantifier)
        default: return try text(operand)
        }
    }

    mutating func text(_ descriptor: Descriptor) throws(QueryError) -> String {
        switch descriptor {
        case .sort(let keys):
            var texts: [String] = []
            for key in keys { texts.append(try text(key.path) + (key.ascending ? " ASC" : " DESC")) }
            return "SORT(\(texts.joined(separator: ", ")))"
        case .distinct(let paths):
            var texts: [String] = []
            for path in paths { texts.append(try text(path)) }
            return "DISTINCT(\(texts.joined(separator: ", ")))"
        case .limit(let count): return "LIMIT(\(count))"
        case .filter: throw .query("a filter after SORT, DISTINCT or LIMIT can't be written as text")
        }
    }

    // MARK: Operands

    private mutating func text(_ operand: Operand) throws(QueryError) -> String {
        switch operand {
        case .constant(let value): return text(SourceConstant(value))
        case .source(let constant): return text(constant)
        case .list(let values, let quantifier):
            // As one argument, so that it comes back as it went.
            guard values.allSatisfy({ literal($0) != nil }) else {
                return prefix(quantifier) + argument(.list(values))
            }
            return braces(values.map { SourceConstant($0) }, quantifier)
        case .sourceList(let constants, let quantifier): return braces(constants, quantifier)
        case .path(let path, let quantifier): return prefix(quantifier) + (try text(path))
        case .count(let path): return try text(path) + ".@count"
        case .aggregate(let path, let function, let property):
            let head = try text(path) + ".@\(function.rawValue)"
            guard let property else { return head }
            return head + "." + (try name(property))
        case .subqueryCount(let path, let variable, let condition):
            let collection = try text(path)
            variables.append(variable)
            let inner = try text(condition)
            variables.removeLast()
            return "SUBQUERY(\(collection), \(variable), \(inner)).@count"
        case .arithmetic(let left, let op, let right):
            return "(\(try text(left)) \(op.rawValue) \(try text(right)))"
        case .geo(let shape): return standalone ? shape.text : argument(.geo(shape))
        case .objectKey(let table, let key): return table.map { "L\($0):\(key)" } ?? "O\(key)"
        }
    }

    private func prefix(_ quantifier: Quantifier?) -> String { quantifier.map { $0.rawValue + " " } ?? "" }

    private mutating func braces(_ constants: [SourceConstant], _ quantifier: Quantifier?) -> String {
        var texts: [String] = []
        for constant in constants { texts.append(text(constant)) }
        return prefix(quantifier) + "{" + texts.joined(separator: ", ") + "}"
    }

    mutating func argument(_ argument: QueryArgument) -> String {
        arguments.append(argument)
        return "$\(arguments.count - 1)"
    }

    // MARK: Constants

    private mutating func text(_ constant: SourceConstant) -> String {
        if let digits = constant.digits { return digits }
        if !constant.isArgument || standalone, let literal = literal(constant.value) { return literal }
        if case .link(let link) = constant.value, !constant.isArgument, let key = argumentKey(link.key),
            let className = Self.quoted("class_" + link.className)
        {
            return "obj(\(className),\(argument(.value(key))))"
        }
        return argument(.value(constant.value))
    }

    /// The literal that is read as `value`; nil if there is none.
    private func literal(_ value: Value) -> String? {
        switch value {
        case .null: return "NULL"
        case .int(let value): return String(value)
        case .bool(let value): return value ? "true" : "false"
        case .string(let value): return Self.isSafe(value) ? "\"\(value)\"" : Self.base64(Data(value.utf8))
        case .malformedString(let bytes):
            return String(validating: bytes, as: UTF8.self) == nil ? Self.base64(Data(bytes)) : nil
        case .binary(let data):
            if let text = String(validating: data, as: UTF8.self), Self.isSafe(text) { return "binary(\"\(text)\")" }
            return "binary(\(Self.base64(data)))"
        case .timestamp(let value): return value.isValid ? "T\(value.seconds):\(value.nanoseconds)" : nil
        case .float(let value):
            if value.isNaN { return nil }
            // Beyond the largest number.
            return value.isFinite ? value.description + "f" : value > 0 ? "1e99f" : "-1e99f"
        case .double(let value):
            if value.isNaN { return value.bitPattern == Double.nan.bitPattern ? "nan" : nil }
            return value.description
        case .decimal(let value): return standalone ? Self.text(value) : nil
        case .objectId(let value): return "oid(\(Self.hexadecimal(value)))"
        case .uuid(let value): return "uuid(\(value.uuidString.lowercased()))"
        case .link(let link):
            guard let className = Self.quoted("class_" + link.className) else { return nil }
            switch link.key {
            case .int(let value): return "obj(\(className),\(value))"
            case .string(let value): return Self.quoted(value).map { "obj(\(className),\($0))" }
            case .objectId(let value): return "obj(\(className),oid(\(Self.hexadecimal(value))))"
            case .uuid(let value): return "obj(\(className),uuid(\(value.uuidString.lowercased())))"
            case .null, .global: return nil
            }
        }
    }

    /// A key of a link that has no literal but can be an argument inside `obj()`.
    private func argumentKey(_ key: PrimaryKey) -> Value? {
        switch key {
        case .null: .null
        case .string(let value): .string(value)
        default: nil
        }
    }

    static func hexadecimal(_ value: ObjectId) -> String {
        let high = String(value.high, radix: 16)
        let low = String(value.low, radix: 16)
        return String(repeating: "0", count: 16 - high.count) + high + String(repeating: "0", count: 8 - low.count)
            + low
    }

    private static func base64(_ data: Data) -> String { "B64\"\(data.base64EncodedString())\"" }

    /// Whether a string may stand between quotes as it is (Q-133).
    static func isSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
                && $0 != UInt8(ascii: "\\")
        }
    }

    /// In quotes, where escapes wouldn't be decoded; nil if that's impossible.
    static func quoted(_ text: String) -> String? { isSafe(text) ? "\"\(text)\"" : nil }

    /// A decimal as a number, which becomes one again beside a Decimal.
    private static func text(_ value: Decimal128) -> String? {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value.isNegative ? "-inf" : "inf" }
        return DecimalText(value.description) == nil ? nil : value.description
    }
}

extension GeoShape {
    /// As a query has it.
    package var text: String {
        switch self {
        case .box(let a, let b): "geoBox(\(Self.text(a)), \(Self.text(b)))"
        case .circle(let center, let radius): "geoCircle(\(Self.text(center)), \(radius))"
        case .polygon(let rings):
            "geoPolygon("
                + rings.map { "{" + $0.map(Self.text).joined(separator: ", ") + "}" }.joined(separator: ", ") + ")"
        }
    }

    private static func text(_ point: GeoPoint) -> String { "[\(point.longitude), \(point.latitude)]" }
}
