import Foundation
import Query

/// Asks a predicate for the condition that it was made of: Foundation's predicates on Linux consist of a block, and
/// the block of one made from a format answers this.
final class PredicateProbe {
    var condition: Condition?
}

// Foundation has these on Apple platforms only.
extension NSPredicate {
    /// A predicate in the query language, for collections of a realm. Traps if the format is wrong.
    ///
    ///     dogs.filter(NSPredicate(format: "age > %@ AND name BEGINSWITH 'R'", 3))
    public convenience init(format: String, _ arguments: Any...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// As `init(format:_:)`, with the arguments in an array.
    public convenience init(format: String, argumentArray arguments: [Any]?) {
        let (text, origins) = QueryOrigins.collecting { PredicateText(format, arguments ?? []) }
        self.init { object, _ in
            guard let probe = object as? PredicateProbe else { return false }
            probe.condition = text.condition
            for origin in origins { QueryOrigins.current?.note(origin) }
            return false
        }
    }
}
