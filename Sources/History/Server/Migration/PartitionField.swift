import Model
import Query
import Sync

/// The property that says which partition an object belonged to, in an app that was synced by partition before its objects
/// were put together (F-93).
package struct PartitionField: Hashable, Sendable {
    package var property: String
    package var type: ValueType
    package var isNullable: Bool

    package init(property: String, type: ValueType, isNullable: Bool) {
        self.property = property
        self.type = type
        self.isNullable = isNullable
    }

    /// The query that selects what a partition held, as RQL (F-93).
    package func query(_ partition: PartitionValue) throws -> String {
        let condition = Condition.comparison(
            Comparison(
                .path(PropertyPath(names: [property]), quantifier: nil), .equal, .constant(partition.value)))
        let printed = try RQL.print(condition, standalone: true)
        guard printed.arguments.isEmpty else { throw QueryError(.query, "no query can say this partition") }
        return printed.text
    }

    /// How the property is added to classes that lack it.
    var declaration: ColumnDeclaration {
        ColumnDeclaration(
            type: type.rawValue, isNullable: isNullable, collection: .single, target: nil, keyType: nil)
    }

    /// Whether a class that has the property has it in a way that can hold partitions.
    func isServed(by property: PropertySchema) -> Bool {
        property.type == type && property.collection == .single
    }

    /// The partition that a value of the property names; nil: none.
    func partition(_ value: Value) -> PartitionValue? {
        switch (value, type) {
        case (.null, _): isNullable ? .null : nil
        case (.string(let value), .string): .string(value)
        case (.int(let value), .int): .int(value)
        case (.objectId(let value), .objectId): .objectId(value)
        case (.uuid(let value), .uuid): .uuid(value)
        default: nil
        }
    }

    /// Whether an object can be in a partition.
    package func accepts(_ partition: PartitionValue) -> Bool { self.partition(partition.value) != nil }

    /// Whether a value is what an object has of which nobody has said where it belongs. Numbers may well be 0.
    func isUnset(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.isEmpty
        case .objectId(let id): id.high == 0 && id.low == 0
        case .uuid(let id): withUnsafeBytes(of: id.uuid) { $0.allSatisfy { $0 == 0 } }
        default: false
        }
    }
}

extension PartitionValue {
    /// As the partition's objects have it.
    package var value: Value {
        switch self {
        case .null: .null
        case .string(let value): .string(value)
        case .int(let value): .int(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        }
    }
}

/// Why the objects of an app can't be moved from one kind of sync to the other: nothing has changed.
package struct MigrationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }

    /// So many objects are named.
    static let namedObjects = 20

    /// `names` are the first of `count`.
    static func list(_ names: [String], of count: Int) -> String {
        names.joined(separator: ", ") + (count > names.count ? ", and \(count - names.count) more" : "")
    }
}
