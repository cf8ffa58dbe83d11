import Model

/// Creates or changes objects of one class in one transaction: the way to write without changesets.
package struct ObjectPut: WireRequest {
    package typealias Reply = ObjectPutReply
    package static let method = Method.objectPut

    package var realm: Int32
    package var className: String
    /// Values by property name. Properties that are not named keep their values, or get defaults in new objects.
    package var objects: [BSONDocument]
    package var mode: PutMode
    /// As for `write.commit`.
    package var uid: UniqueId?

    package init(
        realm: Int32, className: String, objects: [BSONDocument], mode: PutMode = .upsert, uid: UniqueId? = nil
    ) {
        self.realm = realm
        self.className = className
        self.objects = objects
        self.mode = mode
        self.uid = uid
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), className: try view.get("class"), objects: try view.get("objects"),
            mode: try view.find("mode") ?? .upsert, uid: try view.find("uid"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("class", className)
        writer.put("objects", objects)
        writer.put("mode", mode)
        writer.put("uid", uid)
    }
}

/// What happens to an object whose primary key exists.
package enum PutMode: String, WireName {
    /// It is changed; else one is created.
    case upsert
    /// The request fails with `objectExists`.
    case create
    /// It is changed; if there is none, the request fails with `objectMissing`.
    case update
}

/// What became of the objects, in order of the request.
package struct ObjectPutReply: WirePayload {
    package var version: UInt64
    /// How many were created; the others were changed.
    package var created: Int64
    package var keys: [PrimaryKey]
    /// The version that the transaction itself made; nil if there was nothing to change.
    package var own: UInt64?

    package init(version: UInt64, created: Int64, keys: [PrimaryKey], own: UInt64? = nil) {
        self.version = version
        self.created = created
        self.keys = keys
        self.own = own
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), created: try view.get("created"), keys: try view.get("keys"),
            own: try view.find("own"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("created", created)
        writer.put("keys", keys)
        writer.put("own", own)
    }
}

/// Deletes objects of one class in one transaction: by key, or those that match a query.
package struct ObjectDelete: WireRequest {
    package typealias Reply = ObjectDeleteReply
    package static let method = Method.objectDelete

    package var realm: Int32
    package var className: String
    /// Keys that name nothing are skipped.
    package var keys: [PrimaryKey]?
    /// Query text, instead of keys.
    package var filter: String?
    package var arguments: [QueryArgument]
    package var uid: UniqueId?

    package init(
        realm: Int32, className: String, keys: [PrimaryKey]? = nil, filter: String? = nil,
        arguments: [QueryArgument] = [], uid: UniqueId? = nil
    ) {
        self.realm = realm
        self.className = className
        self.keys = keys
        self.filter = filter
        self.arguments = arguments
        self.uid = uid
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), className: try view.get("class"), keys: try view.find("keys"),
            filter: try view.find("where"), arguments: try view.find("arguments") ?? [], uid: try view.find("uid"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("class", className)
        writer.put("keys", keys)
        writer.put("where", filter)
        if !arguments.isEmpty { writer.put("arguments", arguments) }
        writer.put("uid", uid)
    }
}

/// How many objects went.
package struct ObjectDeleteReply: WirePayload {
    package var version: UInt64
    package var deleted: Int64
    /// The version that the transaction itself made; nil if there was nothing to change.
    package var own: UInt64?

    package init(version: UInt64, deleted: Int64, own: UInt64? = nil) {
        self.version = version
        self.deleted = deleted
        self.own = own
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), deleted: try view.get("deleted"),
            own: try view.find("own"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("deleted", deleted)
        writer.put("own", own)
    }
}
