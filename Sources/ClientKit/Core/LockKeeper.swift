import Dispatch
import Wire

/// Tells the agent now and then that transactions which say nothing are alive: a block may take its time while others
/// wait. A process that is stopped or dead tells nothing, and loses its turn.
final class LockKeeper: @unchecked Sendable {
    // Everything that changes is in `state`.
    static let shared = LockKeeper()

    /// A thread that hangs in its block loses its turn, too: so often the agent is told without the transaction having
    /// said something itself. With the agent's default that is ten minutes.
    static let silenceLimit = 180

    private struct Key: Hashable {
        let link: ObjectIdentifier
        let transaction: Int64
    }

    private struct Held {
        let link: AgentLink
        let realm: Int32
        var silence = 0
    }

    private struct State {
        var held: [Key: Held] = [:]
        var isScheduled = false
        var fork = ForkGuard.stamp
    }

    private let state = Lock(State())

    /// The lock is had.
    func add(_ grant: WriteGrant) {
        let interval = grant.handle.link.agent.limits.writeStallMilliseconds / 3
        guard interval > 0 else { return }
        let mustSchedule = state.withLock { state in
            // A forked process has no transactions.
            if state.fork != ForkGuard.stamp { state = State() }
            state.held[Self.key(grant)] = Held(link: grant.handle.link, realm: grant.handle.realm)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if mustSchedule { schedule(interval) }
    }

    /// The transaction has said something itself.
    func note(_ grant: WriteGrant) {
        state.withLock { $0.held[Self.key(grant)]?.silence = 0 }
    }

    /// The transaction is over.
    func remove(_ grant: WriteGrant) {
        state.withLock { _ = $0.held.removeValue(forKey: Self.key(grant)) }
    }

    private static func key(_ grant: WriteGrant) -> Key {
        Key(link: ObjectIdentifier(grant.handle.link), transaction: grant.reply.transaction)
    }

    private func schedule(_ interval: Int64) {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Int(interval))) { [self] in
            let held = state.withLock { state in
                if state.fork != ForkGuard.stamp { state = State() }
                for key in state.held.keys { state.held[key]?.silence += 1 }
                state.isScheduled = !state.held.isEmpty
                return state.held
            }
            for (key, held) in held where held.silence <= Self.silenceLimit {
                // A link that was lost has taken the transaction along.
                try? held.link.notify(
                    WriteAppend(realm: held.realm, transaction: key.transaction, changes: Bytes([])))
            }
            if !held.isEmpty { schedule(interval) }
        }
    }
}
