import Model

extension RQLPrinter {
    /// A path; inside SUBQUERY it starts with the variable. Names that can't be written go into an argument.
    mutating func text(_ path: PropertyPath) throws(QueryError) -> String {
        do {
            return try written(path)
        } catch {
            guard variables.isEmpty, let keyPath = path.keyPath else { throw error }
            arguments.append(.value(.string(keyPath)))
            return "$K\(arguments.count - 1)"
        }
    }

    private mutating func written(_ path: PropertyPath) throws(QueryError) -> String {
        var text = variables.last ?? ""
        for (position, step) in path.steps.enumerated() {
            let dot = text.isEmpty ? "" : "."
            switch step {
            case .name(let property): text += dot + (try name(property))
            case .length: text += dot + "length"
            case .backlinks(let className, let property):
                text += dot + "@links.\(try name(className)).\(try name(property))"
            case .allBacklinks: text += dot + "@links"
            case .keys: text += dot + "@keys"
            case .values: text += dot + "@values"
            case .type: text += dot + "@type"
            case .index, .key, .first, .last, .all:
                guard !text.isEmpty else { throw Self.unwritable("a path that begins with an index") }
                text += "[\(subscriptText(step))]"
            }
            if step == .type, position < path.steps.count - 1 { throw Self.unwritable("a step after @type") }
        }
        guard !text.isEmpty else { throw Self.unwritable("the object itself") }
        return text
    }

    private mutating func subscriptText(_ step: PropertyPath.Step) -> String {
        switch step {
        case .index(let index): String(index)
        case .key(let key):
            if Self.isSafe(key) { "'\(key)'" } else { argument(.value(.string(key))) }
        case .first: "FIRST"
        case .last: "LAST"
        default: "*"
        }
    }

    /// A property's or class's name as an identifier.
    func name(_ name: String) throws(QueryError) -> String {
        var text = ""
        for character in name.unicodeScalars {
            switch character {
            case " ": text += "\\ "
            case "\t": text += "\\t"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            default: text.unicodeScalars.append(character)
            }
        }
        var tokenizer = Tokenizer(text)
        let tokens = try? tokenizer.tokenize()
        switch tokens?.first?.kind {
        case .identifier(let read) where tokens?.count == 2 && read == name: return text
        case .keyword(let keyword, let read) where tokens?.count == 2 && keyword.mayBeName && read == name: return text
        default: throw Self.unwritable("the name '\(name)'")
        }
    }

    static func unwritable(_ what: String) -> QueryError { .query("\(what) can't be written in a query text") }
}

extension PropertyPath {
    /// Text with dots that `init(keyPath:)` reads as this path, empty for the object itself; nil if there is none.
    package var keyPath: String? {
        var parts: [String] = []
        for step in steps {
            switch step {
            case .name(let name): parts.append(name)
            case .backlinks(let className, let property): parts.append("@links.\(className).\(property)")
            case .allBacklinks: parts.append("@links")
            case .keys: parts.append("@keys")
            case .values: parts.append("@values")
            default: return nil
            }
        }
        let text = parts.joined(separator: ".")
        return steps.isEmpty || PropertyPath(keyPath: text) == self ? text : nil
    }
}
