import Foundation
import Model
import Wire

/// The process's way to the agent: starts it when it is absent, connects, and connects again after a loss.
final class AgentConnection: @unchecked Sendable {
    // Everything that changes is behind the locks.
    static let shared = AgentConnection()

    /// How long a call may wait for an agent that is being started.
    static let patience = Duration.seconds(20)

    /// `session` stays over reconnections: the agent then knows that the former connection is dead.
    private struct State {
        var link: AgentLink?
        var fork = ForkGuard.stamp
        var session = UniqueId()
    }

    private let link = Lock(State())
    private let observers = Lock<[ObjectIdentifier: Observer]>([:])

    private struct Observer {
        weak var coordinator: RealmCoordinator?
    }

    /// The link; connects if there is none. Throws `agentUnavailable` and what refuses a connection.
    func connected() throws -> AgentLink {
        try link.withLock { state in
            if state.fork != ForkGuard.stamp {
                // The parent's socket: using it, or shutting it down, would break the parent.
                if let old = state.link { _ = Unmanaged.passRetained(old) }
                state = State()
            }
            if let link = state.link, !link.isLost { return link }
            let link = try connect(until: .now + Self.patience, session: state.session)
            state.link = link
            return link
        }
    }

    private func connect(until deadline: ContinuousClock.Instant, session: UniqueId) throws -> AgentLink {
        try AgentLauncher.connect(until: deadline) { try dial(until: deadline, session) }
    }

    private func dial(until deadline: ContinuousClock.Instant, _ session: UniqueId) throws -> AgentLink {
        let connection = try BlockingConnection(to: SocketLocation.resolve(), deadline: deadline)
        let client = BlockingClient(connection, timeout: ContinuousClock.now.duration(to: deadline))
        let reply = try client.call(
            Hello(
                client: ProcessInfo.processInfo.processName, pid: getpid(), version: ReeveVersion.current,
                session: session))
        // Reads go to the mapped file: there is no other way to them.
        try reply.require(.descriptors)
        let link = AgentLink(
            connection, agent: reply,
            onEvent: { [unowned self] event, params, link in received(event, params, link) },
            onLoss: { [unowned self] link in lost(link) },
            wantsEvents: { [unowned self] in coordinators.contains(where: \.wantsEvents) })
        link.startReader()
        return link
    }

    // MARK: Events

    func add(_ coordinator: RealmCoordinator) {
        observers.withLock { $0[ObjectIdentifier(coordinator)] = Observer(coordinator: coordinator) }
    }

    func remove(_ coordinator: RealmCoordinator) {
        observers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(coordinator)) }
    }

    private var coordinators: [RealmCoordinator] {
        observers.withLock { $0.values.compactMap(\.coordinator) }
    }

    private func received(_ event: Event, _ params: UnsafeBSONView, _ link: AgentLink) {
        switch event {
        case .realmChanged:
            guard let change = try? RealmChanged(reply: params) else { return }
            for coordinator in coordinators where coordinator.received(change, from: link) { return }
            // Nobody's handle any more: the pin would be kept for nothing.
            link.release(change.pin, realm: change.realm)
        case .syncChanged:
            guard let change = try? SyncChanged(reply: params) else { return }
            coordinators.first { $0.isMine(change.realm, on: link) }?.syncSession?.received(change)
        case .syncFailed:
            guard let failure = try? SyncFailed(reply: params) else { return }
            coordinators.first { $0.isMine(failure.realm, on: link) }?.syncSession?.received(failure)
        case .syncResetting:
            guard let reset = try? SyncResetting(reply: params) else { return }
            coordinators.first { $0.isMine(reset.realm, on: link) }?.willReset()
        case .syncReset:
            guard let reset = try? SyncReset(reply: params) else { return }
            coordinators.first { $0.isMine(reset.realm, on: link) }?.didReset()
        case .subscriptionsChanged:
            guard let change = try? SubscriptionsChanged(reply: params) else { return }
            coordinators.first { $0.isMine(change.realm, on: link) }?.received(change)
        case .changed: break
        }
    }

    /// Runs on the thread that read the end of the stream. Observers want events again as soon as an agent is back;
    /// only a call starts one, so that shutting it down by hand isn't undone by a program that merely listens.
    private func lost(_ link: AgentLink) {
        guard coordinators.contains(where: \.wantsEvents) else { return }
        let thread = Thread { [self] in reconnectForEvents() }
        thread.name = "reeve-reconnect"
        thread.stackSize = 512 << 10
        thread.start()
    }

    private func reconnectForEvents() {
        var pause: UInt32 = 10_000
        while coordinators.contains(where: \.wantsEvents) {
            let isBack = link.withLock { state in
                if let link = state.link, !link.isLost { return true }
                state.link = try? dial(until: .now + .seconds(5), state.session)
                return state.link != nil
            }
            if isBack {
                for coordinator in coordinators where coordinator.wantsEvents { coordinator.reconnected() }
                return
            }
            usleep(pause)
            pause = min(pause * 2, 1_000_000)
        }
    }
}
