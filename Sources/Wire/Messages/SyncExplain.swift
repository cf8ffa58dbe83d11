import Model

/// Where an object of a synced realm stands between this device and the server.
package struct SyncExplain: WireRequest {
    package typealias Reply = SyncExplainReply
    package static let method = Method.syncExplain

    package var target: RealmTarget
    package var className: String
    package var key: PrimaryKey

    package init(target: RealmTarget, className: String, key: PrimaryKey) {
        self.target = target
        self.className = className
        self.key = key
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            target: try RealmTarget(view), className: try view.get("class"), key: try view.get("objectKey"))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
        writer.put("class", className)
        writer.put("objectKey", key)
    }
}

/// What a server has undone, and when, if that is known: milliseconds since 1970.
package struct SyncRejection: WirePayload {
    package var reason: String
    package var at: Int64?

    package init(reason: String, at: Int64?) {
        self.reason = reason
        self.at = at
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(reason: try view.get("reason"), at: try view.find("at"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("reason", reason)
        writer.put("at", at)
    }
}

/// Who has written something, and when: milliseconds since 1970.
package struct SyncWriter: WirePayload {
    /// The number that the server has given the writer's file: 0 is this device, 1 the server itself.
    package var file: Int64
    package var at: Int64

    package init(file: Int64, at: Int64) {
        self.file = file
        self.at = at
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(file: try view.get("file"), at: try view.get("at"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("file", file)
        writer.put("at", at)
    }
}

package struct SyncExplainReply: WirePayload {
    /// How the realm stands.
    package var state: SyncStateReply
    /// Why nothing is sent until somebody does something about it; nil if it is a matter of time.
    package var obstacle: String?
    /// Milliseconds since 1970; nil while there is a connection.
    package var offlineSince: Int64?
    /// Whether the realm is being given the server's state.
    package var isResetting: Bool
    /// Whether the object is in the realm.
    package var exists: Bool
    /// Transactions that have changed it and that the server hasn't acknowledged, since when, and how many go before them.
    package var unsentTransactions: Int64
    package var unsentSince: Int64?
    package var before: Int64
    /// What the server has undone last, or a client reset has left out.
    package var rejection: SyncRejection?
    /// Who has written it last, as far as that is known.
    package var lastWriter: SyncWriter?
    /// Whether the latest subscriptions ask for objects of the class; nil for a realm that is synced by partition.
    package var isSubscribed: Bool?

    package init(
        state: SyncStateReply, obstacle: String? = nil, offlineSince: Int64? = nil, isResetting: Bool = false,
        exists: Bool, unsentTransactions: Int64 = 0, unsentSince: Int64? = nil, before: Int64 = 0,
        rejection: SyncRejection? = nil, lastWriter: SyncWriter? = nil, isSubscribed: Bool? = nil
    ) {
        self.state = state
        self.obstacle = obstacle
        self.offlineSince = offlineSince
        self.isResetting = isResetting
        self.exists = exists
        self.unsentTransactions = unsentTransactions
        self.unsentSince = unsentSince
        self.before = before
        self.rejection = rejection
        self.lastWriter = lastWriter
        self.isSubscribed = isSubscribed
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            state: try view.get("state"), obstacle: try view.find("obstacle"),
            offlineSince: try view.find("offlineSince"), isResetting: try view.find("resetting") ?? false,
            exists: try view.get("exists"), unsentTransactions: try view.find("unsentTransactions") ?? 0,
            unsentSince: try view.find("unsentSince"), before: try view.find("before") ?? 0,
            rejection: try view.find("rejection"), lastWriter: try view.find("lastWriter"),
            isSubscribed: try view.find("subscribed"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("state", state)
        writer.put("obstacle", obstacle)
        writer.put("offlineSince", offlineSince)
        if isResetting { writer.put("resetting", true) }
        writer.put("exists", exists)
        if unsentTransactions != 0 { writer.put("unsentTransactions", unsentTransactions) }
        writer.put("unsentSince", unsentSince)
        if before != 0 { writer.put("before", before) }
        writer.put("rejection", rejection)
        writer.put("lastWriter", lastWriter)
        writer.put("subscribed", isSubscribed)
    }
}
