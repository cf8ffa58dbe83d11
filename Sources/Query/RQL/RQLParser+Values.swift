import Foundation
import Model

/// Constants, lists, arguments.
extension RQLParser {
    /// `value` of the grammar: constant, property, list, aggregate, subquery.
    mutating func parseValue() throws(QueryError) -> Operand {
        if let quantifier = acceptQuantifier() { return try parseQuantified(quantifier) }
        switch token.kind {
        case .symbol(.leftBrace): return try parseList()
        case .argument(let index):
            let token = token
            advance()
            return argumentOperand(index, quantifier: nil, at: token)
        case .objectKey(let table, let key):
            advance()
            return .objectKey(table: table, key: key)
        case .keyword(.subquery, _): return try parseSubquery()
        default: break
        }
        if let constant = try parseConstant() { return .from(constant) }
        return try parseProperty(quantifier: nil)
    }

    /// `{…}` with a quantifier before it, if any.
    mutating func parseList() throws(QueryError) -> Operand {
        let quantifier = acceptQuantifier()
        return try parseBraces(quantifier)
    }

    private mutating func parseBraces(_ quantifier: Quantifier?) throws(QueryError) -> Operand {
        try expect(.leftBrace)
        var elements: [SourceConstant] = []
        if accept(.rightBrace) { return .list([], quantifier: quantifier) }
        repeat { elements.append(try parseElement()) } while accept(.comma)
        try expect(.rightBrace)
        return .from(elements, quantifier: quantifier)
    }

    private mutating func parseQuantified(_ quantifier: Quantifier) throws(QueryError) -> Operand {
        switch token.kind {
        case .symbol(.leftBrace):
            return try parseBraces(quantifier)
        case .argument(let index):
            let token = token
            advance()
            return argumentOperand(index, quantifier: quantifier, at: token)
        default:
            return try parseProperty(quantifier: quantifier)
        }
    }

    private mutating func acceptQuantifier() -> Quantifier? {
        guard let keyword else { return nil }
        let quantifier: Quantifier
        switch keyword {
        case .any, .some: quantifier = .any
        case .all: quantifier = .all
        case .noneOf: quantifier = .none
        default: return nil
        }
        advance()
        return quantifier
    }

    private mutating func parseElement() throws(QueryError) -> SourceConstant {
        if case .argument(let index) = token.kind {
            let token = token
            advance()
            return scalarArgument(index, at: token)
        }
        if case .objectKey = token.kind {
            postpone(.query, "an internal object key can't stand in a list")
            advance()
            return SourceConstant(.null)
        }
        guard let constant = try parseConstant() else { throw unexpected("a constant") }
        return constant
    }

    /// A literal; nil if the token begins something else.
    private mutating func parseConstant() throws(QueryError) -> SourceConstant? {
        let constant: SourceConstant
        switch token.kind {
        case .natural(let text), .number(let text): constant = .integer(text)
        case .float(let text): constant = .float(text)
        case .infinity(let isNegative): constant = SourceConstant(.double(isNegative ? -.infinity : .infinity))
        case .nan: constant = SourceConstant(.double(.nan))
        case .string(let text): constant = SourceConstant(.string(text))
        case .base64(let bytes): constant = SourceConstant(Self.string(bytes))
        case .uuid(let uuid): constant = SourceConstant(.uuid(uuid))
        case .objectId(let objectId): constant = SourceConstant(.objectId(objectId))
        case .timestamp(let timestamp): constant = SourceConstant(.timestamp(timestamp))
        case .ancientDate:
            postpone(.query, "a date before the year 1900")
            constant = SourceConstant(.null)
        case .keyword(.true, _): constant = SourceConstant(.bool(true))
        case .keyword(.false, _): constant = SourceConstant(.bool(false))
        case .keyword(.null, _), .keyword(.nil, _): constant = SourceConstant(.null)
        case .keyword(.obj, _): return try parseObject()
        case .keyword(.binary, _) where following.kind == .symbol(.leftParenthesis),
            .keyword(.bin, _) where following.kind == .symbol(.leftParenthesis):
            return try parseBinary()
        default: return nil
        }
        advance()
        return constant
    }

    private static func string(_ bytes: [UInt8]) -> Value {
        String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .malformedString(bytes)
    }

    private mutating func parseBinary() throws(QueryError) -> SourceConstant {
        advance()
        try expect(.leftParenthesis)
        let data: Data
        switch token.kind {
        case .string(let text): data = Data(text.utf8)
        case .base64(let bytes): data = Data(bytes)
        default: throw unexpected("a string")
        }
        advance()
        try expect(.rightParenthesis)
        return SourceConstant(.binary(data))
    }

    /// `obj("Class", key)`. The prefix of the reference's table names is dropped.
    private mutating func parseObject() throws(QueryError) -> SourceConstant {
        advance()
        try expect(.leftParenthesis)
        guard case .string(let name) = token.kind else { throw unexpected("the name of a class in quotes") }
        // Such a name has no class, and couldn't be printed.
        if !RQLPrinter.isSafe(name) { postpone(.query, "no class can have the name in 'obj'", at: token) }
        advance()
        try expect(.comma)
        let key = try parseKey()
        try expect(.rightParenthesis)
        return SourceConstant(.link(Link(className: Self.className(name), key: key)))
    }

    /// By bytes: a mark at the beginning of the name would make one character with the prefix's end.
    private static func className(_ name: String) -> String {
        let prefix = "class_".utf8
        return name.utf8.starts(with: prefix) ? String(name.unicodeScalars.dropFirst(prefix.count)) : name
    }

    private mutating func parseKey() throws(QueryError) -> PrimaryKey {
        let token = token
        advance()
        switch token.kind {
        case .natural(let text), .number(let text): return .int(IntegerLiteral.value(of: text))
        case .string(let text): return .string(text)
        case .uuid(let uuid): return .uuid(uuid)
        case .objectId(let objectId): return .objectId(objectId)
        case .argument(let index):
            switch scalarArgument(index, at: token).value {
            case .null: return .null
            case .int(let value): return .int(value)
            case .string(let value): return .string(value)
            case .uuid(let value): return .uuid(value)
            case .objectId(let value): return .objectId(value)
            default:
                postpone(.argument, "$\(index) can't be a primary key", at: token)
                return .null
            }
        default:
            position -= 1
            throw unexpected("a primary key")
        }
    }

    // MARK: Arguments

    /// The n-th argument. A missing one is reported later and stands for null until then.
    mutating func argument(_ index: Int, at token: Token) -> QueryArgument {
        if index < arguments.count { return arguments[index] }
        postpone(
            .argument,
            arguments.isEmpty
                ? "the query asks for argument $\(index), but none are provided"
                : "the query asks for argument $\(index), but only \(arguments.count) are provided", at: token)
        return .value(.null)
    }

    private mutating func argumentOperand(_ index: Int, quantifier: Quantifier?, at token: Token) -> Operand {
        switch argument(index, at: token) {
        case .value(let value):
            if quantifier != nil { postpone(.argument, "a quantifier before $\(index), which is no list", at: token) }
            return .source(SourceConstant(value, isArgument: true))
        case .list(let values):
            return .list(values, quantifier: quantifier)
        case .geo(let shape):
            return .geo(shape)
        }
    }

    /// The n-th argument where only a scalar will do.
    mutating func scalarArgument(_ index: Int, at token: Token) -> SourceConstant {
        switch argument(index, at: token) {
        case .value(let value):
            return SourceConstant(value, isArgument: true)
        case .list, .geo:
            postpone(.argument, "$\(index) is no single value", at: token)
            return SourceConstant(.null, isArgument: true)
        }
    }
}
