import Foundation
import Model

/// A piece of query text and where it starts and ends in bytes.
struct Token: Equatable {
    enum Kind: Equatable {
        case symbol(Symbol)
        /// The text as written: many keywords may be names too.
        case keyword(Keyword, text: String)
        case at(AtWord)
        case identifier(String)
        case argument(Int)
        case keyPathArgument(Int)
        case string(String)
        case base64([UInt8])
        case natural(String)
        case number(String)
        case float(String)
        case infinity(isNegative: Bool)
        case nan
        case uuid(UUID)
        case objectId(ObjectId)
        case timestamp(Timestamp)
        /// A date whose year is below 1900: a query error, so not one of the tokenizer's.
        case ancientDate
        case objectKey(table: UInt32?, key: Int64)
        /// `[c]`, and with extensions `[d]`, `[cd]`, `[dc]`, `[e]`.
        case modifiers(Comparison.Options)
        case end
    }

    var kind: Kind
    var start: Int
    var end: Int
}

enum Symbol: String {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case leftBrace = "{"
    case rightBrace = "}"
    case leftBracket = "["
    case rightBracket = "]"
    case comma = ","
    case dot = "."
}

enum Keyword: String {
    case and, or, not
    case beginsWith = "beginswith"
    case endsWith = "endswith"
    case contains, like, between, text
    case geoWithin = "geowithin"
    case truePredicate = "truepredicate"
    case falsePredicate = "falsepredicate"
    case sort, distinct, limit
    case ascending, asc, descending, desc
    case subquery, obj, binary, bin
    case geoBox = "geobox"
    case geoPolygon = "geopolygon"
    case geoCircle = "geocircle"
    case inf, infinity, nan, null, `nil`
    case `in`, any, some, all
    case noneOf = "none"
    case `true`, `false`, first, last, size

    /// All lower or all upper case only.
    var hasTwoCasings: Bool {
        switch self {
        case .in, .any, .some, .all, .noneOf, .true, .false, .first, .last, .size, .not: true
        default: false
        }
    }

    /// Whether it may stand for a property of that name.
    var mayBeName: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .between, .text, .sort, .distinct, .limit, .ascending, .asc,
            .descending, .desc, .in, .binary, .bin, .first, .last, .size:
            true
        default: false
        }
    }

    /// The keyword that an identifier's text spells, if any.
    init?(spelling text: String) {
        guard text.utf8.count <= 14, let keyword = Keyword(rawValue: text.lowercased()) else { return nil }
        if keyword.hasTwoCasings, text != keyword.rawValue, text != keyword.rawValue.uppercased() { return nil }
        self = keyword
    }
}

enum AtWord: String {
    case count, size, min, max, sum, avg, links, type, keys, values
}
