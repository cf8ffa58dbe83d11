import Model

/// The text query language (rql.md sections 1–19).
package enum RQL {
    /// What a text may contain beyond the language.
    package struct Extensions: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// What the predicate format can say and the language can't, so that a client can hand it to its agent:
        /// `[d]`, `[cd]`, `BETWEEN[e]` (one element lies between both), and an empty `$K` for the object itself.
        package static let predicateFormat = Extensions(rawValue: 1)
    }

    /// Reads a query text. Names and types are not looked at: that is `ClassQuery.checked(in:)`.
    ///
    /// - Throws: `QueryError` of kind `syntax`, or `query` and `argument` for what is wrong in itself (a year below
    ///   1900, a missing argument). A syntax error comes before all others.
    package static func parse(
        _ text: String, arguments: [QueryArgument] = [], extensions: Extensions = []
    ) throws(QueryError) -> (condition: Condition, descriptors: [Descriptor]) {
        guard text.utf8.count <= QueryLimits.textBytes else {
            throw QueryError(.syntax, "the query has more than \(QueryLimits.textBytes) bytes")
        }
        var tokenizer = Tokenizer(text, extensions: extensions)
        var parser = RQLParser(tokens: try tokenizer.tokenize(), arguments: arguments, extensions: extensions)
        return try parser.parseText()
    }
}
