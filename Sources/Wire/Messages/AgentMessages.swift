/// Who is connected, what is open, what it costs.
package struct AgentStatus: WireRequest {
    package typealias Reply = AgentStatusReply
    package static let method = Method.agentStatus

    package var verbose: Bool

    package init(verbose: Bool = false) {
        self.verbose = verbose
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(verbose: try view.find("verbose") ?? false)
    }

    package func write(to writer: BSONWriter) {
        if verbose { writer.put("verbose", true) }
    }
}

/// State of the agent.
package struct AgentStatusReply: WirePayload {
    /// Version.
    package var agent: String
    package var pid: Int32
    package var protocolVersion: Int32
    package var socket: String
    package var uptimeMilliseconds: Int64
    package var residentBytes: Int64
    package var descriptors: Int32
    package var clients: [ClientInfo]
    package var realms: [RealmInfoReply]

    package init(
        agent: String, pid: Int32, protocolVersion: Int32, socket: String, uptimeMilliseconds: Int64,
        residentBytes: Int64, descriptors: Int32, clients: [ClientInfo], realms: [RealmInfoReply]
    ) {
        self.agent = agent
        self.pid = pid
        self.protocolVersion = protocolVersion
        self.socket = socket
        self.uptimeMilliseconds = uptimeMilliseconds
        self.residentBytes = residentBytes
        self.descriptors = descriptors
        self.clients = clients
        self.realms = realms
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            agent: try view.get("agent"), pid: try view.get("pid"), protocolVersion: try view.get("protocol"),
            socket: try view.get("socket"), uptimeMilliseconds: try view.get("uptimeMs"),
            residentBytes: try view.get("residentBytes"), descriptors: try view.get("descriptors"),
            clients: try view.get("clients"), realms: try view.get("realms"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("agent", agent)
        writer.put("pid", pid)
        writer.put("protocol", protocolVersion)
        writer.put("socket", socket)
        writer.put("uptimeMs", uptimeMilliseconds)
        writer.put("residentBytes", residentBytes)
        writer.put("descriptors", descriptors)
        writer.put("clients", clients)
        writer.put("realms", realms)
    }
}

/// A connected client.
package struct ClientInfo: WirePayload {
    package var client: String
    package var pid: Int32
    package var version: String
    package var session: UniqueId?
    package var connectedMilliseconds: Int64
    package var inFlight: Int32
    package var queuedBytes: Int64
    package var pins: Int32
    package var subscriptions: Int32
    package var realms: [String]

    package init(
        client: String, pid: Int32, version: String = "", session: UniqueId? = nil, connectedMilliseconds: Int64 = 0,
        inFlight: Int32 = 0, queuedBytes: Int64 = 0, pins: Int32 = 0, subscriptions: Int32 = 0, realms: [String] = []
    ) {
        self.client = client
        self.pid = pid
        self.version = version
        self.session = session
        self.connectedMilliseconds = connectedMilliseconds
        self.inFlight = inFlight
        self.queuedBytes = queuedBytes
        self.pins = pins
        self.subscriptions = subscriptions
        self.realms = realms
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            client: try view.get("client"), pid: try view.get("pid"), version: try view.find("version") ?? "",
            session: try view.find("session"), connectedMilliseconds: try view.find("connectedMs") ?? 0,
            inFlight: try view.find("inFlight") ?? 0, queuedBytes: try view.find("queuedBytes") ?? 0,
            pins: try view.find("pins") ?? 0, subscriptions: try view.find("subscriptions") ?? 0,
            realms: try view.find("realms") ?? [])
    }

    package func write(to writer: BSONWriter) {
        writer.put("client", client)
        writer.put("pid", pid)
        writer.put("version", version)
        writer.put("session", session)
        writer.put("connectedMs", connectedMilliseconds)
        writer.put("inFlight", inFlight)
        writer.put("queuedBytes", queuedBytes)
        writer.put("pins", pins)
        writer.put("subscriptions", subscriptions)
        if !realms.isEmpty { writer.put("realms", realms) }
    }
}

/// Ends the agent: open commits are finished, then the connection is closed.
package struct AgentShutdown: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.agentShutdown

    package init() {
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {}

    package func write(to writer: BSONWriter) {}
}
