import Agent
import ClientKit
import Foundation
import Wire

/// The command's connection to the agent.
final class AgentClient {
    private let client: BlockingClient
    /// Of the realm that the command is about, if that is encrypted.
    private let key: EncryptionKey?

    /// How long a command tries to get an agent started.
    private static let patience = Duration.seconds(10)
    /// How long an agent may say nothing before it is asked whether it still answers: `REEVE_ANSWER_S`, or 15.
    private static let silence = Duration.seconds(
        ProcessInfo.processInfo.environment["REEVE_ANSWER_S"].flatMap { Int($0) }.flatMap {
            (1...86_400).contains($0) ? $0 : nil
        } ?? 15)

    /// Connects; with `starting` an agent is started if none runs.
    init(starting: Bool = true, key: EncryptionKey? = nil) throws {
        self.key = key
        client = try starting ? Self.connectStarting() : Self.connect()
        // An agent that doesn't know of keys would take an encrypted file for a damaged one, and make plain files.
        if key != nil { try require(.encryption) }
        // Checking or compacting a large file takes as long as it takes: as long as the agent talks to others, it works.
        client.whenLate = { _ = try Self.connect() }
    }

    /// Throws unless the agent can do that.
    func require(_ feature: Feature) throws {
        try client.agent?.require(feature)
    }

    func call<Request: WireRequest>(_ request: Request) throws -> Request.Reply {
        do {
            return try client.call(request)
        } catch let error as WireError where error.code == .timedOut && error.facts["pid"] == nil {
            throw Self.hung(client.connection)
        }
    }

    /// Opens a realm; with `schema`, classes that it lacks are added, and a missing file is created.
    func open(_ path: String, adding schema: RealmSchemaAddition = .nothing) throws -> OpenRealm {
        var request = RealmOpen(path: Self.absolute(path), key: key)
        if case .classes(let classes, let version) = schema {
            request.schema = classes
            request.schemaVersion = version
            request.create = true
        }
        let reply = try call(request)
        return OpenRealm(client: self, handle: reply.realm, path: request.path, identity: reply.identity)
    }

    /// Waits for the next change of a subscription. Throws `connectionLost` when the agent has gone.
    func nextChange() throws -> Changed {
        while true {
            let event = try client.nextEvent()
            if event.name == Changed.event.rawValue { return try event.decoded(as: Changed.self) }
        }
    }

    /// A realm to ask about without opening it.
    func target(_ path: String) -> RealmTarget {
        .path(Self.absolute(path), key: key)
    }

    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func connect() throws -> BlockingClient {
        let location = try SocketLocation.resolve()
        let connection = try BlockingConnection(to: location, deadline: .now + silence)
        let client = BlockingClient(connection, timeout: silence)
        do {
            try client.hello(client: "reeve", version: ReeveVersion.current, features: [])
        } catch let error as WireError where error.code == .timedOut {
            throw hung(connection)
        }
        return client
    }

    /// The agent takes connections, which the kernel does for it, and nothing else.
    private static func hung(_ connection: BlockingConnection) -> WireError {
        guard let pid = connection.peerProcess else { return WireError(.timedOut, "the agent doesn't answer") }
        return WireError(
            .timedOut,
            "the agent (pid \(pid)) doesn't answer; `kill -CONT \(pid)` lets it go on if it was stopped, "
                + "`kill -KILL \(pid)` ends it, and what was committed is kept",
            facts: ["pid": .int32(pid)])
    }

    /// As clients do, but the agent is this very program.
    private static func connectStarting() throws -> BlockingClient {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        do {
            return try AgentLauncher.connect(until: .now + patience, program: program) { try connect() }
        } catch let error as WireError where error.code == .agentUnavailable {
            throw WireError(
                .agentUnavailable, "\(error.message); run `reeve agent` to see why it can't be started",
                facts: error.facts)
        }
    }
}
