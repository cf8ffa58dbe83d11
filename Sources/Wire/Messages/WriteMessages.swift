/// Waits for the write lock. The reply comes when it is this client's turn.
package struct WriteBegin: WireRequest {
    package typealias Reply = WriteBeginReply
    package static let method = Method.writeBegin

    package var realm: Int32

    package init(realm: Int32) {
        self.realm = realm
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
    }
}

/// The transaction and the snapshot it builds on, the newest one.
package struct WriteBeginReply: WirePayload {
    package var transaction: Int64
    package var version: UInt64
    package var pin: Int64
    package var generation: Int64

    package init(transaction: Int64, version: UInt64, pin: Int64, generation: Int64) {
        self.transaction = transaction
        self.version = version
        self.pin = pin
        self.generation = generation
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            transaction: try view.get("transaction"), version: try view.get("version"), pin: try view.get("pin"),
            generation: try view.get("generation"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("transaction", transaction)
        writer.put("version", version)
        writer.put("pin", pin)
        writer.put("generation", generation)
    }
}

/// The next bytes of the transaction's instruction stream. Goes without id; an error comes with the next reply.
package struct WriteAppend: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.writeAppend

    package var realm: Int32
    package var transaction: Int64
    package var changes: Bytes

    package init(realm: Int32, transaction: Int64, changes: Bytes) {
        self.realm = realm
        self.transaction = transaction
        self.changes = changes
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.get("transaction"), changes: try view.get("changes"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        writer.put("changes", changes)
    }
}

/// A query that sees what the transaction has done so far.
package struct WriteQuery: WireRequest {
    package typealias Reply = QueryReply
    package static let method = Method.writeQuery

    package var realm: Int32
    package var transaction: Int64
    package var query: QueryRequest
    package var form: ObjectForm

    package init(realm: Int32, transaction: Int64, query: QueryRequest, form: ObjectForm = ObjectForm()) {
        self.realm = realm
        self.transaction = transaction
        self.query = query
        self.form = form
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.get("transaction"), query: try QueryRequest(view),
            form: try ObjectForm(view))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        query.write(to: writer)
        form.write(to: writer)
    }
}

/// The last bytes of the stream, and the end: the reply comes when everything is on disk. Without `transaction` it is
/// a whole transaction in one request, for which the client never holds the write lock.
package struct WriteCommit: WireRequest {
    package typealias Reply = WriteCommitReply
    package static let method = Method.writeCommit

    package var realm: Int32
    package var transaction: Int64?
    package var changes: Bytes
    /// Remembered, so that a client that lost the reply can ask (`write.outcome`).
    package var uid: UniqueId
    /// Whether a CreateObject of an existing object fails the transaction (`objectExists`).
    package var mustCreate: Bool
    /// Commit only if this is still the newest version; else `versionChanged`.
    package var ifVersion: UInt64?

    package init(
        realm: Int32, transaction: Int64? = nil, changes: Bytes, uid: UniqueId, mustCreate: Bool = false,
        ifVersion: UInt64? = nil
    ) {
        self.realm = realm
        self.transaction = transaction
        self.changes = changes
        self.uid = uid
        self.mustCreate = mustCreate
        self.ifVersion = ifVersion
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.find("transaction"), changes: try view.get("changes"),
            uid: try view.get("uid"), mustCreate: try view.find("mustCreate") ?? false,
            ifVersion: try view.find("ifVersion"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        writer.put("changes", changes)
        writer.put("uid", uid)
        if mustCreate { writer.put("mustCreate", true) }
        writer.put("ifVersion", ifVersion)
    }
}

/// A version that has the transaction, pinned.
package struct WriteCommitReply: WirePayload {
    package var version: UInt64
    package var pin: Int64
    package var generation: Int64
    /// The version that the transaction itself made; nil if there was nothing to change.
    package var own: UInt64?

    package init(version: UInt64, pin: Int64, generation: Int64 = 0, own: UInt64? = nil) {
        self.version = version
        self.pin = pin
        self.generation = generation
        self.own = own
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), pin: try view.get("pin"), generation: try view.find("generation") ?? 0,
            own: try view.find("own"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("pin", pin)
        writer.put("generation", generation)
        writer.put("own", own)
    }
}

/// Rolls back and gives up the write lock.
package struct WriteCancel: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.writeCancel

    package var realm: Int32
    package var transaction: Int64

    package init(realm: Int32, transaction: Int64) {
        self.realm = realm
        self.transaction = transaction
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), transaction: try view.get("transaction"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
    }
}

/// Whether a commit with that uid has happened.
package struct WriteOutcome: WireRequest {
    package typealias Reply = WriteOutcomeReply
    package static let method = Method.writeOutcome

    package var realm: Int32
    package var uid: UniqueId
    /// A version that the commit can only have come after, such as the one that its transaction began on. If the realm
    /// doesn't remember all commits since then, the answer is `outcomeUnknown` instead of a wrong one.
    package var after: UInt64?

    package init(realm: Int32, uid: UniqueId, after: UInt64? = nil) {
        self.realm = realm
        self.uid = uid
        self.after = after
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), uid: try view.get("uid"), after: try view.find("after"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("uid", uid)
        writer.put("after", after)
    }
}

/// The version that the commit made; nil: it never happened and never will, as far as the realm remembers.
package struct WriteOutcomeReply: WirePayload {
    package var version: UInt64?

    package init(version: UInt64? = nil) {
        self.version = version
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(version: try view.find("version"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
    }
}
