import Model

/// One side of a comparison in a predicate format.
enum PredicateOperand {
    case constant(Value)
    case list([Value])
    case geo(GeoShape)
    case path(PropertyPath)
    /// `@count`, `@min` …, SUBQUERY: numbers made of a collection.
    case computed(Operand)
}

extension PredicateParser {
    mutating func parseOperand() throws(QueryError) -> PredicateOperand {
        switch token.kind {
        case .constant(let value):
            advance()
            return .constant(value)
        case .list(let values):
            advance()
            return .list(values)
        case .geo(let shape):
            advance()
            return .geo(shape)
        case .symbol("-"), .symbol("+"): return .constant(try parseSigned())
        case .symbol("{"): return .list(try parseBraces())
        case .keyword(.true), .keyword(.yes), .keyword(.false), .keyword(.no), .keyword(.null), .keyword(.nil):
            return .constant(try parseWord())
        case .keyword(.subquery): return .computed(try parseSubquery())
        case .keyword(.cast), .keyword(.anyKey):
            throw failure(.unsupportedPredicate, "\(token.text) is not supported")
        case .name(let name):
            if position + 1 < tokens.count, [.symbol("("), .symbol(":")].contains(tokens[position + 1].kind) {
                throw failure(.unsupportedPredicate, "functions such as '\(name)' are not supported")
            }
            return try parsePath()
        case .keyPath, .variable, .keyword(.this): return try parsePath()
        default: throw unexpected("a value or a key path")
        }
    }

    private mutating func parseSigned() throws(QueryError) -> Value {
        let isNegative = token.kind == .symbol("-")
        advance()
        guard case .constant(let value) = token.kind else {
            throw failure(.unsupportedPredicate, "a sign before anything but a number is not supported")
        }
        switch value {
        case .int(let number):
            advance()
            return .int(isNegative ? -number : number)
        case .double(let number):
            advance()
            if isNegative, number == 0x1p63, !token.text.contains(".") { return .int(Int64.min) }
            return .double(isNegative ? -number : number)
        default: throw unexpected("a number after the sign")
        }
    }

    private mutating func parseWord() throws(QueryError) -> Value {
        let value: Value
        switch keyword {
        case .true, .yes: value = .bool(true)
        case .false, .no: value = .bool(false)
        default: value = .null
        }
        advance()
        return value
    }

    private mutating func parseBraces() throws(QueryError) -> [Value] {
        try expect("{")
        var values: [Value] = []
        if accept("}") { return values }
        repeat {
            // A list in a list would let a text nest without limit.
            guard token.kind != .symbol("{"), case .constant(let value) = try parseOperand() else {
                throw unexpected("constants in the list")
            }
            values.append(value)
        } while accept(",")
        try expect("}")
        return values
    }

    // MARK: Key paths

    private mutating func parsePath() throws(QueryError) -> PredicateOperand {
        var steps: [PropertyPath.Step] = []
        switch token.kind {
        case .keyword(.this): advance()
        case .variable(let name):
            guard name == variables.last else {
                throw failure(.invalidPredicate, "the variable \(name) is unknown here")
            }
            advance()
        case .keyPath(let text):
            if let operand = try appendKeyPath(text, to: &steps) { return operand }
        case .name(let name):
            steps.append(.name(name))
            advance()
        default: throw unexpected("a key path")
        }
        while true {
            if token.kind == .symbol("[") {
                try parseSubscript(into: &steps)
            } else if accept(".") {
                if case .some(.index) = steps.last { throw stepAfterSubscript }
                if case .some(.key) = steps.last { throw stepAfterSubscript }
                if let operand = try parseStep(into: &steps) { return operand }
            } else {
                return .path(PropertyPath(steps))
            }
        }
    }

    private var stepAfterSubscript: QueryError {
        failure(.unsupportedPredicate, "a property after a subscript is not supported")
    }

    /// A name, or a collection operator, which ends the path.
    private mutating func parseStep(into steps: inout [PropertyPath.Step]) throws(QueryError) -> PredicateOperand? {
        switch token.kind {
        case .name(let name):
            steps.append(.name(name))
            advance()
        case .keyPath(let text): return try appendKeyPath(text, to: &steps)
        case .collectionOperator(let name):
            advance()
            guard name != "links" else { throw failure(.unsupportedPredicate, "@links is not supported") }
            var property: String?
            if Self.functions[name] != nil, accept(".") {
                switch token.kind {
                case .name(let name): property = name
                case .keyPath(let name): property = name
                default: throw unexpected("the name of a property")
                }
                advance()
            }
            guard let operand = Self.operand(PropertyPath(steps), name, property) else {
                throw failure(.unsupportedPredicate, "@\(name) is not supported")
            }
            return operand
        default: throw unexpected("the name of a property")
        }
        return nil
    }

    private static let functions: [String: AggregateFunction] = [
        "min": .min, "max": .max, "sum": .sum, "avg": .average
    ]

    private static func operand(
        _ path: PropertyPath, _ collectionOperator: String, _ property: String?
    ) -> PredicateOperand? {
        switch collectionOperator {
        case "count": return .computed(.count(path))
        case "allKeys": return .path(PropertyPath(path.steps + [.keys]))
        case "allValues": return .path(PropertyPath(path.steps + [.values]))
        default: return functions[collectionOperator].map { .computed(.aggregate(path, $0, property: property)) }
        }
    }

    /// The steps of `%K`; its dots split (Q-143).
    private mutating func appendKeyPath(
        _ text: String, to steps: inout [PropertyPath.Step]
    ) throws(QueryError) -> PredicateOperand? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, part) in parts.enumerated() {
            if part.isEmpty { throw failure(.invalidPredicate, "the key path '\(text)' has an empty part") }
            if part.hasPrefix("@") {
                let rest = parts[(index + 1)...]
                guard rest.count <= 1,
                    let operand = Self.operand(PropertyPath(steps), String(part.dropFirst()), rest.first)
                else { throw failure(.invalidPredicate, "'\(part)' stands in the wrong place in '\(text)'") }
                advance()
                return operand
            }
            if index > 0 || part.lowercased() != "self" { steps.append(.name(part)) }
        }
        advance()
        return nil
    }

    private mutating func parseSubscript(into steps: inout [PropertyPath.Step]) throws(QueryError) {
        try expect("[")
        switch token.kind {
        case .constant(.int(let index)) where index >= 0: steps.append(.index(Int(index)))
        case .constant(.string(let key)): steps.append(.key(key))
        case .keyPath("#any"): steps.append(.all)
        case .name("any") where token.text.hasPrefix("#"): steps.append(.all)
        case .keyword(.first), .keyword(.last), .keyword(.size):
            throw failure(.unsupportedPredicate, "the subscript [\(token.text)] is not supported")
        default: throw failure(.invalidPredicate, "'\(token.text)' is no subscript")
        }
        advance()
        try expect("]")
    }

    // MARK: SUBQUERY

    private mutating func parseSubquery() throws(QueryError) -> Operand {
        advance()
        try expect("(")
        try descend()
        defer { depth -= 1 }
        guard case .path(let path) = try parseOperand() else { throw unexpected("a collection") }
        try expect(",")
        guard case .variable(let variable) = token.kind else { throw unexpected("a variable such as $x") }
        advance()
        try expect(",")
        variables.append(variable)
        let condition = try parsePredicate()
        variables.removeLast()
        try expect(")")
        guard accept("."), token.kind == .collectionOperator("count") else {
            throw failure(.unsupportedPredicate, "SUBQUERY must be followed by .@count")
        }
        advance()
        return .subqueryCount(path, variable: variable, condition)
    }
}
