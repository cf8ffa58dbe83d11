import Model

/// A query on one class: which objects, in which order, which of equal ones, how many.
package struct ClassQuery: Hashable, Sendable {
    package var className: String
    package var condition: Condition
    /// Sort, distinct and limit in the order in which they apply.
    package var descriptors: [Descriptor]

    package init(_ className: String, _ condition: Condition = .constant(true), _ descriptors: [Descriptor] = []) {
        self.className = className
        self.condition = condition
        self.descriptors = descriptors
    }
}

/// What follows the condition of a query.
package enum Descriptor: Hashable, Sendable {
    case sort([SortKey])
    case distinct([PropertyPath])
    case limit(Int)
    /// Keeps what satisfies a condition of that which the descriptors before it left. No text says this: a filter
    /// of results that are distinct already.
    case filter(Condition)
}

extension ClassQuery {
    /// The query as several that texts can say, each to be run on what the one before it left: a filter begins a new
    /// one.
    package var stages: [ClassQuery] {
        var stages = [ClassQuery(className, condition)]
        for descriptor in descriptors {
            if case .filter(let condition) = descriptor {
                stages.append(ClassQuery(className, condition))
            } else {
                stages[stages.count - 1].descriptors.append(descriptor)
            }
        }
        return stages
    }
}

/// One criterion of a sort, the first being the primary one.
package struct SortKey: Hashable, Sendable {
    package var path: PropertyPath
    package var ascending: Bool

    package init(_ path: PropertyPath, ascending: Bool = true) {
        self.path = path
        self.ascending = ascending
    }
}

/// The Boolean part of a query.
package indirect enum Condition: Hashable, Sendable {
    case constant(Bool)
    case and([Condition])
    case or([Condition])
    case not(Condition)
    case comparison(Comparison)
}

/// `left OP right`.
package struct Comparison: Hashable, Sendable {
    package enum Operator: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "IN"
        case between = "BETWEEN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case fullText = "TEXT"
        case geoWithin = "GEOWITHIN"
    }

    /// How strings match, and what BETWEEN means over several values. All but the first in the Swift dialect only.
    package struct Options: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let caseInsensitive = Options(rawValue: 1)
        package static let diacriticInsensitive = Options(rawValue: 2)
        /// BETWEEN: one element lies between both bounds, not one above the lower and one below the upper.
        package static let sameElement = Options(rawValue: 4)
    }

    package var left: Operand
    package var op: Operator
    package var right: Operand
    package var options: Options

    package init(_ left: Operand, _ op: Operator, _ right: Operand, options: Options = []) {
        self.left = left
        self.op = op
        self.right = right
        self.options = options
    }
}

/// One side of a comparison.
package indirect enum Operand: Hashable, Sendable {
    case constant(Value)
    /// A list literal or list argument, with the quantifier written before it, if any.
    case list([Value], quantifier: Quantifier?)
    case path(PropertyPath, quantifier: Quantifier?)
    /// `path.@count` or `path.@size`: elements of a collection, bytes of a string.
    case count(PropertyPath)
    /// `path.@min`, or `path.@min.property` over a collection of objects.
    case aggregate(PropertyPath, AggregateFunction, property: String?)
    /// `SUBQUERY(path, $variable, condition).@count`; the condition is on the class of the path.
    case subqueryCount(PropertyPath, variable: String, Condition)
    case arithmetic(Operand, ArithmeticOperator, Operand)
    /// The right side of GEOWITHIN.
    case geo(GeoShape)
    /// `O<key>` or `L<table>:<key>`: an object by the number that the file gives it. Without table: of the
    /// class on the other side.
    case objectKey(table: UInt32?, key: Int64)
    /// An argument or a number with many digits. Only between parser and check: `checked` leaves `constant`.
    case source(SourceConstant)
    /// A list with such elements. `checked` leaves `list`.
    case sourceList([SourceConstant], quantifier: Quantifier?)
}

package enum Quantifier: String, Hashable, Sendable {
    case any = "ANY"
    case all = "ALL"
    case none = "NONE"
}

package enum AggregateFunction: String, Hashable, Sendable {
    case min, max, sum
    case average = "avg"
}

package enum ArithmeticOperator: String, Hashable, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}

/// A key path: property names through links, with what may stand between them.
package struct PropertyPath: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        /// A property, or a dictionary key written with a dot.
        case name(String)
        /// `[3]`
        case index(Int)
        /// `['key']`
        case key(String)
        /// `[FIRST]`, `[LAST]`, `[*]`
        case first, last, all
        /// `@links.Class.property`: objects of that class whose property links here.
        case backlinks(className: String, property: String)
        /// `@keys`, `@values` of a dictionary.
        case keys, values
        /// `@type`, and `@links.@count`'s receiver.
        case type, allBacklinks
        /// `length` after a list of strings or binaries: bytes of each. The check puts it in place of the name.
        case length
    }

    /// Empty: the object (or element) itself, `SELF`.
    package var steps: [Step]

    package init(_ steps: [Step]) {
        self.steps = steps
    }

    /// The path `a.b.c` of plain property names.
    package init(names: [String]) {
        steps = names.map { .name($0) }
    }
}
