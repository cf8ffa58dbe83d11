import Foundation
import Wire

/// The write lock, had and not yet used.
struct WriteGrant: Sendable {
    let coordinator: RealmCoordinator
    let handle: RealmCoordinator.Handle
    let reply: WriteBeginReply
    let pin: Pin

    /// Waits for the turn of the calling thread, and for the lock.
    static func wait(_ coordinator: RealmCoordinator) throws -> WriteGrant {
        coordinator.writeTurn.begin()
        do {
            return try request(coordinator)
        } catch {
            coordinator.writeTurn.end()
            throw error
        }
    }

    /// Waits for the lock on the calling thread, whose turn it is.
    static func request(_ coordinator: RealmCoordinator) throws -> WriteGrant {
        // A connection that died unnoticed shows at the first request; nothing was begun then.
        for isRetry in [false, true] {
            let handle = try coordinator.handle()
            do {
                let reply = try handle.link.call(WriteBegin(realm: handle.realm))
                let grant = WriteGrant(
                    coordinator: coordinator, handle: handle, reply: reply,
                    pin: Pin(reply.pin, realm: handle.realm, link: handle.link))
                LockKeeper.shared.add(grant)
                return grant
            } catch let error as WireError where !isRetry && error.meansAgentIsGone {
                continue
            }
        }
        throw WireError(.connectionLost, "the agent went away twice")
    }

    /// What the lock was given for.
    var granted: RealmCoordinator.Grant {
        RealmCoordinator.Grant(version: reply.version, generation: reply.generation, pin: pin)
    }

    /// Lets the agent undo the transaction.
    func cancel() {
        LockKeeper.shared.remove(self)
        // Without a connection there is nothing to undo any more.
        _ = try? handle.link.call(WriteCancel(realm: handle.realm, transaction: reply.transaction))
    }

    /// Lets others write.
    func giveBack() {
        cancel()
        coordinator.writeTurn.end()
    }
}

/// A lock that is being waited for in the background, for an asynchronous write. A synchronous one of the same realm
/// instance may take it: it would wait for ever behind it, since the asynchronous block needs its thread.
final class PendingGrant: @unchecked Sendable {
    // Everything that changes is guarded by `condition`.
    private var outcome: Result<WriteGrant, any Error>?
    private var isTaken = false
    private let condition = NSCondition()

    func fulfil(_ outcome: Result<WriteGrant, any Error>) {
        condition.lock()
        defer { condition.unlock() }
        self.outcome = outcome
        condition.broadcast()
    }

    /// Waits for the lock; nil if somebody else took it.
    func take() -> Result<WriteGrant, any Error>? {
        condition.lock()
        defer { condition.unlock() }
        while outcome == nil { condition.wait() }
        guard !isTaken else { return nil }
        isTaken = true
        return outcome
    }
}

extension WireError {
    /// Whether an agent that is started anew may do better.
    var meansAgentIsGone: Bool {
        [.connectionLost, .shuttingDown, .agentUnavailable].contains(code)
    }
}
