import Agent
import Foundation
import Wire

/// The command's connection to the agent.
final class AgentClient {
    private let client: BlockingClient

    /// Connects; with `starting` an agent is started if none runs.
    init(starting: Bool = true) throws {
        do {
            client = try Self.connect()
        } catch let error as WireError where error.code == .agentUnavailable && starting {
            try Self.startAgent()
            client = try Self.connect()
        }
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

    /// Runs this very program as `reeve agent --daemon`, which returns when the agent is ready.
    private static func startAgent() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["agent", "--daemon"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw WireError(.agentUnavailable, "the agent could not be started; run `reeve agent` to see why")
        }
    }
}
