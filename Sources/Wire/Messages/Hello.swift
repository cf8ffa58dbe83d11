/// What either side can do beyond the protocol's version 1. Both send their list at hello; a feature is used when both have it.
package struct Feature: RawRepresentable, Hashable, Sendable, WireField {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The client takes descriptors (SCM_RIGHTS) and maps realm files. Without it no descriptors are sent.
    package static let descriptors = Feature(rawValue: "descriptors")

    /// `realm.copy` takes a `transaction`.
    package static let copyInTransaction = Feature(rawValue: "copyInTransaction")

    /// Requests that open realms take a `key`, and `realm.copy` a `toKey`.
    package static let encryption = Feature(rawValue: "encryption")
    /// Synced realms, and the users they belong to.
    package static let sync = Feature(rawValue: "sync")
    /// `subscriptions.*`: synced realms that need no partition.
    package static let flexible = Feature(rawValue: "flexible")

    /// `realm.open` takes a `seed`, and `realm.copy` makes bundles of synced realms.
    package static let bundles = Feature(rawValue: "bundles")

    /// `receipt.wait`, and what a receipt is made of in the replies of `realm.open` and of commits.
    package static let receipts = Feature(rawValue: "receipts")
    /// `app.logout` and `app.remove` know `unsent`.
    package static let departures = Feature(rawValue: "departures")

    /// What this version of the code has to offer, on either side.
    package static let all: [Feature] = [
        .descriptors, .copyInTransaction, .encryption, .sync, .flexible, .bundles, .receipts, .departures
    ]

    package static var expectation: String { "string" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        rawValue = try String(field: element)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.string(key, rawValue) }
}

/// The version of this protocol. It changes only if old clients couldn't go on; everything else is a feature.
package let protocolVersion: Int32 = 1

/// First request of a connection.
package struct Hello: WireRequest {
    package typealias Reply = HelloReply
    package static let method = Method.hello

    package var protocolVersion: Int32
    /// Name of the program.
    package var client: String
    /// The program's process.
    package var pid: Int32
    /// Version of the client library.
    package var version: String
    package var features: [Feature]
    /// Chosen by the client, the same over its reconnections: names it in the agent's log and status.
    package var session: UniqueId?

    package init(
        protocolVersion: Int32 = Wire.protocolVersion, client: String, pid: Int32, version: String = "",
        features: [Feature] = Feature.all, session: UniqueId? = nil
    ) {
        self.protocolVersion = protocolVersion
        self.client = client
        self.pid = pid
        self.version = version
        self.features = features
        self.session = session
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            protocolVersion: try view.get("protocol"), client: try view.get("client"),
            pid: try view.find("pid") ?? 0, version: try view.find("version") ?? "",
            features: try view.find("features") ?? [], session: try view.find("session"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("protocol", protocolVersion)
        writer.put("client", client)
        writer.put("pid", pid)
        writer.put("version", version)
        writer.put("features", features)
        writer.put("session", session)
    }
}

/// What the agent allows and how long it waits.
package struct Limits: WirePayload {
    /// Bytes of one frame.
    package var frame: Int32
    /// Nesting of documents.
    package var depth: Int32
    /// Requests of one connection without reply.
    package var inFlight: Int32
    /// A transaction whose client sends nothing for so long is rolled back if others wait.
    package var writeStallMilliseconds: Int64
    /// A connection that lets announced snapshots lie for so long may lose their pins; 0: never.
    package var leaseMilliseconds: Int64

    package init(
        frame: Int32 = 32 << 20, depth: Int32 = Int32(UnsafeBSONView.depthLimit), inFlight: Int32 = 1024,
        writeStallMilliseconds: Int64 = 10_000,
        leaseMilliseconds: Int64 = 0
    ) {
        self.frame = frame
        self.depth = depth
        self.inFlight = inFlight
        self.writeStallMilliseconds = writeStallMilliseconds
        self.leaseMilliseconds = leaseMilliseconds
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            frame: try view.get("frame"), depth: try view.get("depth"), inFlight: try view.get("inFlight"),
            writeStallMilliseconds: try view.find("writeStallMs") ?? 0,
            leaseMilliseconds: try view.find("leaseMs") ?? 0)
    }

    package func write(to writer: BSONWriter) {
        writer.put("frame", frame)
        writer.put("depth", depth)
        writer.put("inFlight", inFlight)
        writer.put("writeStallMs", writeStallMilliseconds)
        writer.put("leaseMs", leaseMilliseconds)
    }
}

package struct HelloReply: WirePayload {
    package var protocolVersion: Int32
    /// Version of the agent.
    package var agent: String
    package var pid: Int32
    package var features: [Feature]
    package var limits: Limits

    package init(
        protocolVersion: Int32 = Wire.protocolVersion, agent: String, pid: Int32, features: [Feature] = Feature.all,
        limits: Limits = Limits()
    ) {
        self.protocolVersion = protocolVersion
        self.agent = agent
        self.pid = pid
        self.features = features
        self.limits = limits
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            protocolVersion: try view.get("protocol"), agent: try view.get("agent"), pid: try view.get("pid"),
            features: try view.find("features") ?? [], limits: try view.get("limits"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("protocol", protocolVersion)
        writer.put("agent", agent)
        writer.put("pid", pid)
        writer.put("features", features)
        writer.put("limits", limits)
    }
}
