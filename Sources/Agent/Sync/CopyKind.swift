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
    /// A synced realm's is one that others begin with.
    case bundle

    /// Throws `syncMismatch` if a synced realm is to become one with other data, and `schemaMismatch` for classes that can't
    /// be synced.
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
        case (let own?, let origin?):
            guard own.hasSameData(as: origin) else {
                throw WireError(reporting: SyncedCopyError.otherData(own, wanted: origin), path: host.path)
            }
            self = .bundle
        }
    }

    /// Throws if what a transaction has changed so far can't be in the copy.
    func checkInTransaction(_ path: String) throws(WireError) {
        guard case .bundle = self else { return }
        throw WireError(
            .unsentChanges,
            "the transaction's changes aren't on the server: commit it, wait until they are uploaded, and copy then",
            facts: ["path": .string(path), "transactions": .int64(0)])
    }

    func copy(_ snapshot: Snapshot, to path: String, _ key: RealmKey?) throws {
        switch self {
        case .plain: try RealmFile.writeCopy(of: snapshot, to: path, key: key)
        case .local: try SyncedCopy.make(local: path, from: snapshot, key: key)
        case .bundle: try SyncedCopy.make(bundle: path, from: snapshot, key: key)
        case .synced(let origin): try SyncedCopy.make(synced: path, from: snapshot, key: key, origin: origin)
        }
    }
}
