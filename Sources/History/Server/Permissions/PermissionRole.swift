/// A role of a class, as it is configured (F-74).
package struct PermissionRole: Hashable, Sendable, Decodable {
    /// Rights to one field.
    struct Field: Hashable, Sendable, Decodable {
        var read: Bool?
        var write: Bool?
    }

    /// Rights to documents.
    struct Filters: Hashable, Sendable, Decodable {
        var read: JSONTree?
        var write: JSONTree?
    }

    var name: String
    /// Whom it is for; evaluated once a session.
    var appliesWhen: JSONTree
    var filters: Filters?
    var read: JSONTree?
    var write: JSONTree?
    var insert: JSONTree
    var delete: JSONTree
    var fields: [String: Field]
    var additionalFields: Field?

    /// Everybody reads and writes everything.
    package static let everything = PermissionRole(name: "readAndWriteAll", read: .bool(true), write: .bool(true))

    /// A role for everybody with all fields, by filters.
    package init(
        name: String, appliesWhen: JSONTree = .object([:]), read: JSONTree, write: JSONTree,
        insert: JSONTree = .bool(true), delete: JSONTree = .bool(true)
    ) {
        self.name = name
        self.appliesWhen = appliesWhen
        filters = Filters(read: read, write: write)
        self.read = .bool(true)
        self.write = .bool(true)
        self.insert = insert
        self.delete = delete
        fields = [:]
    }

    private enum Key: String, CodingKey {
        case name, read, write, insert, delete, fields
        case appliesWhen = "apply_when"
        case filters = "document_filters"
        case additionalFields = "additional_fields"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        name = try values.decode(String.self, forKey: .name)
        appliesWhen = try values.decodeIfPresent(JSONTree.self, forKey: .appliesWhen) ?? .object([:])
        filters = try values.decodeIfPresent(Filters.self, forKey: .filters)
        read = try values.decodeIfPresent(JSONTree.self, forKey: .read)
        write = try values.decodeIfPresent(JSONTree.self, forKey: .write)
        insert = try values.decodeIfPresent(JSONTree.self, forKey: .insert) ?? .bool(true)
        delete = try values.decodeIfPresent(JSONTree.self, forKey: .delete) ?? .bool(true)
        fields = try values.decodeIfPresent([String: Field].self, forKey: .fields) ?? [:]
        additionalFields = try values.decodeIfPresent(Field.self, forKey: .additionalFields)
    }
}

/// Who a session belongs to, as permissions see it: `%%user` (F-77).
package struct PermissionUser: Hashable, Sendable {
    package var id: String
    /// `id`, `type`, `data`, `custom_data`, `identities`.
    package var tree: JSONTree

    package init(
        id: String, type: String = "normal", data: JSONTree = .object([:]), customData: JSONTree = .object([:])
    ) {
        self.id = id
        tree = .object([
            "id": .string(id), "type": .string(type), "data": data, "custom_data": customData,
            "identities": .array([])
        ])
    }
}
