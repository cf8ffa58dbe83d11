/// What observers of a realm are called with.
public typealias NotificationBlock = (Realm.Notification, Realm) -> Void

extension Realm {
    /// What is told to observers of a realm.
    public enum Notification: String, Sendable {
        /// The realm has advanced to a newer version.
        case didChange = "RLMRealmDidChangeNotification"
        /// A newer version exists, and `autorefresh` is off.
        case refreshRequired = "RLMRealmRefreshRequiredNotification"
    }

    /// Whether the realm advances by itself between turns of its run loop, queue or actor.
    public var autorefresh: Bool {
        get {
            core.check()
            return !core.isFrozen && core.autorefresh
        }
        nonmutating set {
            core.check()
            if core.isFrozen, newValue { fail(Mistake("Auto-refresh cannot be enabled on a frozen Realm.")) }
            core.autorefresh = newValue
            if newValue { core.wake() }
        }
    }

    /// Advances to the newest version and tells observers on this thread. False if there was none newer.
    @discardableResult
    public func refresh() -> Bool {
        core.refresh()
    }

    /// As `refresh`, for realms of the main thread or an actor.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        core.checkMainOrActor("asyncRefresh")
        if Task.isCancelled { return false }
        return core.refresh()
    }

    /// Lets the version go that this instance reads. Its objects and collections become invalid.
    public func invalidate() {
        core.invalidate()
    }

    /// Calls `block` after each commit, its own or others', once this instance has advanced.
    public func observe(_ block: @escaping NotificationBlock) -> NotificationToken {
        core.observeRealm { core, isRefreshRequired in
            block(isRefreshRequired ? .refreshRequired : .didChange, Realm(core))
        }
    }

    /// Whether this is a snapshot that never changes and may be read on every thread.
    public var isFrozen: Bool { core.isFrozen }

    /// The present version, for every thread, for as long as it is kept.
    public func freeze() -> Realm {
        Realm(core.frozen())
    }

    /// The live realm of this thread.
    public func thaw() -> Realm {
        Realm(core.thawed())
    }
}

extension RealmCore {
    func checkMainOrActor(_ what: String) {
        check()
        switch confinement {
        case .main, .actor: break
        default: fail(.needsMainOrActor(what))
        }
    }
}
