import CPlatform
import CUV
import Foundation
import Synchronization

/// The process's libuv loop. Everything that has to do with it lives on one thread, which is the executor of
/// `LoopActor`; from elsewhere only `post` and `run(_:)` may be called.
///
/// The loop runs either on a thread of its own (`start()`) or on the calling thread (`runOnCallingThread()`, for a
/// program whose main thread has nothing else to do). It sleeps in the kernel while nothing happens: there is no
/// periodic wake-up. The process ignores SIGPIPE from the first use on.
package final class EventLoop: @unchecked Sendable {
    /// The one loop. Not running before `start()` or `runOnCallingThread()`; what is posted earlier waits.
    package static let shared = EventLoop()

    enum Work {
        case job(UnownedJob)
        case closure(@Sendable @LoopActor () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        /// Whether the loop has been told that there is work.
        var isCalled = false
        var state = State.idle
    }

    private enum State { case idle, running, stopping }

    let uv: UnsafeMutablePointer<uv_loop_t>
    private let wakeUp: UnsafeMutablePointer<uv_async_t>
    private let inbox = Lock(Inbox())
    /// `reeve_thread_identity` of the loop thread, 0 while there is none.
    private let thread = Atomic<UInt>(0)

    // Touched on the loop thread only.
    let readBuffer: UnsafeMutableRawBufferPointer
    private var depth = 0
    private var drained: [Work] = []
    private var unflushed: [PipeConnection] = []

    /// Bytes that one `read` can take in; all connections share the buffer.
    static let readBufferSize = 256 * 1024

    private init() {
        uv = .allocate(capacity: 1)
        wakeUp = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 64)
        // libuv writes without MSG_NOSIGNAL: a peer that left must be an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let status = uv_loop_init(uv)
        precondition(status == 0, "uv_loop_init: \(status)")
        wakeUp.pointee = uv_async_t()
        wakeUp.pointee.data = nil
        let asyncStatus = uv_async_init(uv, wakeUp) { @Sendable _ in EventLoop.shared.drain() }
        precondition(asyncStatus == 0, "uv_async_init: \(asyncStatus)")
    }

    /// Whether the caller is on the loop's thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == reeve_thread_identity() }

    /// Starts the loop on a thread of its own, unless it runs already.
    package func start() {
        let mustStart = inbox.withLock { inbox in
            defer { if inbox.state == .idle { inbox.state = .running } }
            return inbox.state == .idle
        }
        guard mustStart else { return }
        let thread = Thread { EventLoop.shared.runToEnd() }
        thread.name = "reeve-loop"
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Runs the loop on the calling thread until `stop()`. The loop must not be running.
    package func runOnCallingThread() {
        let isIdle = inbox.withLock { inbox in
            defer { if inbox.state == .idle { inbox.state = .running } }
            return inbox.state == .idle
        }
        precondition(isIdle, "the event loop runs already")
        runToEnd()
    }

    /// Ends `uv_run` after the callbacks at hand. What is posted later waits for the next start.
    package func stop() {
        inbox.withLock { if $0.state == .running { $0.state = .stopping } }
        uv_async_send(wakeUp)
    }

    /// Runs `body` on the loop soon: in order of posting, never on the spot. 0.1 µs; may be called from any thread.
    package func post(_ body: @escaping @Sendable @LoopActor () -> Void) {
        submit(.closure(body))
    }

    /// As `post`, for what has time until the loop does something anyway, or is called.
    package func leave(_ body: @escaping @Sendable @LoopActor () -> Void) {
        inbox.withLock { $0.work.append(.closure(body)) }
    }

    /// Runs `body` on the loop and waits for it; on the spot when called on the loop. Starts the loop if need be.
    package func run<Result: Sendable>(_ body: @escaping @Sendable @LoopActor () throws -> Result) throws -> Result {
        if isOnLoop { return try enter { try LoopActor.assumeIsolated(body) } }
        start()
        let done = DispatchSemaphore(value: 0)
        let outcome = Lock<Swift.Result<Result, any Error>?>(nil)
        post {
            let result = Swift.Result { try body() }
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = outcome.withLock({ $0 }) else { preconditionFailure("posted work did not run") }
        return try result.get()
    }

    func submit(_ work: Work) {
        let mustCall = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.isCalled = true }
            return !inbox.isCalled
        }
        if mustCall { uv_async_send(wakeUp) }
    }

    private func runToEnd() {
        thread.store(reeve_thread_identity(), ordering: .relaxed)
        enter {}
        uv_run(uv, UV_RUN_DEFAULT)
        thread.store(0, ordering: .relaxed)
        inbox.withLock { $0.state = .idle }
    }

    private func drain() {
        enter {
            let isStopping = inbox.withLock { inbox in
                inbox.isCalled = false
                return inbox.state == .stopping
            }
            runPosted()
            if isStopping { uv_stop(uv) }
        }
    }

    /// Runs what has been posted by now. On the loop; does nothing inside of posted work.
    func runPosted() {
        // One round: what is posted meanwhile wakes the loop again, so that busy posting doesn't starve the sockets.
        guard drained.isEmpty,
            inbox.withLock({ inbox in
                swap(&inbox.work, &drained)
                return !drained.isEmpty
            })
        else { return }
        enter {
            for work in drained {
                switch work {
                case .job(let job):
                    job.runSynchronously(
                        isolatedTo: LoopActor.executor.asUnownedSerialExecutor(),
                        taskExecutor: LoopActor.executor.asUnownedTaskExecutor())
                case .closure(let body):
                    LoopActor.assumeIsolated { body() }
                }
            }
            drained.removeAll(keepingCapacity: drained.capacity <= 4096)
        }
    }
}

// MARK: - Gathering writes
extension EventLoop {
    /// Every callback from libuv goes through here; the outermost one flushes what connections gathered meanwhile.
    func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
        depth += 1
        defer {
            if depth == 1 { flush() }
            depth -= 1
        }
        return try body()
    }

    /// Remembers that `connection` has gathered bytes.
    func needsFlush(_ connection: PipeConnection) {
        unflushed.append(connection)
    }

    private func flush() {
        // A flush may call a delegate, which may write again.
        while !unflushed.isEmpty {
            let connections = unflushed
            unflushed.removeAll(keepingCapacity: true)
            LoopActor.assumeIsolated {
                for connection in connections { connection.flush() }
            }
        }
    }
}
