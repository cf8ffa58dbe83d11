import Foundation
import Model

/// Fits constants to the type of the other side.
struct ConstantConversion {
    let resolver: PathResolver

    /// The constant as it is compared with values of type `hint`; nil stands for no single type.
    ///
    /// - Throws: `query`, or `argument` if an argument doesn't fit.
    func convert(
        _ constant: SourceConstant, to hint: ValueType?, target: String? = nil
    ) throws(QueryError) -> Value {
        switch constant.value {
        case .null: return .null
        case .link(let link): return .link(try check(link, hint, target, isArgument: constant.isArgument))
        default: break
        }
        guard let hint, hint != .mixed else { return constant.value }
        guard let value = try converted(constant, hint) else {
            throw QueryError(
                constant.isArgument ? .argument : .query,
                "unsupported comparison between type '\(hint)' and \(Self.typeName(constant.value))")
        }
        return value
    }

    private func converted(_ constant: SourceConstant, _ hint: ValueType) throws(QueryError) -> Value? {
        switch (constant.value, hint) {
        case (.double(let number), _) where number.isInfinite:
            switch hint {
            case .float: return .float(Float(number))
            case .double: return constant.value
            case .decimal: return .decimal(Decimal128(number))
            default: throw .query("Infinity not supported for type '\(hint)'")
            }
        case (.int, .int), (.int, .float), (.int, .double), (.double, .double), (.float, .float), (.float, .double),
            (.float, .decimal), (.decimal, .int), (.decimal, .float), (.decimal, .double), (.decimal, .decimal):
            return constant.value
        case (.int(let number), .decimal):
            return .decimal(constant.digits.flatMap { Decimal128($0) } ?? Decimal128(number))
        case (.double(let number), .int): return Int64(exactly: number).map { .int($0) } ?? constant.value
        case (.float(let number), .int): return Int64(exactly: number).map { .int($0) } ?? constant.value
        case (.double(let number), .float): return .float(Float(number))
        case (.double(let number), .decimal):
            if constant.isArgument { return .decimal(Decimal128(number)) }
            return .decimal(Decimal128(constant.digits ?? number.description) ?? Decimal128(number))
        case (.string(let text), .int), (.string(let text), .float), (.string(let text), .double),
            (.string(let text), .decimal):
            return Self.number(text, hint)
        case (.bool, .bool), (.string, .string), (.malformedString, .string), (.binary, .binary),
            (.timestamp, .timestamp), (.objectId, .objectId), (.uuid, .uuid):
            return constant.value
        default: return nil
        }
    }

    /// A whole text as a number; trailing text is refused.
    private static func number(_ text: String, _ hint: ValueType) -> Value? {
        guard text.utf8.last.map(Tokenizer.isDigit) ?? false || text.hasSuffix("."), DecimalText(text) != nil else {
            return nil
        }
        return switch hint {
        case .int: Int64(text).map { .int($0) }
        case .float: Float(text).map { .float($0) }
        case .double: Double(text).map { .double($0) }
        default: Decimal128(text).map { .decimal($0) }
        }
    }

    /// Class and key of `obj()` or of an object argument.
    private func check(
        _ link: Link, _ hint: ValueType?, _ target: String?, isArgument: Bool
    ) throws(QueryError) -> Link {
        let schema = try resolver.classSchema(link.className)
        let key = schema.primaryKey.flatMap(schema.property)
        let fits: Bool
        switch (link.key, key?.type) {
        case (.int, .int), (.string, .string), (.objectId, .objectId), (.uuid, .uuid), (.global, nil): fits = true
        case (.null, .some): fits = key?.isNullable ?? false
        default: fits = false
        }
        guard fits else { throw .query("objects of '\(schema.name)' have no such primary key") }
        switch hint {
        case .link:
            if let target, target != schema.name {
                throw .argument("an object of '\(schema.name)' can't be compared with links to '\(target)'")
            }
        case .mixed, nil: break
        case .some(let other):
            throw QueryError(
                isArgument ? .argument : .query, "unsupported comparison between type '\(other)' and an object")
        }
        return Link(className: schema.name, key: link.key)
    }

    static func typeName(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .int: "an integer"
        case .bool: "a boolean"
        case .string, .malformedString: "a string"
        case .binary: "binary data"
        case .timestamp: "a timestamp"
        case .float, .double, .decimal: "a number"
        case .link: "an object"
        case .objectId: "an ObjectId"
        case .uuid: "a UUID"
        }
    }

    /// Q-56 for two sides of fixed types.
    static func areComparable(_ a: ValueType, _ b: ValueType) -> Bool {
        a == b || a == .mixed || b == .mixed || (a.isNumber && b.isNumber)
    }
}

extension ValueType {
    var isNumber: Bool { self == .int || self == .float || self == .double || self == .decimal }
}
