/// What BIND of flexible sync says, as JSON in the place of the path (P-43).
package struct FlexibleBind: Hashable, Sendable {
    /// The partition value text of a file that was migrated from partition-based sync (F-96).
    package var migratedPartition: String?
    /// 0 when the application has no schema versions.
    package var schemaVersion: Int64
    /// 1 in both sessions of a client reset. For logs: it restricts nothing.
    package var sessionReason: Int64

    package init(migratedPartition: String? = nil, schemaVersion: Int64 = 0, sessionReason: Int64 = 0) {
        self.migratedPartition = migratedPartition
        self.schemaVersion = schemaVersion
        self.sessionReason = sessionReason
    }

    /// The text as clients write it.
    package var text: String {
        var object = JSONObjectWriter()
        object.string("migratedPartition", migratedPartition)
        object.integer("schemaVersion", schemaVersion)
        object.integer("sessionReason", sessionReason)
        return object.finished
    }

    /// Reads it as a server must: unknown keys are ignored, missing ones tolerated.
    package init(text: String) throws(SyncMessageError) {
        let fields = try JSONBody.decode(Fields.self, text, rule: "P-43", offset: 0)
        self.init(
            migratedPartition: fields.migratedPartition, schemaVersion: max(0, fields.schemaVersion ?? 0),
            sessionReason: max(0, fields.sessionReason ?? 0))
    }

    private struct Fields: Decodable {
        var migratedPartition: String?
        var schemaVersion: Int64?
        var sessionReason: Int64?
    }
}
