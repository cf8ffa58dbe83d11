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
        if queue === DispatchQueue.main { return .main }
        queue.setSpecific(key: queueKey, value: ObjectIdentifier(queue))
        return .queue(queue)
    }

    /// Names the confinement among the instances of one file; nil for frozen ones.
    var identity: AnyHashable? {
        switch self {
        case .main: AnyHashable("main")
        case .thread(let thread): AnyHashable(thread)
        case .queue(let queue): AnyHashable(ObjectIdentifier(queue))
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

    /// Traps unless the caller is inside.
    func check() {
        switch self {
        case .main:
            if !Self.isOnMain { fail(.incorrectThread) }
        case .thread(let thread):
            if thread != UInt(reeve_thread_identity()) { fail(.incorrectThread) }
        case .queue(let queue):
            if DispatchQueue.getSpecific(key: Self.queueKey) != ObjectIdentifier(queue) { fail(.incorrectQueue) }
        case .actor(let actor):
            if !Self.isOn(actor) { fail(.incorrectActor) }
        case .none: break
        }
    }

    /// Whether the caller is on a queue that some realm belongs to.
    static func isOn(_ queue: DispatchQueue) -> Bool {
        DispatchQueue.getSpecific(key: queueKey) == ObjectIdentifier(queue)
    }

    /// Whether the caller runs isolated to an actor. `preconditionIsolated` would trap with words of its own.
    static func isOn(_ actor: any Actor) -> Bool {
        let words = unsafeBitCast(actor.unownedExecutor, to: (UnsafeRawPointer?, UnsafeRawPointer?).self)
        return reeve_is_current_executor(words.0, words.1)
    }

    static var callersThread: UInt { UInt(reeve_thread_identity()) }

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
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
