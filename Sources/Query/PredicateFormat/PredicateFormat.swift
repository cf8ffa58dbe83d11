import Model

/// The predicate-format dialect that Swift programs write (rql.md section 23).
package enum PredicateFormat {
    /// Reads a format and its arguments into the tree of the query language, whose meaning it then has.
    ///
    /// Arguments become nodes of the tree: they can't inject syntax. Names and types are not looked at.
    /// - Throws: `QueryError` of kind `invalidPredicate`, `unsupportedPredicate` or `invalidValue`.
    package static func parse(
        _ format: String, _ arguments: [QueryArgument] = []
    ) throws(QueryError) -> Condition {
        guard format.utf8.count <= QueryLimits.textBytes else {
            throw QueryError(.invalidPredicate, "the predicate has more than \(QueryLimits.textBytes) bytes")
        }
        var tokenizer = PredicateTokenizer(format, arguments)
        var parser = PredicateParser(tokens: try tokenizer.tokenize())
        let condition = try parser.parseWhole()
        guard tokenizer.used == arguments.count else {
            throw QueryError(
                .invalidPredicate,
                "the predicate uses \(tokenizer.used) arguments, but \(arguments.count) are provided")
        }
        return condition
    }
}
