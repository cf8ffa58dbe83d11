import EventLoop
import History
import Store
import Wire

/// What a copy of a realm becomes.
enum CopyKind: Sendable {
    /// A local realm's is one like it.
    case plain
    /// A synced realm's has no user and no queue.
    case local
    /// A local realm's belongs to a user from now on.
    case synced(SyncOrigin)

    /// Throws `syncMismatch` for the copy of a synced realm that is to be synced, and `schemaMismatch` for classes that
    /// can't be.
    @LoopActor
    init(of host: RealmHost, _ origin: SyncOrigin?) throws(WireError) {
        switch (host.origin, origin) {
        case (nil, nil): self = .plain
        case (_?, nil): self = .local
        case (nil, let origin?):
            if let problem = host.newest?.snapshot.schema.realmSchema.problemOfSync(flexible: origin.partition == nil) {
                throw WireError(.schemaMismatch, problem, facts: ["path": .string(host.path)])
            }
            self = .synced(origin)
        case (_?, _?):
            throw WireError(
                .syncMismatch, "the realm at \(host.path) is synced already; copy it to a local one",
                facts: ["path": .string(host.path)])
        }
    }

    func copy(_ snapshot: Snapshot, to path: String, _ key: RealmKey?) throws {
        switch self {
        case .plain: try RealmFile.writeCopy(of: snapshot, to: path, key: key)
        case .local: try SyncedCopy.make(local: path, from: snapshot, key: key)
        case .synced(let origin): try SyncedCopy.make(synced: path, from: snapshot, key: key, origin: origin)
        }
    }
}
