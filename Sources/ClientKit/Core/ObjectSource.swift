import Model
import Query
import Store

/// Which objects a collection starts from.
package enum ObjectSource: Hashable {
    /// All objects of the class.
    case table
    /// The elements of a list property, in its order, as often as they occur.
    case list(owner: ClassInfo, key: ObjectKey, column: StoredColumn)
    /// The objects of the class whose property links to an object.
    case backlinks(target: ClassInfo, key: ObjectKey, column: StoredColumn)
}

/// A live collection of objects, described: `Results` is this plus a cache.
package struct CollectionQuery: Hashable {
    package var info: ClassInfo
    package var source: ObjectSource
    package var condition: Condition
    package var descriptors: [Descriptor]

    package init(
        _ info: ClassInfo, source: ObjectSource = .table, condition: Condition = .constant(true),
        descriptors: [Descriptor] = []
    ) {
        self.info = info
        self.source = source
        self.condition = condition
        self.descriptors = descriptors
    }

    package var classQuery: ClassQuery { ClassQuery(info.name, condition, descriptors) }

    /// Whether it is simply all objects of the class.
    package var isWholeTable: Bool {
        source == .table && condition == .constant(true) && descriptors.isEmpty
    }
}

/// The result of evaluating a collection.
package enum KeySource {
    /// All objects of the class, found by position in the file as they are asked for.
    case table(count: Int)
    case keys([ObjectKey])

    package var count: Int {
        switch self {
        case .table(let count): count
        case .keys(let keys): keys.count
        }
    }
}

/// What an observation of a collection watches.
package enum ObservedSource: Hashable {
    case results(CollectionQuery)
    /// A list or set property, of values or of objects; or a list inside of a mixed value, by the steps to it.
    case list(ClassInfo, ObjectKey, StoredColumn, [MixedStep])
}
