import Model
import Store

extension RealmCore {
    /// The frozen instance of the current version; itself if frozen.
    package func frozen() -> RealmCore {
        check()
        if isFrozen { return self }
        finishCommit()
        if let transaction, !transaction.recorder.isEmpty { fail(.freezeInCreatingWrite) }
        let snapshot = snapshot
        return frozen(snapshot, grant)
    }

    /// The frozen instance of a version that somebody holds.
    func frozen(_ snapshot: Snapshot, _ grant: RealmCoordinator.Grant) -> RealmCore {
        if let core = coordinator.frozenCore(snapshot.version) { return core }
        do {
            // The snapshot itself is shared: another of the same version can't be had once there are newer ones.
            return try RealmCore(
                coordinator: coordinator, configuration: configuration, confinement: .none, classes: classes,
                snapshot: snapshot, grant: grant)
        } catch {
            fail(Mistake("The Realm at '\(coordinator.settings.path)' can't be frozen: \(error)"))
        }
    }

    /// The live instance of the caller's thread or queue; itself if live.
    package func thawed() -> RealmCore {
        guard isFrozen else { return self }
        if let target = Self.thawTarget, target.coordinator === coordinator { return target }
        return sibling(coordinator.callersConfinement)
    }

    /// Where `thawed` leads while a reference is resolved: the caller's actor or queue can't always be found out.
    @TaskLocal static var thawTarget: RealmCore?

    /// The live instance of the same file for a confinement; the caller is inside it.
    func sibling(_ confinement: Confinement) -> RealmCore {
        if let core = coordinator.core(confinement.identity) { return core }
        do {
            return try RealmCore.live(coordinator, configuration, confinement, classes)
        } catch {
            fail(Mistake("The Realm at '\(coordinator.settings.path)' can't be opened here: \(error)"))
        }
    }

    /// The instance of a confinement, made if there is none.
    static func live(
        _ coordinator: RealmCoordinator, _ configuration: Realm.Configuration, _ confinement: Confinement,
        _ classes: ClassSet
    ) throws -> RealmCore {
        if let core = coordinator.core(confinement.identity) { return core }
        let (snapshot, grant) = try coordinator.snapshot(coordinator.newest)
        return try RealmCore(
            coordinator: coordinator, configuration: configuration, confinement: confinement, classes: classes,
            snapshot: snapshot, grant: grant)
    }

    /// The same class in this instance, also if it was opened without it; nil if its version doesn't have the class.
    func counterpart(of info: ClassInfo) -> ClassInfo? {
        storedInfo(named: info.name)
    }
}
