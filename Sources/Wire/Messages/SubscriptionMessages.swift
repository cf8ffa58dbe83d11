/// Watches a query. `changed` follows each commit that changes its result.
package struct Subscribe: WireRequest {
    package typealias Reply = SubscribeReply
    package static let method = Method.subscribe

    package var realm: Int32
    package var query: QueryRequest
    package var form: ObjectForm
    /// Whether the objects that match now come as a first `changed`.
    package var initial: Bool

    package init(realm: Int32, query: QueryRequest, form: ObjectForm = ObjectForm(), initial: Bool = false) {
        self.realm = realm
        self.query = query
        self.form = form
        self.initial = initial
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), query: try QueryRequest(view), form: try ObjectForm(view),
            initial: try view.find("initial") ?? false)
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        query.write(to: writer)
        form.write(to: writer)
        if initial { writer.put("initial", true) }
    }
}

/// The subscription and the snapshot it starts from.
package struct SubscribeReply: WirePayload {
    package var subscription: Int64
    package var version: UInt64
    package var count: Int64

    package init(subscription: Int64, version: UInt64, count: Int64) {
        self.subscription = subscription
        self.version = version
        self.count = count
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            subscription: try view.get("subscription"), version: try view.get("version"), count: try view.get("count"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("subscription", subscription)
        writer.put("version", version)
        writer.put("count", count)
    }
}

/// Ends a subscription. Events on the way may still come.
package struct Unsubscribe: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.unsubscribe

    package var subscription: Int64

    package init(subscription: Int64) {
        self.subscription = subscription
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(subscription: try view.get("subscription"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("subscription", subscription)
    }
}

/// What a commit, or several, did to the result of a subscribed query.
package struct Changed: WireEvent {
    package static let event = Event.changed

    package var subscription: Int64
    package var version: UInt64
    /// Whether these are the objects that matched at the start.
    package var initial: Bool
    /// Whether another event with the same version follows.
    package var more: Bool
    /// Whether changes were lost, the client being slow: read the query anew.
    package var reset: Bool
    /// How many objects match now.
    package var count: Int64
    package var insertions: ChangedObjects
    package var modifications: ChangedObjects
    package var deletions: ChangedObjects

    package init(
        subscription: Int64, version: UInt64, initial: Bool = false, more: Bool = false, reset: Bool = false,
        count: Int64, insertions: ChangedObjects, modifications: ChangedObjects, deletions: ChangedObjects
    ) {
        self.subscription = subscription
        self.version = version
        self.initial = initial
        self.more = more
        self.reset = reset
        self.count = count
        self.insertions = insertions
        self.modifications = modifications
        self.deletions = deletions
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            subscription: try view.get("subscription"), version: try view.get("version"),
            initial: try view.find("initial") ?? false, more: try view.find("more") ?? false,
            reset: try view.find("reset") ?? false, count: try view.get("count"),
            insertions: try view.get("insertions"), modifications: try view.get("modifications"),
            deletions: try view.get("deletions"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("subscription", subscription)
        writer.put("version", version)
        if initial { writer.put("initial", true) }
        if more { writer.put("more", true) }
        if reset { writer.put("reset", true) }
        writer.put("count", count)
        writer.put("insertions", insertions)
        writer.put("modifications", modifications)
        writer.put("deletions", deletions)
    }
}

/// Objects of a change: documents, or packed keys when the subscription is `keysOnly`.
package enum ChangedObjects: WireField, Hashable {
    case objects([BSONDocument])
    case keys(PackedKeys)

    package static var expectation: String { "array of documents or binary of int64 values" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        self =
            element.type == .binary
            ? .keys(try PackedKeys(field: element)) : .objects(try [BSONDocument](field: element))
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        switch self {
        case .objects(let objects): objects.write(key, to: writer)
        case .keys(let keys): keys.write(key, to: writer)
        }
    }

    package var count: Int {
        switch self {
        case .objects(let objects): objects.count
        case .keys(let keys): keys.keys.count
        }
    }
}

/// A realm that this connection opened with `events` has a new durable version.
package struct RealmChanged: WireEvent {
    package static let event = Event.realmChanged

    package var realm: Int32
    package var version: UInt64
    /// Holds the new snapshot until released.
    package var pin: Int64
    package var generation: Int64

    package init(realm: Int32, version: UInt64, pin: Int64, generation: Int64) {
        self.realm = realm
        self.version = version
        self.pin = pin
        self.generation = generation
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), version: try view.get("version"), pin: try view.get("pin"),
            generation: try view.get("generation"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("version", version)
        writer.put("pin", pin)
        writer.put("generation", generation)
    }
}
