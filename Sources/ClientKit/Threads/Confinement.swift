import CPlatform
import Dispatch
import Foundation

/// Where a realm instance may be used.
enum Confinement: @unchecked Sendable {
    /// The main thread, main queue and main actor, which are one. In a program whose `main` is async, Linux serves
    /// the main queue on changing threads.
    case main
    case thread(UInt)
    case queue(DispatchQueue)
    case actor(any Actor)
    /// Frozen: everywhere.
    case none

    /// Where the caller is, for realms opened without saying where.
    static var current: Confinement {
        isOnMain ? .main : .thread(UInt(reeve_thread_identity()))
    }

    /// The main queue is the main thread's confinement.
    static func on(_ queue: DispatchQueue) -> Confinement {
        // On Linux each access to `DispatchQueue.main` makes another object: only what the queue itself carries tells.
        _ = number(of: queue)
        return queue.getSpecific(key: mainKey) == true ? .main : .queue(queue)
    }

    /// The main actor is the main thread's confinement.
    static func of(_ actor: any Actor) -> Confinement {
        actor === MainActor.shared ? .main : .actor(actor)
    }

    /// What a queue is known by, for ever: the objects that stand for it may be several.
    private static func number(of queue: DispatchQueue) -> UInt64 {
        lastQueue.withLock { last in
            if let number = queue.getSpecific(key: queueKey) { return number }
            last += 1
            queue.setSpecific(key: queueKey, value: last)
            return last
        }
    }

    /// Names the confinement among the instances of one file; nil for frozen ones.
    var identity: AnyHashable? {
        switch self {
        case .main: AnyHashable("main")
        case .thread(let thread): AnyHashable(thread)
        case .queue(let queue): AnyHashable(QueueIdentity(number: Self.number(of: queue)))
        case .actor(let actor): AnyHashable(ObjectIdentifier(actor))
        case .none: nil
        }
    }

    /// What inlined reads compare with the caller's thread; 0 when the question must be asked each time.
    var thread: UInt {
        switch self {
        case .main where Self.isMainThread: UInt(reeve_thread_identity())
        case .thread(let thread): thread
        default: 0
        }
    }

    /// Whether the caller is inside.
    var isHere: Bool {
        switch self {
        case .main: Self.isOnMain
        case .thread(let thread): thread == UInt(reeve_thread_identity())
        case .queue(let queue): Self.isOn(queue)
        case .actor(let actor): Self.isOn(actor)
        case .none: true
        }
    }

    /// Traps unless the caller is inside.
    func check() {
        if isHere { return }
        switch self {
        case .main, .thread: fail(.incorrectThread)
        case .queue: fail(.incorrectQueue)
        case .actor: fail(.incorrectActor)
        case .none: break
        }
    }

    /// Whether the caller is on a queue that some realm belongs to.
    static func isOn(_ queue: DispatchQueue) -> Bool {
        guard let number = queue.getSpecific(key: queueKey) else { return false }
        return DispatchQueue.getSpecific(key: queueKey) == number
    }

    /// Whether the caller runs isolated to an actor. `preconditionIsolated` would trap with words of its own.
    static func isOn(_ actor: any Actor) -> Bool {
        let words = unsafeBitCast(actor.unownedExecutor, to: (UnsafeRawPointer?, UnsafeRawPointer?).self)
        return reeve_is_current_executor(words.0, words.1)
    }

    private struct QueueIdentity: Hashable {
        let number: UInt64
    }

    private static let queueKey = DispatchSpecificKey<UInt64>()
    private static let lastQueue = Lock<UInt64>(0)
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static var isMainThread: Bool { Thread.isMainThread }

    static var isOnMain: Bool {
        isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
    }
}
