/// Why a query can't be built or run.
package struct QueryError: Error, Hashable, Sendable {
    /// Stable names, also on the wire. New ones may come.
    package struct Kind: Hashable, Sendable, CustomStringConvertible {
        package let name: String
        package init(name: String) { self.name = name }
        package var description: String { name }

        /// Tokens and grammar.
        package static let syntax = Kind(name: "SyntaxError")
        /// Properties, types, operators that don't go together.
        package static let query = Kind(name: "InvalidQuery")
        /// An argument that is missing or doesn't fit.
        package static let argument = Kind(name: "InvalidQueryArg")
        /// Aliases that don't end.
        package static let mapping = Kind(name: "MappingError")
        /// A path that can't be sorted by.
        package static let sortDescriptor = Kind(name: "InvalidSortDescriptor")
        /// Legal, but this realm can't do it.
        package static let illegalOperation = Kind(name: "IllegalOperation")

        /// Predicate format: syntax, unknown property, use of collections.
        package static let invalidPredicate = Kind(name: "InvalidPredicate")
        /// Predicate format: a constant that the property can't have.
        package static let invalidValue = Kind(name: "InvalidValue")
        /// Predicate format: understood, but not offered.
        package static let unsupportedPredicate = Kind(name: "UnsupportedPredicate")
        /// Predicate format: an operator that the type doesn't have.
        package static let invalidOperator = Kind(name: "InvalidOperatorType")
    }

    package var kind: Kind
    package var message: String
    /// Where in the text's UTF-8 bytes, for errors of the text.
    package var offset: Int?

    package init(_ kind: Kind, _ message: String, offset: Int? = nil) {
        self.kind = kind
        self.message = message
        self.offset = offset
    }

    static func query(_ message: String) -> QueryError { QueryError(.query, message) }
    static func argument(_ message: String) -> QueryError { QueryError(.argument, message) }
}

extension QueryError: CustomStringConvertible {
    package var description: String {
        offset.map { "\(kind.name) at byte \($0): \(message)" } ?? "\(kind.name): \(message)"
    }
}

/// Limits on what a query text may ask of the parser.
package enum QueryLimits {
    /// Bytes of one query text.
    package static let textBytes = 256 * 1024
    /// Levels of parentheses, NOT, SUBQUERY and chained arithmetic.
    package static let depth = 500
    /// Steps of one path.
    package static let steps = 200
}
