/// Asks what has changed in a query's result since a named cursor was last advanced. The cursor stays where it is until
/// `CursorAdvance`.
package struct CursorRead: WireRequest {
    package typealias Reply = CursorReadReply
    package static let method = Method.cursorRead

    package var realm: Int32
    /// The snapshot to look at; nil: the newest.
    package var pin: Int64?
    /// Names the cursor among those of the realm.
    package var cursor: String
    package var query: QueryRequest

    package init(realm: Int32, pin: Int64? = nil, cursor: String, query: QueryRequest) {
        self.realm = realm
        self.pin = pin
        self.cursor = cursor
        self.query = query
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), pin: try view.find("pin"), cursor: try view.get("cursor"),
            query: try QueryRequest(view))
        guard (1...CursorRead.longestName).contains(cursor.utf8.count) else {
            throw WireDecodingError(
                field: "cursor", expected: "a name of 1 to \(CursorRead.longestName) bytes",
                found: "\(cursor.utf8.count) bytes")
        }
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pin", pin)
        writer.put("cursor", cursor)
        query.write(to: writer)
    }

    /// Bytes that a cursor's name may have.
    package static let longestName = 200
}

/// The difference between the result when the cursor was last advanced and the one at `version`.
package struct CursorReadReply: WirePayload {
    package var version: UInt64
    /// The version that the cursor is at; nil if it is new: then everything that matches is an insertion.
    package var since: UInt64?
    /// How many objects match.
    package var count: Int64
    package var insertions: PackedKeys
    package var modifications: PackedKeys
    /// Of each object that no longer matches: `$key`, and the primary key if it has one.
    package var deletions: [BSONDocument]

    package init(
        version: UInt64, since: UInt64?, count: Int64, insertions: PackedKeys, modifications: PackedKeys,
        deletions: [BSONDocument]
    ) {
        self.version = version
        self.since = since
        self.count = count
        self.insertions = insertions
        self.modifications = modifications
        self.deletions = deletions
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), since: try view.find("since"), count: try view.get("count"),
            insertions: try view.get("insertions"), modifications: try view.get("modifications"),
            deletions: try view.get("deletions"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("since", since)
        writer.put("count", count)
        writer.put("insertions", insertions)
        writer.put("modifications", modifications)
        writer.put("deletions", deletions)
    }
}

/// Moves a cursor to what this connection has read last with it. Durable when it is answered.
package struct CursorAdvance: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.cursorAdvance

    package var realm: Int32
    package var cursor: String
    /// Of the reply that was dealt with.
    package var version: UInt64

    package init(realm: Int32, cursor: String, version: UInt64) {
        self.realm = realm
        self.cursor = cursor
        self.version = version
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), cursor: try view.get("cursor"), version: try view.get("version"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("cursor", cursor)
        writer.put("version", version)
    }
}

/// Forgets a cursor.
package struct CursorRemove: WireRequest {
    package typealias Reply = CursorRemoveReply
    package static let method = Method.cursorRemove

    package var realm: Int32
    package var cursor: String

    package init(realm: Int32, cursor: String) {
        self.realm = realm
        self.cursor = cursor
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), cursor: try view.get("cursor"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("cursor", cursor)
    }
}

/// Whether there was one.
package struct CursorRemoveReply: WirePayload {
    package var removed: Bool

    package init(removed: Bool) {
        self.removed = removed
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(removed: try view.get("removed"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("removed", removed)
    }
}
