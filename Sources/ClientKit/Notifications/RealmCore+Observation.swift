import Dispatch
import Model
import Store

/// Where callbacks are to run.
package enum DeliveryPlace: @unchecked Sendable {
    /// Where the observed realm lives.
    case here
    case queue(DispatchQueue)
    case actor(any Actor)

    package init(_ queue: DispatchQueue?) {
        self = queue.map { .queue($0) } ?? .here
    }
}

extension RealmCore {
    /// `keyPaths`: nil or empty for no filter, else stored names. The block gets the realm instance of the place of
    /// delivery, and the source in its terms.
    package func observe(
        _ source: ObservedSource, keyPaths: [[String]]?, on place: DeliveryPlace,
        _ block: @escaping (RealmCore, ObservedSource, CollectionNotice) -> Void
    ) -> NotificationToken {
        switch source {
        case .results(let query): _ = PathFilter(keyPaths, query.info)
        case .list(let info, _, let column, _):
            if column.property.type == .link { _ = PathFilter(keyPaths, info.target(of: column)) }
        }
        return register(place) { core in
            // A class that the other instance doesn't have can't be: it has the same schema.
            guard let source = source.counterpart(in: core) else { return Notifier(core) }
            let tell = { [weak core] (notice: CollectionNotice) in
                if let core { block(core, source, notice) }
            }
            switch source {
            case .results(let query):
                return ResultsNotifier(core, query, PathFilter(keyPaths, query.info), tell)
            case .list(let info, let key, let column, let steps):
                let filter = column.property.type == .link ? PathFilter(keyPaths, info.target(of: column)) : .any
                return ListNotifier(core, info, key, column, steps, filter, tell)
            }
        }
    }

    package func observeObject(
        _ info: ClassInfo, _ key: ObjectKey, keyPaths: [[String]]?, on place: DeliveryPlace,
        _ block: @escaping (RealmCore, ObjectNotice) -> Void
    ) -> NotificationToken {
        _ = PathFilter(keyPaths, info)
        return register(place) { core in
            guard let info = core.counterpart(of: info) else { return Notifier(core) }
            return ObjectNotifier(core, info, key, PathFilter(keyPaths, info)) { [weak core] notice in
                if let core { block(core, notice) }
            }
        }
    }

    /// `block` learns whether a refresh is required.
    func observeRealm(_ block: @escaping (RealmCore, Bool) -> Void) -> NotificationToken {
        register(.here) { RealmNotifier($0, block) }
    }

    /// `make` is called where the callbacks are to run, with the realm instance of that place. Notifiers whose token is
    /// gone aren't called any more.
    func register(
        _ place: DeliveryPlace, _ make: @escaping (RealmCore) -> Notifier
    ) -> NotificationToken {
        check()
        if isFrozen || isReadOnly { fail(.doesNotChange("observe")) }
        finishCommit()
        if let transaction, !transaction.recorder.isEmpty { fail(.observeInWrite) }
        let observation = Observation()
        let box = UnsafeTransfer(make)
        switch place {
        case .here:
            ensureScheduler()
            if !canBeWoken { fail(.observeWithoutRunLoop) }
            observation.begin(self) { make(self) }
        case .queue(let queue):
            let confinement = Confinement.on(queue)
            // This instance keeps the file open until the other one exists.
            queue.async { [self] in begin(observation, confinement, box) }
        case .actor(let actor):
            Task { await Self.run(on: actor) { [self] in begin(observation, .of(actor), box) } }
        }
        return NotificationToken(observation)
    }

    private static func run(on actor: isolated any Actor, _ work: @Sendable () -> Void) {
        work()
    }

    private func begin(
        _ observation: Observation, _ confinement: Confinement,
        _ make: UnsafeTransfer<(RealmCore) -> Notifier>
    ) {
        guard !observation.isEnded else { return }
        let core = sibling(confinement)
        // It must see at least what the observed instance saw.
        if !core.isInWrite { _ = try? core.advance(to: coordinator.newest) }
        observation.begin(core) { make.value(core) }
    }

    /// Lets go of observers whose tokens are gone: at once if the caller is here, else in a next turn. A token may be
    /// released anywhere, but the registry is the confinement's.
    func dropEndedNotifiers() {
        if confinement.isHere { notifiers.removeEnded() } else { wake() }
    }

    /// Tells observers about the version that the realm has come to.
    func deliverNotifications() {
        notifiers.deliver(self)
    }

    /// The notifiers of tokens that want no call for a commit of this realm (WR-02).
    func notifiersToSkip(_ tokens: [NotificationToken]) -> [Notifier] {
        tokens.compactMap { token in
            guard let observation = token.observation else { return nil }
            guard observation.core === self else { fail(.tokenOfAnotherRealm) }
            return observation.notifier
        }
    }
}

extension ObservedSource {
    /// The same source in terms of another instance of the realm.
    func counterpart(in core: RealmCore) -> ObservedSource? {
        switch self {
        case .results(var query):
            guard let info = core.counterpart(of: query.info) else { return nil }
            query.info = info
            switch query.source {
            case .table: break
            case .list(let owner, let key, let column):
                guard let owner = core.counterpart(of: owner) else { return nil }
                query.source = .list(owner: owner, key: key, column: column)
            case .backlinks(let target, let key, let column):
                guard let target = core.counterpart(of: target) else { return nil }
                query.source = .backlinks(target: target, key: key, column: column)
            }
            return .results(query)
        case .list(let info, let key, let column, let steps):
            return core.counterpart(of: info).map { .list($0, key, column, steps) }
        }
    }
}

/// Carries a value to where it will be used, by somebody who knows that nobody else uses it meanwhile.
/// Observes for an actor with what `register` does for any place of delivery.
func observing<A: Actor, Change>(
    on actor: A, _ block: @Sendable @escaping (isolated A, Change) -> Void,
    _ register: (DeliveryPlace, @escaping (Change) -> Void) -> NotificationToken
) -> NotificationToken {
    if Task.isCancelled { return NotificationToken(end: nil) }
    return register(.actor(actor)) { change in
        // The core calls from the actor.
        let change = UnsafeTransfer(change)
        actor.assumeIsolated { block($0, change.value) }
    }
}

struct UnsafeTransfer<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
