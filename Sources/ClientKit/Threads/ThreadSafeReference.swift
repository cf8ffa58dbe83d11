/// Carries a managed object or collection to another thread, queue or actor.
///
///     let reference = ThreadSafeReference(to: dog)
///     queue.async {
///         let realm = try Realm(queue: queue)
///         guard let dog = realm.resolve(reference) else { return }   // deleted meanwhile
///     }
///
/// It holds the version that it was made in, and can be resolved once.
public struct ThreadSafeReference<Confined: ThreadConfined>: @unchecked Sendable {
    /// The frozen value, which every thread may read.
    private let carrier: Carrier

    private final class Carrier: @unchecked Sendable {
        let coordinator: RealmCoordinator
        let frozen: Lock<Confined?>
        let version: UInt64

        init(_ coordinator: RealmCoordinator, _ frozen: Confined, _ version: UInt64) {
            self.coordinator = coordinator
            self.frozen = Lock(frozen)
            self.version = version
        }
    }

    /// Traps for unmanaged and invalidated values.
    public init(to value: Confined) {
        guard let realm = value.realm else { fail(.reference("unmanaged object")) }
        if value.isInvalidated { fail(.reference("invalidated object")) }
        let frozen = value.isFrozen ? value : value.freeze()
        carrier = Carrier(realm.core.coordinator, frozen, realm.core.version)
    }

    /// Whether it has been resolved.
    public var isInvalidated: Bool {
        carrier.frozen.withLock { $0 == nil }
    }

    fileprivate func take(in core: RealmCore) -> (Confined, UInt64) {
        if core.coordinator !== carrier.coordinator { fail(.referenceOfAnotherRealm) }
        let taken = carrier.frozen.withLock { frozen in
            defer { frozen = nil }
            return frozen
        }
        guard let taken else { fail(.referenceResolvedTwice) }
        return (taken, carrier.version)
    }
}

extension Realm {
    /// The value that a reference stands for, in this realm; nil if it was deleted meanwhile.
    ///
    /// Advances the realm if the reference was made in a newer version.
    public func resolve<Confined: ThreadConfined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        core.check()
        let (frozen, version) = reference.take(in: core)
        if core.isFrozen { return frozen }
        if version > core.version, !core.isInWrite { core.advanceForReference() }
        return RealmCore.$thawTarget.withValue(core) { frozen.thaw() }
    }
}

extension RealmCore {
    /// Goes to the newest version. Inside a callback its observers are told in a next turn.
    fileprivate func advanceForReference() {
        guard notifiers.isDelivering else {
            refresh()
            return
        }
        // Without an agent there is no newer version to be had.
        guard let newest = try? coordinator.pinNewest() else { return }
        _ = try? advance(to: newest)
        wake()
    }
}
