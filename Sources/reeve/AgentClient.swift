import Agent
import ClientKit
import Foundation
import Wire

/// The command's connection to the agent.
final class AgentClient {
    private let client: BlockingClient

    /// How long a command tries to get an agent started.
    private static let patience = Duration.seconds(10)

    /// Connects; with `starting` an agent is started if none runs.
    init(starting: Bool = true) throws {
        client = try starting ? Self.connectStarting() : Self.connect()
        // Checking or compacting a large file takes as long as it takes.
        client.timeout = nil
    }

    func call<Request: WireRequest>(_ request: Request) throws -> Request.Reply {
        try client.call(request)
    }

    /// Opens a realm; with `schema`, classes that it lacks are added, and a missing file is created.
    func open(_ path: String, adding schema: RealmSchemaAddition = .nothing) throws -> OpenRealm {
        var request = RealmOpen(path: Self.absolute(path))
        if case .classes(let classes, let version) = schema {
            request.schema = classes
            request.schemaVersion = version
            request.create = true
        }
        return OpenRealm(client: self, handle: try call(request).realm)
    }

    /// Waits for the next change of a subscription. Throws `connectionLost` when the agent has gone.
    func nextChange() throws -> Changed {
        while true {
            let event = try client.nextEvent()
            if event.name == Changed.event.rawValue { return try event.decoded(as: Changed.self) }
        }
    }

    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func connect() throws -> BlockingClient {
        try BlockingClient(to: SocketLocation.resolve(), client: "reeve", version: ReeveVersion.current, features: [])
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
