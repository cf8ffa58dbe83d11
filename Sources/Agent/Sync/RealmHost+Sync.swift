import EventLoop
import History
import Model
import Store
import Wire

// What makes a realm a synced one.
extension RealmHost {
    /// Makes the file one of `origin` with the client's classes, in its turn to write, and begins to sync it.
    func adopt(
        _ request: RealmOpen, _ origin: SyncOrigin, _ user: AgentUser,
        completion: @escaping @Sendable @LoopActor (WireError?) -> Void
    ) {
        exclusively(
            { writer in
                try writer.adopt(origin, request.schema, schemaVersion: request.schemaVersion ?? 0)
            },
            completion: { outcome in
                if case .failure(let error) = outcome { return completion(error) }
                self.origin = origin
                self.sync?.adopt(origin)
                self.beginSync(user)
                self.sync?.tellOfNewSets()
                self.rememberSync(completion: completion)
            })
    }

    /// Begins to sync a file that was synced before, if its user is known here.
    func beginSync() {
        guard let origin, sync == nil, !isDraining else { return }
        let app = AppIdentity(id: origin.app, baseURL: origin.baseURL)
        guard let user = try? server.apps.user(origin.user, of: app) else { return }
        beginSync(user)
        if handles.isEmpty { sync?.leaveWhenUploaded() }
    }

    private func beginSync(_ user: AgentUser) {
        guard let origin, sync == nil, !isDraining, !isReplaced else { return }
        let synced = SyncedRealm(self, origin, user)
        sync = synced
        synced.start()
    }

    func didEndSync() { sync = nil }

    /// Sees to it that the next agent goes on with what this one doesn't finish.
    func rememberSync(completion: @escaping @LoopActor (WireError?) -> Void = { _ in }) {
        // In memory there is nothing to go on with.
        if isInMemory { return completion(nil) }
        server.apps.remember(path, origin, completion: completion)
    }

    /// Throws if an app takes the realm for a local one: what it changes in the classes would not be the server's.
    func checkIsLocal(for request: RealmOpen) throws(WireError) {
        guard let origin, request.schema != nil else { return }
        throw WireError(
            .syncMismatch,
            origin.isBundle
                ? "the realm at \(path) is a bundle of app \(origin.app); open it with a user's configuration, or read-only"
                : "the realm at \(path) is synced for user \(origin.user) of app \(origin.app); open it with that user's "
                    + "configuration", facts: ["path": .string(path)])
    }
}

extension RealmSchema {
    /// What is wrong with the schema for a synced realm (SV-24, SV-25); nil if nothing is.
    package func problemOfSync(flexible: Bool) -> String? {
        if !flexible, let item = classes.first(where: { $0.kind == .asymmetric }) {
            return "Asymmetric class '\(item.name)' is not allowed in a partition-based Realm."
        }
        for item in classes where item.kind != .embedded && item.primaryKey != "_id" {
            return "class \(item.name) must have a primary key \"_id\" to be synced"
        }
        return nil
    }
}
