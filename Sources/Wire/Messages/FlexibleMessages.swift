import Model

/// How far the server is with a set of subscriptions (F-19), as apps see it.
package enum SubscriptionsState: String, WireName {
    /// Committed here, not taken up by the server.
    case pending
    /// Its objects are coming, or have come and what was written since is still to.
    case bootstrapping
    /// In force, and its objects are all there.
    case complete
    /// The server has refused it.
    case error
    /// A later set has taken its place.
    case superseded
}

/// One query on one class.
package struct WireSubscription: WirePayload {
    /// Stays when a named subscription gets another query.
    package var id: ObjectId
    package var name: String?
    package var className: String
    /// RQL with its arguments in it (F-24).
    package var query: String
    package var created: Timestamp
    package var updated: Timestamp

    package init(
        id: ObjectId, name: String?, className: String, query: String, created: Timestamp, updated: Timestamp
    ) {
        self.id = id
        self.name = name
        self.className = className
        self.query = query
        self.created = created
        self.updated = updated
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            id: try view.get("id"), name: try view.find("name"), className: try view.get("class"),
            query: try view.get("query"), created: try view.get("created"), updated: try view.get("updated"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("id", id)
        writer.put("name", name)
        writer.put("class", className)
        writer.put("query", query)
        writer.put("created", created)
        writer.put("updated", updated)
    }
}

/// All subscriptions of a realm at one time.
package struct WireSubscriptionSet: WirePayload {
    package var version: Int64
    package var state: SubscriptionsState
    /// Why the server has refused it.
    package var error: String?
    package var subscriptions: [WireSubscription]

    package init(
        version: Int64, state: SubscriptionsState, error: String? = nil, subscriptions: [WireSubscription]
    ) {
        self.version = version
        self.state = state
        self.error = error
        self.subscriptions = subscriptions
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            version: try view.get("version"), state: try view.get("state"), error: try view.find("error"),
            subscriptions: try view.get("subscriptions"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("version", version)
        writer.put("state", state)
        writer.put("error", error)
        writer.put("subscriptions", subscriptions)
    }
}

/// The latest set of subscriptions of a realm of flexible sync, which is the one that apps see.
package struct SubscriptionsGet: WireRequest {
    package typealias Reply = SubscriptionsReply
    package static let method = Method.subscriptionsGet

    package var realm: Int32

    package init(realm: Int32) { self.realm = realm }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) { self.init(realm: try view.get("realm")) }

    package func write(to writer: BSONWriter) { writer.put("realm", realm) }
}

package struct SubscriptionsReply: WirePayload {
    /// The latest set.
    package var set: WireSubscriptionSet
    /// Version of the set that is in force.
    package var active: Int64

    package init(set: WireSubscriptionSet, active: Int64) {
        self.set = set
        self.active = active
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(set: try view.get("set"), active: try view.get("active"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("set", set)
        writer.put("active", active)
    }
}

/// One change of a set of subscriptions (F-22, F-23).
package struct SubscriptionsEdit: WirePayload {
    package enum Kind: String, WireName {
        /// `className` and `query`, `name` or none.
        case insert
        /// The one with `name`.
        case removeNamed
        /// The first with `className` and `query`.
        case removeQuery
        /// The one with `id`.
        case removeId
        /// Those on `className`, with `unnamedOnly` of these the ones without a name.
        case removeClass
        /// All, or those without a name.
        case removeAll
        /// The one with `id` gets `query`, and is on `className` then if that is given.
        case setQuery
    }

    package var kind: Kind
    package var name: String?
    package var className: String?
    package var query: String?
    package var id: ObjectId?
    package var unnamedOnly: Bool

    package init(
        _ kind: Kind, name: String? = nil, className: String? = nil, query: String? = nil, id: ObjectId? = nil,
        unnamedOnly: Bool = false
    ) {
        self.kind = kind
        self.name = name
        self.className = className
        self.query = query
        self.id = id
        self.unnamedOnly = unnamedOnly
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            try view.get("kind"), name: try view.find("name"), className: try view.find("class"),
            query: try view.find("query"), id: try view.find("id"), unnamedOnly: try view.find("unnamedOnly") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("kind", kind)
        writer.put("name", name)
        writer.put("class", className)
        writer.put("query", query)
        writer.put("id", id)
        if unnamedOnly { writer.put("unnamedOnly", true) }
    }
}

/// Commits a new set: the latest one with all edits, in their order. Answered once it is on disk.
package struct SubscriptionsUpdate: WireRequest {
    package typealias Reply = SubscriptionsUpdateReply
    package static let method = Method.subscriptionsUpdate

    package var realm: Int32
    /// Nothing is done if the latest set has another version.
    package var base: Int64?
    package var edits: [SubscriptionsEdit]

    package init(realm: Int32, base: Int64? = nil, edits: [SubscriptionsEdit]) {
        self.realm = realm
        self.base = base
        self.edits = edits
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), base: try view.find("base"), edits: try view.get("edits"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("base", base)
        writer.put("edits", edits)
    }
}

package struct SubscriptionsUpdateReply: WirePayload {
    /// The latest set, which is the new one if it was applied.
    package var set: WireSubscriptionSet
    package var applied: Bool

    package init(set: WireSubscriptionSet, applied: Bool) {
        self.set = set
        self.applied = applied
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(set: try view.get("set"), applied: try view.get("applied"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("set", set)
        writer.put("applied", applied)
    }
}

/// Answered once a set is complete, refused or superseded.
package struct SubscriptionsWait: WireRequest {
    package typealias Reply = SubscriptionsWaitReply
    package static let method = Method.subscriptionsWait

    package var realm: Int32
    package var version: Int64

    package init(realm: Int32, version: Int64) {
        self.realm = realm
        self.version = version
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), version: try view.get("version"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("version", version)
    }
}

package struct SubscriptionsWaitReply: WirePayload {
    package var state: SubscriptionsState
    package var error: String?

    package init(state: SubscriptionsState, error: String? = nil) {
        self.state = state
        self.error = error
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(state: try view.get("state"), error: try view.find("error"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("state", state)
        writer.put("error", error)
    }
}

/// A set of subscriptions has come to another state, or is new. For handles opened with `events`.
package struct SubscriptionsChanged: WireEvent {
    package static let event = Event.subscriptionsChanged

    package var realm: Int32
    package var version: Int64
    package var state: SubscriptionsState
    package var error: String?

    package init(realm: Int32, version: Int64, state: SubscriptionsState, error: String? = nil) {
        self.realm = realm
        self.version = version
        self.state = state
        self.error = error
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), version: try view.get("version"), state: try view.get("state"),
            error: try view.find("error"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("version", version)
        writer.put("state", state)
        writer.put("error", error)
    }
}
