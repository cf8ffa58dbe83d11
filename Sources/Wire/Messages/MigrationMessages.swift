import Model

/// Begins a migration in an open transaction that has done nothing else: the classes and properties of `schema` are put
/// beside those that the file has.
package struct WriteMigrate: WireRequest {
    package typealias Reply = WriteMigrateReply
    package static let method = Method.writeMigrate

    package var realm: Int32
    package var transaction: Int64
    package var schema: RealmSchema
    package var schemaVersion: UInt64

    package init(realm: Int32, transaction: Int64, schema: RealmSchema, schemaVersion: UInt64) {
        self.realm = realm
        self.transaction = transaction
        self.schema = schema
        self.schemaVersion = schemaVersion
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.get("transaction"), schema: try view.get("schema"),
            schemaVersion: try view.get("schemaVersion"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        writer.put("schema", schema)
        writer.put("schemaVersion", schemaVersion)
    }
}

/// The file's classes while the migration lasts.
package struct WriteMigrateReply: WirePayload {
    /// As the file keeps its schema. The snapshot that the transaction began on can be read by it.
    package var schema: Bytes

    package init(schema: Bytes) {
        self.schema = schema
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(schema: try view.get("schema"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("schema", schema)
    }
}

/// Ends a migration: of the classes of `schema` only what it says is left. Then the transaction is committed.
package struct WriteMigrated: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.writeMigrated

    /// A property that keeps its values under another name.
    package struct Rename: WirePayload, Hashable {
        package var className: String
        package var from: String
        package var to: String

        package init(className: String, from: String, to: String) {
            self.className = className
            self.from = from
            self.to = to
        }

        package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
            self.init(className: try view.get("class"), from: try view.get("from"), to: try view.get("to"))
        }

        package func write(to writer: BSONWriter) {
            writer.put("class", className)
            writer.put("from", from)
            writer.put("to", to)
        }
    }

    package var realm: Int32
    package var transaction: Int64
    package var schema: RealmSchema
    package var schemaVersion: UInt64
    package var renames: [Rename]
    /// Classes that are not in `schema` and go.
    package var removed: [String]

    package init(
        realm: Int32, transaction: Int64, schema: RealmSchema, schemaVersion: UInt64, renames: [Rename] = [],
        removed: [String] = []
    ) {
        self.realm = realm
        self.transaction = transaction
        self.schema = schema
        self.schemaVersion = schemaVersion
        self.renames = renames
        self.removed = removed
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.get("transaction"), schema: try view.get("schema"),
            schemaVersion: try view.get("schemaVersion"), renames: try view.find("renames") ?? [],
            removed: try view.find("removed") ?? [])
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        writer.put("schema", schema)
        writer.put("schemaVersion", schemaVersion)
        if !renames.isEmpty { writer.put("renames", renames) }
        if !removed.isEmpty { writer.put("removed", removed) }
    }
}
