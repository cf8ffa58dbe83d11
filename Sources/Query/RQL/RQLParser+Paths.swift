import Model

/// Key paths, what may follow them, SUBQUERY, descriptors.
extension RQLParser {
    /// What a path ends with.
    private enum Suffix {
        case none
        case count
        case aggregate(AggregateFunction, property: String?)
    }

    /// A path and its suffix as an operand.
    mutating func parseProperty(quantifier: Quantifier?) throws(QueryError) -> Operand {
        let start = token
        let (path, suffix) = try parsePath(allowsSuffix: true)
        switch suffix {
        case .none: return .path(path, quantifier: quantifier)
        // A quantifier before a count has no effect.
        case .count: return .count(path)
        case .aggregate(let function, let property):
            guard quantifier == nil else {
                throw QueryError(.syntax, "an aggregate takes no quantifier", offset: start.start)
            }
            return .aggregate(path, function, property: property)
        }
    }

    private mutating func parsePath(allowsSuffix: Bool) throws(QueryError) -> (PropertyPath, Suffix) {
        var steps: [PropertyPath.Step] = []
        if case .keyPathArgument(let index) = token.kind {
            let start = token
            advance()
            steps = keyPathArgument(index, at: start)
            if token.kind == .symbol(.dot) || token.kind == .symbol(.leftBracket), !nextIsSuffix {
                postpone(.argument, "nothing can follow $K\(index)", at: start)
            }
        } else if case .identifier(let name) = token.kind, let variable = variables.last, name == variable {
            advance()
        } else {
            try parseName(into: &steps)
        }
        while true {
            if token.kind == .symbol(.dot) {
                advance()
                if allowsSuffix, let suffix = try parseSuffix(into: &steps) { return (PropertyPath(steps), suffix) }
                try parseName(into: &steps)
            } else if token.kind == .symbol(.leftBracket) {
                advance()
                if allowsSuffix, keyword == .size, following.kind == .symbol(.rightBracket) {
                    advance()
                    advance()
                    return (PropertyPath(steps), .count)
                }
                try parseIndex(into: &steps)
                try expect(.rightBracket)
            } else {
                return (PropertyPath(steps), .none)
            }
        }
    }

    private var nextIsSuffix: Bool {
        switch following.kind {
        case .at(.count), .at(.size), .at(.type), .at(.min), .at(.max), .at(.sum), .at(.avg): true
        case .keyword(.size, _): token.kind == .symbol(.leftBracket)
        default: false
        }
    }

    private mutating func parseSuffix(into steps: inout [PropertyPath.Step]) throws(QueryError) -> Suffix? {
        guard case .at(let word) = token.kind else { return nil }
        let function: AggregateFunction
        switch word {
        case .count, .size:
            advance()
            return .count
        case .type:
            advance()
            steps.append(.type)
            return Suffix.none
        case .min: function = .min
        case .max: function = .max
        case .sum: function = .sum
        case .avg: function = .average
        case .links, .keys, .values: return nil
        }
        advance()
        guard accept(.dot) else { return .aggregate(function, property: nil) }
        guard let property = nameText() else { throw unexpected("the name of a property") }
        advance()
        return .aggregate(function, property: property)
    }

    /// The current token as a name; nil if it can't be one.
    private func nameText() -> String? {
        switch token.kind {
        case .identifier(let name): name
        case .keyword(let keyword, let text) where keyword.mayBeName: text
        case .at(.links): "@links"
        case .at(.keys): "@keys"
        case .at(.values): "@values"
        default: nil
        }
    }

    private mutating func parseName(into steps: inout [PropertyPath.Step]) throws(QueryError) {
        guard let name = nameText() else { throw unexpected("a value or the name of a property") }
        switch token.kind {
        case .at(.keys): steps.append(.keys)
        case .at(.values): steps.append(.values)
        case .at(.links):
            steps.append(try parseBacklinks())
            return
        default: steps.append(.name(name))
        }
        advance()
    }

    /// `@links`, `@links.Class.property`. With a class and nothing after it the query is wrong, but its syntax isn't.
    private mutating func parseBacklinks() throws(QueryError) -> PropertyPath.Step {
        let start = token
        advance()
        guard token.kind == .symbol(.dot), isName(following) else { return .allBacklinks }
        advance()
        let className = nameText() ?? ""
        advance()
        guard token.kind == .symbol(.dot), isName(following) else {
            postpone(.query, "@links.\(className) needs the name of a property after it", at: start)
            return .allBacklinks
        }
        advance()
        let property = nameText() ?? ""
        advance()
        return .backlinks(className: className, property: property)
    }

    private func isName(_ token: Token) -> Bool {
        switch token.kind {
        case .identifier, .at(.links), .at(.keys), .at(.values): true
        case .keyword(let keyword, _): keyword.mayBeName
        default: false
        }
    }

    private mutating func parseIndex(into steps: inout [PropertyPath.Step]) throws(QueryError) {
        switch token.kind {
        case .natural(let text): steps.append(.index(Int(IntegerLiteral.value(of: text))))
        case .keyword(.first, _): steps.append(.first)
        case .keyword(.last, _): steps.append(.last)
        case .symbol(.times): steps.append(.all)
        case .string(let key): steps.append(.key(key))
        case .argument(let index):
            switch argument(index, at: token) {
            case .value(.int(let value)) where value >= 0: steps.append(.index(Int(value)))
            case .value(.string(let key)): steps.append(.key(key))
            default: postpone(.query, "$\(index) is neither an index nor a key")
            }
        default: throw unexpected("an index or a key")
        }
        advance()
    }

    /// Steps of a whole path given as an argument.
    private mutating func keyPathArgument(_ index: Int, at token: Token) -> [PropertyPath.Step] {
        guard case .value(.string(let text)) = argument(index, at: token) else {
            postpone(.argument, "$K\(index) is no key path", at: token)
            return []
        }
        // The object itself, which the language has no word for.
        if text.isEmpty, extensions.contains(.predicateFormat) { return [] }
        guard let steps = PropertyPath(keyPath: text)?.steps else {
            postpone(.argument, "$K\(index) is no key path: '\(text)'", at: token)
            return []
        }
        return steps
    }

    // MARK: SUBQUERY

    mutating func parseSubquery() throws(QueryError) -> Operand {
        advance()
        try expect(.leftParenthesis)
        // Several functions of the parser, each with a frame of its own, stand between it and a SUBQUERY in it.
        try descend(2)
        defer { depth -= 2 }
        let (path, _) = try parsePath(allowsSuffix: false)
        try expect(.comma)
        guard case .identifier(let variable) = token.kind, variable.utf8.first == UInt8(ascii: "$"),
            variable.utf8.count > 1
        else {
            throw unexpected("a variable such as $x")
        }
        advance()
        try expect(.comma)
        variables.append(variable)
        let condition = try condition(try parseOr())
        variables.removeLast()
        try expect(.rightParenthesis)
        try expect(.dot)
        guard token.kind == .at(.count) || token.kind == .at(.size) else { throw unexpected("@count") }
        advance()
        return .subqueryCount(path, variable: variable, condition)
    }

    // MARK: Descriptors

    /// SORT, DISTINCT or LIMIT; nil where none begins.
    mutating func parseDescriptor() throws(QueryError) -> Descriptor? {
        switch keyword {
        case .sort:
            advance()
            try expect(.leftParenthesis)
            var keys: [SortKey] = []
            repeat {
                let path = try parseDescriptorPath()
                switch keyword {
                case .ascending, .asc: keys.append(SortKey(path, ascending: true))
                case .descending, .desc: keys.append(SortKey(path, ascending: false))
                default: throw unexpected("ASC or DESC")
                }
                advance()
            } while accept(.comma)
            try expect(.rightParenthesis)
            return .sort(keys)
        case .distinct:
            advance()
            try expect(.leftParenthesis)
            var paths: [PropertyPath] = []
            repeat { paths.append(try parseDescriptorPath()) } while accept(.comma)
            try expect(.rightParenthesis)
            return .distinct(paths)
        case .limit:
            advance()
            try expect(.leftParenthesis)
            guard case .natural(let text) = token.kind else { throw unexpected("a number without sign") }
            advance()
            try expect(.rightParenthesis)
            return .limit(Int(IntegerLiteral.value(of: text)))
        default:
            return nil
        }
    }

    private mutating func parseDescriptorPath() throws(QueryError) -> PropertyPath {
        if case .keyPathArgument = token.kind, !extensions.contains(.predicateFormat) {
            postpone(.sortDescriptor, "a path given as an argument can't be sorted by")
        }
        return try parsePath(allowsSuffix: false).0
    }
}

extension PropertyPath {
    /// A path from text with dots, `@links.Class.property`, `@keys` and `@values` included. Nil if a part is empty.
    package init?(keyPath text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        steps = []
        var index = 0
        while index < parts.count {
            switch parts[index] {
            case "@links" where index + 2 < parts.count:
                steps.append(.backlinks(className: parts[index + 1], property: parts[index + 2]))
                index += 2
            case "@links": steps.append(.allBacklinks)
            case "@keys": steps.append(.keys)
            case "@values": steps.append(.values)
            default: steps.append(.name(parts[index]))
            }
            index += 1
        }
    }
}
