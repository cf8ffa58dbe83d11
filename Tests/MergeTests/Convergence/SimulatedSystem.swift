import Merge
import Model

/// A server and its clients, and what passes between them.
struct SimulatedSystem {
    private let run: ConvergenceRun
    private var server: SimulatedServer
    private var clients: [SimulatedClient]
    private var time: UInt64 = 1_000_000

    /// All begin with the same schema and no objects.
    static let base: ReplicaState = {
        var state = ReplicaState()
        do { try state.apply(TestSchema.base) } catch { preconditionFailure("\(error)") }
        return state
    }()

    init(_ run: ConvergenceRun) throws {
        self.run = run
        server = SimulatedServer(Self.base)
        clients = (0..<run.clientCount).map { SimulatedClient(Self.base, fileIdent: UInt64($0) + 2) }
        for client in clients { server.add(client.fileIdent) }
    }

    /// Performs an action; the result is what was written.
    @discardableResult
    mutating func perform(_ action: ConvergenceRun.Action) throws -> [Instruction] {
        switch action {
        case .write(let client, let changes, let skew, let seed):
            time += 10
            var writer = RandomWriter(
                clients[client].state, fileIdent: clients[client].fileIdent, focus: run.focus, keys: run.keys,
                seed: seed)
            for _ in 0..<changes { try writer.change() }
            try clients[client].commit(writer.recorded, writer.state, at: UInt64(max(0, Int64(time) + skew)))
            return writer.recorded
        case .upload(let client, let count): try upload(client, count)
        case .download(let client, let count, let isLost): try download(client, count, isLost: isLost)
        case .restart(let client): try clients[client].restart()
        case .trim: server.trim()
        }
        return []
    }

    /// From where the server says it is (M-109).
    private mutating func upload(_ client: Int, _ count: Int) throws {
        let known = server.uploaded(by: clients[client].fileIdent)
        let messages = clients[client].queue.filter { $0.version > known }.prefix(count)
        try server.upload(Array(messages), from: clients[client].fileIdent)
    }

    private mutating func download(_ client: Int, _ count: Int, isLost: Bool) throws {
        let (messages, cursor) = server.download(
            after: clients[client].cursor, limit: count, for: clients[client].fileIdent)
        if !isLost { try clients[client].download(messages, cursor: cursor) }
    }

    /// Everybody sends and gets all there is.
    mutating func settle() throws {
        for client in clients.indices { try upload(client, .max) }
        for client in clients.indices { try download(client, .max, isLost: false) }
    }

    /// How the replicas differ, if they do.
    var difference: String? {
        for client in clients where client.state.digest != server.state.digest {
            return
                "client \(client.fileIdent) differs from the server:\n\(client.state.differences(from: server.state))"
        }
        return nil
    }
}
