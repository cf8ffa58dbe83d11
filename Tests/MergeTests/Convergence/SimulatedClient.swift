import Merge
import Model

/// A client of a simulated system: it writes, and syncs with the server when it can.
struct SimulatedClient {
    let fileIdent: UInt64
    private(set) var state: ReplicaState
    private var history = MergeHistory()
    private var version: UInt64 = 1
    /// The last server version integrated.
    private(set) var cursor: UInt64 = 0
    /// Local commits that the server may not have, as they were made.
    private(set) var queue: [Message] = []
    /// What a store would keep of the merges.
    private var stored: [UInt64: ReciprocalForm] = [:]

    private static let server: UInt64 = 1

    init(_ base: ReplicaState, fileIdent: UInt64) {
        state = base
        self.fileIdent = fileIdent
    }

    /// Commits what was recorded, and led to a state.
    mutating func commit(_ instructions: [Instruction], _ state: ReplicaState, at time: UInt64) throws {
        guard !instructions.isEmpty else { return }
        self.state = state
        version += 1
        let rank = Rank(originTimestamp: time, originFileIdent: fileIdent)
        queue.append(
            Message(
                version: version, lastIntegratedVersion: cursor, rank: rank,
                bytes: try Changeset.encode(instructions, layout: .streaming)))
        try history.append(HistoryEntry(version: version, rank: rank, instructions: instructions))
    }

    /// Integrates what the server has sent.
    mutating func download(_ messages: [Message], cursor: UInt64) throws {
        let merged = try history.merge(messages.map { try $0.changeset() }, from: Self.server)
        for changeset in merged.changesets { try state.apply(changeset.instructions) }
        for form in try merged.forms() { stored[form.version] = stored[form.version]?.merging(form) ?? form }
        history.adopt(merged)
        self.cursor = cursor
        version += 1
        if let seen = messages.last?.lastIntegratedVersion { forget(through: seen) }
    }

    /// The server is known to have integrated the client's versions so far (M-24).
    private mutating func forget(through version: UInt64) {
        history.trim(through: version)
        queue.removeAll { $0.version <= version }
        stored = stored.filter { $0.key > version }
    }

    /// Starts again from what was stored.
    mutating func restart() throws {
        history = MergeHistory()
        for message in queue {
            try history.append(
                HistoryEntry(
                    version: message.version, rank: message.rank, instructions: try Changeset.decode(message.bytes)))
        }
        for form in stored.values { try history.restore(form, of: Self.server) }
    }
}
