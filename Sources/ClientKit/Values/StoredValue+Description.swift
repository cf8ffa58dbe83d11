import Foundation
import Model

extension _StoredValue: CustomStringConvertible {
    /// For messages and `description` of objects.
    public var description: String {
        switch content {
        case .object(let object): "\(object)"
        case .nested(let collection): "\(collection)"
        case .value(let value): value.text
        }
    }
}

extension Model.Value {
    /// For people.
    package var text: String {
        switch self {
        case .null: "nil"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .string(let value): value
        case .malformedString(let bytes): "\(bytes.count) bytes that are no UTF-8"
        case .binary(let value): "\(value.count) bytes"
        case .timestamp(let value): "\(value.date)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): value.description
        case .link(let value): value.className
        case .objectId(let value): value.description
        case .uuid(let value): value.uuidString
        }
    }
}
