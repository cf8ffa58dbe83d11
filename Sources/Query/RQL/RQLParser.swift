import Model

/// Recursive descent over the tokens of one query text.
///
/// Errors that aren't about syntax are kept until the whole text has been read, because a syntax error comes first.
struct RQLParser {
    let tokens: [Token]
    let arguments: [QueryArgument]
    let extensions: RQL.Extensions
    var position = 0
    var depth = 0
    /// Variables of the SUBQUERYs around the current token, the innermost last.
    var variables: [String] = []
    var deferred: QueryError?

    init(tokens: [Token], arguments: [QueryArgument], extensions: RQL.Extensions) {
        self.tokens = tokens
        self.arguments = arguments
        self.extensions = extensions
    }

    /// What stands between parentheses may turn out as either of these.
    enum Node {
        case condition(Condition)
        /// A plain operand is neither parenthesised nor arithmetic: the text operators and BETWEEN want one.
        case operand(Operand, isPlain: Bool)
    }

    mutating func parseText() throws(QueryError) -> (condition: Condition, descriptors: [Descriptor]) {
        let condition = try condition(try parseOr())
        var descriptors: [Descriptor] = []
        while let descriptor = try parseDescriptor() { descriptors.append(descriptor) }
        guard token.kind == .end else { throw unexpected("the end of the query") }
        if let deferred { throw deferred }
        return (condition, descriptors)
    }

    // MARK: Tokens

    var token: Token { tokens[position] }

    /// The token after the current one; the last is `end`.
    var following: Token { tokens[min(position + 1, tokens.count - 1)] }

    mutating func advance() {
        if position < tokens.count - 1 { position += 1 }
    }

    mutating func accept(_ symbol: Symbol) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: Symbol) throws(QueryError) {
        guard accept(symbol) else { throw unexpected("'\(symbol.rawValue)'") }
    }

    var keyword: Keyword? {
        if case .keyword(let keyword, _) = token.kind { keyword } else { nil }
    }

    func unexpected(_ expected: String) -> QueryError {
        QueryError(.syntax, "found \(Self.described(token.kind)), expected \(expected)", offset: token.start)
    }

    /// Remembers an error that a later syntax error would precede.
    mutating func postpone(_ kind: QueryError.Kind, _ message: String, at token: Token? = nil) {
        if deferred == nil { deferred = QueryError(kind, message, offset: (token ?? self.token).start) }
    }

    mutating func descend(_ levels: Int = 1) throws(QueryError) {
        depth += levels
        guard depth <= QueryLimits.depth else {
            throw QueryError(.syntax, "nested more than \(QueryLimits.depth) levels deep", offset: token.start)
        }
    }

    // MARK: Conditions

    func condition(_ node: Node) throws(QueryError) -> Condition {
        switch node {
        case .condition(let condition): return condition
        case .operand: throw unexpected("a comparison operator")
        }
    }

    mutating func parseOr() throws(QueryError) -> Node {
        let first = try parseAnd()
        guard token.kind == .symbol(.or) || keyword == .or else { return first }
        var parts = [try condition(first)]
        while token.kind == .symbol(.or) || keyword == .or {
            advance()
            parts.append(try condition(try parseAnd()))
        }
        return .condition(.or(parts))
    }

    private mutating func parseAnd() throws(QueryError) -> Node {
        let first = try parseNot()
        guard token.kind == .symbol(.and) || keyword == .and else { return first }
        var parts = [try condition(first)]
        while token.kind == .symbol(.and) || keyword == .and {
            advance()
            parts.append(try condition(try parseNot()))
        }
        return .condition(.and(parts))
    }

    private mutating func parseNot() throws(QueryError) -> Node {
        guard token.kind == .symbol(.not) || keyword == .not else { return try parseComparison() }
        advance()
        try descend()
        defer { depth -= 1 }
        return .condition(.not(try condition(try parseNot())))
    }

    private mutating func parseComparison() throws(QueryError) -> Node {
        if keyword == .truePredicate || keyword == .falsePredicate {
            let value = keyword == .truePredicate
            advance()
            return .condition(.constant(value))
        }
        let node = try parseArithmetic()
        guard case .operand(let left, let isPlain) = node, let op = comparisonOperator() else { return node }
        return try parseComparison(left, isPlain: isPlain, op)
    }

    private mutating func parseComparison(
        _ left: Operand, isPlain: Bool, _ op: Comparison.Operator
    ) throws(QueryError) -> Node {
        switch op {
        case .equal, .notEqual, .isIn:
            advance()
            let options = try parseModifiers(allowed: .caseInsensitive, extended: [.diacriticInsensitive])
            return comparison(left, op, try parseTerm(0), options)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            advance()
            return comparison(left, op, try parseTerm(0))
        case .beginsWith, .endsWith, .contains, .like:
            guard isPlain else { throw unexpected("a value without parentheses or arithmetic before this operator") }
            advance()
            let options = try parseModifiers(allowed: .caseInsensitive, extended: [.diacriticInsensitive])
            return comparison(left, op, try parseValue(), options)
        case .fullText:
            guard isPlain else { throw unexpected("a value without parentheses or arithmetic before this operator") }
            advance()
            return comparison(left, op, try parseValue())
        case .between:
            guard isPlain else { throw unexpected("a value without parentheses or arithmetic before this operator") }
            advance()
            let options = try parseModifiers(allowed: [], extended: [.sameElement])
            return comparison(left, op, try parseList(), options)
        case .geoWithin:
            guard case .path = left, isPlain else { throw unexpected("a property before this operator") }
            advance()
            return comparison(left, op, try parseGeoOperand())
        }
    }

    private func comparison(
        _ left: Operand, _ op: Comparison.Operator, _ right: Operand, _ options: Comparison.Options = []
    ) -> Node {
        .condition(.comparison(Comparison(left, op, right, options: options)))
    }

    private func comparisonOperator() -> Comparison.Operator? {
        switch token.kind {
        case .symbol(.equal): .equal
        case .symbol(.notEqual): .notEqual
        case .symbol(.less): .less
        case .symbol(.lessOrEqual): .lessOrEqual
        case .symbol(.greater): .greater
        case .symbol(.greaterOrEqual): .greaterOrEqual
        case .keyword(.in, _): .isIn
        case .keyword(.beginsWith, _): .beginsWith
        case .keyword(.endsWith, _): .endsWith
        case .keyword(.contains, _): .contains
        case .keyword(.like, _): .like
        case .keyword(.between, _): .between
        case .keyword(.text, _): .fullText
        case .keyword(.geoWithin, _): .geoWithin
        // The reference's serialiser writes this for TEXT.
        case .identifier(let name) where name.lowercased() == "fulltext": .fullText
        default: nil
        }
    }

    private mutating func parseModifiers(
        allowed: Comparison.Options, extended: Comparison.Options
    ) throws(QueryError) -> Comparison.Options {
        guard case .modifiers(let options) = token.kind else { return [] }
        guard allowed.union(extended).isSuperset(of: options) else { throw unexpected("a value") }
        advance()
        return options
    }

    // MARK: Arithmetic

    /// A chain of operators that bind at least as tight as `lowest`.
    private mutating func parseArithmetic(_ lowest: Int = 0) throws(QueryError) -> Node {
        var node = try parsePrimary()
        let depthBefore = depth
        defer { depth = depthBefore }
        while case .operand(let left, _) = node, let (op, precedence) = arithmeticOperator(), precedence >= lowest {
            advance()
            // Each operator makes the tree one deeper, as parentheses would.
            try descend()
            node = .operand(.arithmetic(left, op, try parseTerm(precedence + 1)), isPlain: false)
        }
        return node
    }

    private mutating func parseTerm(_ lowest: Int) throws(QueryError) -> Operand {
        guard case .operand(let operand, _) = try parseArithmetic(lowest) else { throw unexpected("a value") }
        return operand
    }

    private func arithmeticOperator() -> (ArithmeticOperator, precedence: Int)? {
        switch token.kind {
        case .symbol(.plus): (.add, 0)
        case .symbol(.minus): (.subtract, 0)
        case .symbol(.times): (.multiply, 1)
        case .symbol(.divide): (.divide, 1)
        default: nil
        }
    }

    private mutating func parsePrimary() throws(QueryError) -> Node {
        guard accept(.leftParenthesis) else { return .operand(try parseValue(), isPlain: true) }
        try descend()
        defer { depth -= 1 }
        let node = try parseOr()
        try expect(.rightParenthesis)
        switch node {
        case .condition: return node
        case .operand(let operand, _): return .operand(operand, isPlain: false)
        }
    }
}
