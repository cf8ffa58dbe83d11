import History
import Model
import Sync

/// The property whose value says which partition an object belongs to.
package struct PartitionKey: Hashable, Sendable, Codable {
    package enum ValueType: String, Hashable, Sendable, Codable, CaseIterable {
        case string, int, objectId, uuid
    }

    package var property: String
    package var type: ValueType
    /// Whether null is a partition, too.
    package var isNullable: Bool

    package init(_ property: String, _ type: ValueType, isNullable: Bool = false) {
        self.property = property
        self.type = type
        self.isNullable = isNullable
    }

    /// Reads `realm_id:string`, or `realm_id:string?` if null is allowed; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 63 else { return nil }
        let isNullable = parts[1].hasSuffix("?")
        guard let type = ValueType(rawValue: String(isNullable ? parts[1].dropLast() : parts[1])) else { return nil }
        self.init(String(parts[0]), type, isNullable: isNullable)
    }

    package var text: String { "\(property):\(type.rawValue)\(isNullable ? "?" : "")" }

    /// Whether a session may be bound to this value (P-42).
    package func accepts(_ value: PartitionValue) -> Bool {
        switch value {
        case .null: isNullable
        case .string: type == .string
        case .int: type == .int
        case .objectId: type == .objectId
        case .uuid: type == .uuid
        }
    }

    /// As the realm of an app of flexible sync has it.
    package var field: PartitionField {
        let type: Model.ValueType =
            switch type {
            case .string: .string
            case .int: .int
            case .objectId: .objectId
            case .uuid: .uuid
            }
        return PartitionField(property: property, type: type, isNullable: isNullable)
    }
}
