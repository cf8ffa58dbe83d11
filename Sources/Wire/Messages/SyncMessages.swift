import Model

/// Whose data a synced realm holds: part of `realm.open`.
package struct SyncTarget: WirePayload {
    /// Id of the app.
    package var app: String
    /// Address of the app's server.
    package var server: String
    /// Id of a user who has logged in at this agent.
    package var user: String
    /// The partition's value as extended JSON (P-42); nil for flexible sync.
    package var partition: String?

    package init(app: String, server: String, user: String, partition: String?) {
        self.app = app
        self.server = server
        self.user = user
        self.partition = partition
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            app: try view.get("app"), server: try view.get("server"), user: try view.get("user"),
            partition: try view.find("partition"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("app", app)
        writer.put("server", server)
        writer.put("user", user)
        writer.put("partition", partition)
    }
}

/// What becomes of unsynced changes when a realm can't go on with its server.
package enum SyncResetMode: String, WireName {
    case manual
    case discardUnsyncedChanges
    case recoverUnsyncedChanges
    case recoverOrDiscardUnsyncedChanges
}

/// Which way data goes.
package enum SyncDirection: String, WireName {
    case upload
    case download
}

/// Answered once all that is in the realm now is on the server, or all that is on the server now is in the realm. Throws
/// `syncFailed` if that can't be.
package struct SyncWait: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.syncWait

    package var realm: Int32
    package var direction: SyncDirection

    package init(realm: Int32, direction: SyncDirection) {
        self.realm = realm
        self.direction = direction
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), direction: try view.get("direction"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("direction", direction)
    }
}

/// Whether this handle wants the realm to be synced: it is while one handle does. Or tries to connect at once.
package struct SyncControl: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.syncControl

    package enum Wish: String, WireName {
        case suspend
        case resume
        case reconnect
        /// The client has looked at the realm before its reset.
        case proceed
    }

    /// With a path it is for all handles, until said otherwise: the user's wish.
    package var target: RealmTarget
    package var wish: Wish

    package init(target: RealmTarget, wish: Wish) {
        self.target = target
        self.wish = wish
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(target: try RealmTarget(view), wish: try view.get("wish"))
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
        writer.put("wish", wish)
    }
}

/// How a synced realm stands.
package struct SyncStateRequest: WireRequest {
    package typealias Reply = SyncStateReply
    package static let method = Method.syncState

    package var target: RealmTarget
    /// How many unsent objects are to be named at most.
    package var objects: Int32

    package init(target: RealmTarget, objects: Int32 = 0) {
        self.target = target
        self.objects = objects
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(target: try RealmTarget(view), objects: try view.find("objects") ?? 0)
    }

    package func write(to writer: BSONWriter) {
        target.write(to: writer)
        if objects != 0 { writer.put("objects", objects) }
    }
}

/// Deals with the file of a realm that can't be synced any more, as `sync.failed` has said, now if nobody has it open, and
/// else as soon as that is so.
package struct SyncCarryOut: WireRequest {
    package typealias Reply = SyncCarryOutReply
    package static let method = Method.syncCarryOut

    package var path: String
    /// Of an encrypted realm.
    package var key: EncryptionKey?

    package init(path: String, key: EncryptionKey? = nil) {
        self.path = path
        self.key = key
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(path: try view.get("path"), key: try view.find("key"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("path", path)
        writer.put("key", key)
    }
}

package struct SyncCarryOutReply: WirePayload {
    /// False: somebody has it open, or there is nothing to be done.
    package var done: Bool

    package init(done: Bool) {
        self.done = done
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(done: try view.get("done"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("done", done)
    }
}

/// What becomes of a realm's session.
package enum SyncSessionState: String, WireName {
    /// Data goes both ways whenever there is a connection.
    case active
    /// Suspended, or the user is logged out, or an error has stopped it.
    case inactive
}

/// What becomes of the connection of a user.
package enum SyncConnectionState: String, WireName {
    case disconnected
    case connecting
    case connected
}

/// An object that was written here, of which something isn't on the server yet.
package struct UnsentObject: WirePayload {
    package var className: String
    package var key: PrimaryKey
    /// When the oldest of the changes was made: milliseconds since 1970.
    package var since: Int64

    package init(className: String, key: PrimaryKey, since: Int64) {
        self.className = className
        self.key = key
        self.since = since
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(className: try view.get("class"), key: try view.get("key"), since: try view.get("since"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("class", className)
        writer.put("key", key)
        writer.put("since", since)
    }
}

/// How a synced realm stands, and what waits to be sent.
package struct SyncStateReply: WirePayload {
    package var target: SyncTarget
    package var session: SyncSessionState
    package var connection: SyncConnectionState
    /// Whether the user's wish has suspended it.
    package var paused: Bool
    /// Transactions, and bytes of their changesets, that the server hasn't acknowledged.
    package var unsentTransactions: Int64
    package var unsentBytes: Int64
    /// Milliseconds since 1970 of the oldest of them.
    package var oldestUnsent: Int64?
    /// As many as were asked for.
    package var unsentObjects: [UnsentObject]
    /// The last error of the session, until data goes again.
    package var error: String?
    /// Nil for a realm that is synced by partition.
    package var subscriptions: SubscriptionsReply?
    /// For who asks with a handle: what the last `sync.changed` said, or would have.
    package var progress: SyncChanged?

    package init(
        target: SyncTarget, session: SyncSessionState, connection: SyncConnectionState, paused: Bool = false,
        unsentTransactions: Int64 = 0, unsentBytes: Int64 = 0, oldestUnsent: Int64? = nil,
        unsentObjects: [UnsentObject] = [], error: String? = nil, subscriptions: SubscriptionsReply? = nil,
        progress: SyncChanged? = nil
    ) {
        self.progress = progress
        self.target = target
        self.session = session
        self.connection = connection
        self.paused = paused
        self.unsentTransactions = unsentTransactions
        self.unsentBytes = unsentBytes
        self.oldestUnsent = oldestUnsent
        self.unsentObjects = unsentObjects
        self.error = error
        self.subscriptions = subscriptions
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            target: try view.get("target"), session: try view.get("session"), connection: try view.get("connection"),
            paused: try view.find("paused") ?? false, unsentTransactions: try view.get("unsentTransactions"),
            unsentBytes: try view.get("unsentBytes"), oldestUnsent: try view.find("oldestUnsent"),
            unsentObjects: try view.find("unsentObjects") ?? [], error: try view.find("error"),
            subscriptions: try view.find("subscriptions"), progress: try view.find("progress"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("target", target)
        writer.put("session", session)
        writer.put("connection", connection)
        if paused { writer.put("paused", true) }
        writer.put("unsentTransactions", unsentTransactions)
        writer.put("unsentBytes", unsentBytes)
        writer.put("oldestUnsent", oldestUnsent)
        writer.put("unsentObjects", unsentObjects)
        writer.put("error", error)
        writer.put("subscriptions", subscriptions)
        writer.put("progress", progress)
    }
}
