import EventLoop
import Model
import Store
import Wire

// write.migrate and write.migrated
extension ClientSession {
    func beginMigration(_ request: WriteMigrate, _ responder: Responder) throws {
        try migrate(request.realm, request.transaction, request.schema, responder) { transaction in
            let schema = try transaction.beginMigration(request.schema, schemaVersion: request.schemaVersion)
            return WriteMigrateReply(schema: Bytes(schema.encoded()))
        }
    }

    func endMigration(_ request: WriteMigrated, _ responder: Responder) throws {
        let renames = request.renames.map { PropertyRename(className: $0.className, from: $0.from, to: $0.to) }
        try migrate(request.realm, request.transaction, request.schema, responder) { transaction in
            try transaction.endMigration(
                request.schema, schemaVersion: request.schemaVersion, renames: renames, removed: request.removed)
            return Acknowledgement()
        }
    }

    private func migrate<Reply: WirePayload>(
        _ realm: Int32, _ transaction: Int64, _ schema: RealmSchema, _ responder: Responder,
        _ body: @escaping @Sendable (WriteTransaction) throws -> Reply
    ) throws {
        let handle = try self.realm(realm)
        if let problem = schema.problem { throw WireError(.badParams, problem) }
        let host = handle.host
        guard host.origin == nil else {
            throw WireError(
                .schemaMismatch, "the realm at \(host.path) is synced: classes and properties are only added to it",
                facts: ["path": .string(host.path)])
        }
        try host.read(inside: transaction, by: handle, body) { [self] result in
            responder.answer(result.mapError { WireError(reporting: $0, path: host.path) })
            takeMore()
        }
    }
}
