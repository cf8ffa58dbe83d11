import Foundation

/// A JSON value, as permissions are written in.
package indirect enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// Nil for what isn't JSON.
    package init?(text: String) {
        guard let tree = try? JSONDecoder().decode(JSONTree.self, from: Data(text.utf8)) else { return nil }
        self = tree
    }

    /// What a path of names leads to; null where there is nothing.
    package subscript(path path: some Sequence<Substring>) -> JSONTree {
        var tree = self
        for name in path {
            guard case .object(let members) = tree, let next = members[String(name)] else { return .null }
            tree = next
        }
        return tree
    }

    /// Equal for equal values: the keys of objects in the order of their bytes.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .array(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { "\($0.key.debugDescription):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }
}

extension JSONTree: Decodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let elements = try? container.decode([JSONTree].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONTree].self))
        }
    }
}
