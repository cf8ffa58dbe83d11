import Merge
import Model
import TestSupport

@testable import Sync

/// A client file that merges: what is received is transformed against local changes that the server didn't have.
struct MergingFile: SimulatedFile {
    private var base = MemoryFile()
    private var replica = ReplicaState()
    private var history = MergeHistory()

    init(seed: UInt64) {}

    var state: ClientFile { base.state }
    var digest: String { replica.digest }
    mutating func disconnected() { base.disconnected() }

    mutating func write(_ generator: inout SeededGenerator, number: Int, now: Int64) -> Int64 {
        let instructions = changes(&generator, number)
        guard let bytes = try? Changeset.encode(instructions), (try? replica.apply(instructions)) != nil else {
            return base.commit([])
        }
        let version = base.commit(bytes, timestamp: now)
        try? history.append(
            HistoryEntry(
                version: UInt64(version), rank: rank(now, base.state.ident?.number), instructions: instructions))
        return version
    }

    private func rank(_ timestamp: Int64, _ file: Int64?) -> Rank {
        Rank(originTimestamp: UInt64(timestamp), originFileIdent: UInt64(file ?? 0))
    }

    /// Objects are few, so that replicas get in each other's way.
    private func changes(_ generator: inout SeededGenerator, _ number: Int) -> [Instruction] {
        let declarations: [Instruction] =
            [.addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false))]
            + [("n", ValueType.int), ("s", ValueType.string)].map { name, type in
                .addColumn(
                    className: "Item", property: name,
                    ColumnDeclaration(
                        type: type.rawValue, isNullable: false, collection: .single, target: nil, keyType: nil))
            }
        let key = PrimaryKey.int(Int64.random(in: 0..<4, using: &generator))
        if Int.random(in: 0..<6, using: &generator) == 0 {
            return declarations + [.eraseObject(className: "Item", key: key)]
        }
        return declarations + [
            .createObject(className: "Item", key: key),
            .addInteger(InstructionPath("Item", key, "n", []), Int64(number)),
            .update(InstructionPath("Item", key, "s", []), .value(.string("\(number)")), isDefault: false)
        ]
    }

    mutating func answer(_ work: StoreRequest.Work) -> StoreAnswer {
        switch work {
        case .saveIdent(let ident):
            let answer = base.answer(work)
            // What was committed before is ranked by the file's number now.
            history = MergeHistory()
            for entry in base.entries where entry.isLocal && !entry.changeset.isEmpty {
                guard let instructions = try? Changeset.decode(entry.changeset) else { continue }
                try? history.append(
                    HistoryEntry(
                        version: UInt64(entry.version), rank: rank(entry.timestamp, ident.number),
                        instructions: instructions))
            }
            return answer
        case .integrate(let download):
            do {
                let merged = try history.merge(
                    try download.entries.map { entry in
                        RemoteChangeset(
                            remoteVersion: UInt64(entry.cursor.server),
                            lastIntegratedVersion: UInt64(entry.cursor.client),
                            rank: rank(entry.timestamp, entry.originFile),
                            instructions: try Changeset.decode(entry.changeset))
                    }, from: 1)
                for changeset in merged.changesets { try replica.apply(changeset.instructions) }
                history.adopt(merged)
            } catch {
                return .failed(.badChangeset, "\(error)")
            }
            return base.answer(work)
        case .scan, .nextUploadable: return base.answer(work)
        }
    }
}

/// A server realm that merges.
struct MergingRealm: SimulatedRealm {
    private var base: MemoryHistory
    private var replica = ReplicaState()
    private var history = MergeHistory()

    init(seed: UInt64, isFlexible: Bool) { base = MemoryHistory(seed: seed) }

    var current: SaltedVersion { base.current }
    var digest: String { replica.digest }

    mutating func open(_ flexible: FlexibleBind?, needsIdent: Bool) throws(SessionFailure) -> FileIdent? {
        try base.open(flexible, needsIdent: needsIdent)
    }

    mutating func record(
        of ident: ClientMessage.Ident
    ) throws(SessionFailure) -> (record: FileRecord?, notices: [SessionFailure]) {
        try base.record(of: ident)
    }

    mutating func integrate(_ uploads: [ClientMessage.Upload], file: Int64) throws(SessionFailure) {
        var history = history
        var replica = replica
        try base.integrate(uploads, file: file) { next, fresh throws(SessionFailure) in
            do {
                let merged = try history.merge(
                    try fresh.map { entry in
                        RemoteChangeset(
                            remoteVersion: UInt64(entry.cursor.client),
                            lastIntegratedVersion: UInt64(entry.cursor.server),
                            rank: Rank(
                                originTimestamp: UInt64(entry.timestamp), originFileIdent: UInt64(file)),
                            instructions: try Changeset.decode(entry.changeset))
                    }, from: UInt64(file))
                history.adopt(merged)
                var bytes: [[UInt8]] = []
                for (place, changeset) in merged.changesets.enumerated() {
                    try replica.apply(changeset.instructions)
                    bytes.append(changeset.instructions.isEmpty ? [] : try Changeset.encode(changeset.instructions))
                    guard !changeset.instructions.isEmpty else { continue }
                    try history.append(
                        HistoryEntry(
                            version: UInt64(next) + UInt64(place), rank: changeset.rank, receivedFrom: UInt64(file),
                            instructions: changeset.instructions))
                }
                return bytes
            } catch {
                throw SessionFailure(.badChangeset, "\(error)")
            }
        }
        self.history = history
        self.replica = replica
    }

    mutating func query(_ query: ClientMessage.Query, file: Int64) throws(SessionFailure) -> String? { nil }

    mutating func batch(
        after position: DownloadCursor, file: Int64, byteLimit: Int
    ) throws(SessionFailure) -> DownloadBatch {
        try base.batch(after: position, file: file, byteLimit: byteLimit)
    }
}
