import Model
import Wire

/// What opening a realm may add to it.
enum RealmSchemaAddition {
    case nothing
    /// These classes if they are missing; the schema version is the file's own, or 0 for a new file.
    case classes(RealmSchema, version: UInt64)
}

/// A realm that the command has open.
struct OpenRealm {
    let client: AgentClient
    let handle: Int32
    let path: String
    /// What names the realm in receipts.
    let identity: UniqueId?

    /// The receipt of a transaction that has made a version; nil if it has made none.
    func receipt(_ version: UInt64?) -> String? {
        guard let version, let identity else { return nil }
        return WireReceipt(path: path, realm: identity.uuid, version: version).text
    }

    func schema() throws -> RealmSchema {
        try client.call(RealmSchemaRequest(target: .handle(handle))).schema
    }

    /// The class of that name, or an error that lists those there are.
    func classSchema(_ name: String) throws -> ClassSchema {
        try Self.classSchema(name, in: schema())
    }

    /// The class of that name in a schema, or an error that lists those there are.
    static func classSchema(_ name: String, in schema: RealmSchema) throws -> ClassSchema {
        if let found = schema.classSchema(name) { return found }
        let names = schema.classes.map(\.name).joined(separator: ", ")
        throw WireError(.unknownClass, "there is no class \"\(name)\"; the realm has \(names.isEmpty ? "none" : names)")
    }

    /// All objects of a query, batch by batch.
    func forEach(_ query: QueryRequest, properties: [String]? = nil, _ body: (BSONDocument) throws -> Void) throws {
        let form = ObjectForm(properties: properties, batch: 1000)
        var reply = try client.call(ReadQuery(realm: handle, query: query, form: form))
        while true {
            for object in reply.objects ?? [] { try body(object) }
            guard let cursor = reply.cursor else { return }
            reply = try client.call(ReadNext(cursor: cursor))
        }
    }
}
