import Model

/// Recursive descent over the tokens of one predicate format.
struct PredicateParser {
    let tokens: [PredicateToken]
    var position = 0
    var depth = 0
    /// Variables of the SUBQUERYs around the current token, the innermost last.
    var variables: [String] = []

    init(tokens: [PredicateToken]) { self.tokens = tokens }

    /// What parentheses may hold: a predicate or an operand.
    enum Node {
        case condition(Condition)
        case operand(PredicateOperand)
    }

    mutating func parseWhole() throws(QueryError) -> Condition {
        let condition = try condition(try parseOr())
        guard token.kind == .end else { throw unexpected("the end of the predicate") }
        return condition
    }

    // MARK: Tokens

    var token: PredicateToken { tokens[position] }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    mutating func accept(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(QueryError) {
        guard accept(symbol) else { throw unexpected("'\(symbol)'") }
    }

    var keyword: PredicateKeyword? {
        if case .keyword(let keyword) = token.kind { keyword } else { nil }
    }

    func unexpected(_ expected: String) -> QueryError {
        let found = token.kind == .end ? "the end of the predicate" : "'\(token.text)'"
        return QueryError(.invalidPredicate, "found \(found), expected \(expected)", offset: token.start)
    }

    func failure(_ kind: QueryError.Kind, _ message: String) -> QueryError {
        QueryError(kind, message, offset: token.start)
    }

    mutating func descend() throws(QueryError) {
        depth += 1
        guard depth <= QueryLimits.depth else {
            throw failure(.invalidPredicate, "nested more than \(QueryLimits.depth) levels deep")
        }
    }

    // MARK: Conditions

    private func condition(_ node: Node) throws(QueryError) -> Condition {
        switch node {
        case .condition(let condition): return condition
        case .operand: throw unexpected("a comparison operator")
        }
    }

    mutating func parseOr() throws(QueryError) -> Node {
        let first = try parseAnd()
        guard token.kind == .symbol("||") || keyword == .or else { return first }
        var parts = [try condition(first)]
        while token.kind == .symbol("||") || keyword == .or {
            advance()
            parts.append(try condition(try parseAnd()))
        }
        return .condition(.or(parts))
    }

    private mutating func parseAnd() throws(QueryError) -> Node {
        let first = try parseNot()
        guard token.kind == .symbol("&&") || keyword == .and else { return first }
        var parts = [try condition(first)]
        while token.kind == .symbol("&&") || keyword == .and {
            advance()
            parts.append(try condition(try parseNot()))
        }
        return .condition(.and(parts))
    }

    private mutating func parseNot() throws(QueryError) -> Node {
        guard token.kind == .symbol("!") || keyword == .not else { return try parseComparison() }
        advance()
        try descend()
        defer { depth -= 1 }
        return .condition(.not(try condition(try parseNot())))
    }

    mutating func parsePredicate() throws(QueryError) -> Condition { try condition(try parseOr()) }

    private mutating func parseComparison() throws(QueryError) -> Node {
        if keyword == .truePredicate || keyword == .falsePredicate {
            let value = keyword == .truePredicate
            advance()
            return .condition(.constant(value))
        }
        let start = token.start
        let quantifier = keyword.flatMap(PredicateQuantifier.init)
        if quantifier != nil { advance() }
        if quantifier == .all { throw QueryError(.unsupportedPredicate, "ALL is not supported", offset: start) }
        let node = try parseArithmetic()
        guard case .operand(let left) = node else {
            if quantifier != nil { throw unexpected("a comparison after the quantifier") }
            return node
        }
        guard let op = try parseOperator() else {
            if quantifier != nil { throw unexpected("a comparison operator") }
            return node
        }
        let options = try parseModifiers()
        guard case .operand(let right) = try parseArithmetic() else { throw unexpected("a value") }
        let builder = PredicateComparison(op: op, options: options, isAny: quantifier != nil, start: start)
        let comparison = try builder.condition(left, right)
        // NONE is the negation of ANY, also where elements are grouped.
        return .condition(quantifier == PredicateQuantifier.noneOf ? .not(comparison) : comparison)
    }

    private mutating func parseOperator() throws(QueryError) -> Comparison.Operator? {
        let op: Comparison.Operator
        switch token.kind {
        case .symbol("=="), .symbol("="): op = .equal
        case .symbol("!="), .symbol("<>"): op = .notEqual
        case .symbol("<"): op = .less
        case .symbol("<="), .symbol("=<"): op = .lessOrEqual
        case .symbol(">"): op = .greater
        case .symbol(">="), .symbol("=>"): op = .greaterOrEqual
        case .keyword(.beginsWith): op = .beginsWith
        case .keyword(.endsWith): op = .endsWith
        case .keyword(.contains): op = .contains
        case .keyword(.like): op = .like
        case .keyword(.in): op = .isIn
        case .keyword(.between): op = .between
        case .keyword(.matches): throw failure(.unsupportedPredicate, "MATCHES is not supported")
        case .symbol(":="): throw failure(.unsupportedPredicate, "assignments are not supported")
        default: return nil
        }
        advance()
        return op
    }

    /// `[c]`, `[d]`, `[cd]`, `[dc]` in any casing.
    private mutating func parseModifiers() throws(QueryError) -> Comparison.Options {
        guard token.kind == .symbol("["), position + 2 < tokens.count,
            case .name(let letters) = tokens[position + 1].kind
        else { return [] }
        var options: Comparison.Options = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n", "l": throw failure(.unsupportedPredicate, "the modifier [\(letters)] is not supported")
            default: throw unexpected("the modifier [c], [d] or [cd]")
            }
        }
        advance()
        advance()
        try expect("]")
        return options
    }

    /// Arithmetic is read so that it can be refused by its name.
    private mutating func parseArithmetic() throws(QueryError) -> Node {
        let node = try parsePrimary()
        if case .operand = node, case .symbol(let symbol) = token.kind, ["+", "-", "*", "/", "**"].contains(symbol) {
            throw failure(.unsupportedPredicate, "arithmetic such as '\(symbol)' is not supported")
        }
        return node
    }

    private mutating func parsePrimary() throws(QueryError) -> Node {
        guard accept("(") else { return .operand(try parseOperand()) }
        try descend()
        defer { depth -= 1 }
        let node = try parseOr()
        try expect(")")
        return node
    }
}

enum PredicateQuantifier {
    case any, all, noneOf

    init?(_ keyword: PredicateKeyword) {
        switch keyword {
        case .any, .some: self = .any
        case .all: self = .all
        case .noneOf: self = .noneOf
        default: return nil
        }
    }
}
