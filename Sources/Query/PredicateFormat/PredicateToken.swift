import Model

struct PredicateToken: Equatable {
    enum Kind: Equatable {
        case symbol(String)
        case keyword(PredicateKeyword)
        /// A name, also one that `#` marks as such.
        case name(String)
        case variable(String)
        /// `@count`, `@allKeys`, without the sign.
        case collectionOperator(String)
        case constant(Value)
        case list([Value])
        case geo(GeoShape)
        /// `%K`.
        case keyPath(String)
        case end
    }

    var kind: Kind
    var start: Int
    /// As written, for messages.
    var text: String
}

/// Reserved words, any casing.
enum PredicateKeyword: String {
    case and, or, not, any, all, some
    case noneOf = "none"
    case `in`, between, like, matches, contains
    case beginsWith = "beginswith"
    case endsWith = "endswith"
    case null, `nil`, `true`, yes, `false`, no
    case this = "self"
    case first, last, size, subquery, cast
    case truePredicate = "truepredicate"
    case falsePredicate = "falsepredicate"
    case caseInsensitive = "caseinsensitive"
    case ci
    case anyKey = "anykey"
}
