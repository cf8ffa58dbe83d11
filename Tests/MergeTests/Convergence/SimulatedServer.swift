import Merge
import Model

/// A changeset on its way, with what travels beside it (C-154).
struct Message {
    /// Under which the sender keeps it.
    var version: UInt64
    /// The last version of the receiver that the sender had integrated before.
    var lastIntegratedVersion: UInt64
    var rank: Rank
    var bytes: [UInt8]

    func changeset() throws -> RemoteChangeset {
        RemoteChangeset(
            remoteVersion: version, lastIntegratedVersion: lastIntegratedVersion, rank: rank,
            instructions: try Changeset.decode(bytes))
    }
}

/// The server of a simulated system: its history is the order in which things happened for all (M-2).
struct SimulatedServer {
    private struct Entry {
        var rank: Rank
        var bytes: [UInt8]
    }

    /// What it knows of a client.
    private struct Progress {
        /// The last client version integrated, and after which server version each was.
        var clientVersions: [(clientVersion: UInt64, serverVersion: UInt64)] = []
        /// The last server version that the client said it had integrated.
        var serverVersion: UInt64 = 0
    }

    private(set) var state: ReplicaState
    private var history = MergeHistory()
    private var entries: [Entry] = []
    private var clients: [UInt64: Progress] = [:]

    init(_ base: ReplicaState) { state = base }

    var version: UInt64 { UInt64(entries.count) }

    mutating func add(_ client: UInt64) { clients[client] = Progress() }

    func uploaded(by client: UInt64) -> UInt64 { clients[client]?.clientVersions.last?.clientVersion ?? 0 }

    /// Integrates what a client uploads; what it has already is passed over (M-109).
    mutating func upload(_ messages: [Message], from client: UInt64) throws {
        let known = uploaded(by: client)
        let changesets = try messages.filter { $0.version > known }.map { try $0.changeset() }
        guard let last = changesets.last else { return }
        let merged = try history.merge(changesets, from: client)
        for changeset in merged.changesets { try state.apply(changeset.instructions) }
        history.adopt(merged)
        for changeset in merged.changesets {
            entries.append(Entry(rank: changeset.rank, bytes: try Changeset.encode(changeset.instructions)))
            let seen = (clientVersion: changeset.remoteVersion, serverVersion: version)
            clients[client]?.clientVersions.append(seen)
            guard !changeset.instructions.isEmpty else { continue }
            try history.append(
                HistoryEntry(
                    version: version, rank: changeset.rank, receivedFrom: client, instructions: changeset.instructions))
        }
        clients[client]?.serverVersion = last.lastIntegratedVersion
        history.trimForms(of: client, through: last.lastIntegratedVersion)
    }

    /// Drops what all clients have (M-23).
    mutating func trim() {
        history.trim(through: clients.values.map(\.serverVersion).min() ?? 0)
    }

    /// What a client doesn't have yet, at most so many, and how far that brings it (M-9, M-112).
    func download(after cursor: UInt64, limit: Int, for client: UInt64) -> (messages: [Message], cursor: UInt64) {
        var messages: [Message] = []
        var cursor = cursor
        while cursor < version, messages.count < limit {
            let entry = entries[Int(cursor)]
            cursor += 1
            guard entry.rank.originFileIdent != client, !entry.bytes.isEmpty else { continue }
            let seen = clients[client]?.clientVersions.last { $0.serverVersion < cursor }?.clientVersion ?? 0
            messages.append(Message(version: cursor, lastIntegratedVersion: seen, rank: entry.rank, bytes: entry.bytes))
        }
        return (messages, cursor)
    }
}
