import EventLoop
import Foundation

/// The server as a process.
package enum ServerProcess {
    /// Runs a server until it is told to end, on the calling thread, and returns the exit status.
    ///
    /// SIGTERM and SIGINT end it in order: 0. A second one, or work that takes longer than `drain`, ends it at once: 1;
    /// what was acknowledged is on disk in any case. Throws if it can't begin.
    package static func run(_ configuration: ServerConfiguration, log: ServerLog) throws -> Int32 {
        acceptSignals()
        umask(0o077)
        raiseDescriptorLimit()
        let outcome = Outcome()
        EventLoop.shared.post {
            do {
                outcome.run = try ServerRun(configuration, log) { status in
                    outcome.status = status
                    EventLoop.shared.stop()
                }
            } catch {
                outcome.failure = error
                EventLoop.shared.stop()
            }
        }
        EventLoop.shared.runOnCallingThread()
        if let failure = outcome.failure { throw failure }
        return outcome.status
    }

    /// What the loop leaves behind. Written on the loop, read on the same thread when it has ended.
    private final class Outcome: @unchecked Sendable {
        var status: Int32 = 0
        var failure: (any Error)?
        var run: ServerRun?
    }

    /// A starter's worker thread may have blocked signals, which its child inherits: SIGTERM would never come.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Connections and realm files need descriptors; the soft limit is often 1,024 for the sake of `select`.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

/// A server between its start and its end.
@LoopActor
private final class ServerRun {
    private let server: SyncServer
    private let log: ServerLog
    private let drain: Duration
    private let ended: @LoopActor (Int32) -> Void
    private var signals: [SignalWatcher] = []
    private var deadline: LoopTimer?
    private var isEnding = false

    init(
        _ configuration: ServerConfiguration, _ log: ServerLog, ended: @escaping @LoopActor (Int32) -> Void
    ) throws {
        self.log = log
        self.ended = ended
        drain = configuration.drain
        server = try SyncServer(configuration, network: SystemNetwork(), scheduler: LoopScheduler(), log: log)
        let endpoints = try server.start()
        signals = try [SIGTERM, SIGINT].map { try SignalWatcher($0) { [unowned self] _ in end() } }
        for endpoint in endpoints {
            log.info(
                "server.listening",
                [
                    "address": endpoint.description, "tls": configuration.certificate == nil ? "no" : "yes",
                    "data": configuration.dataDirectory,
                    "mode": configuration.isDevelopment ? "development" : "production",
                    "pid": "\(getpid())"
                ])
        }
    }

    private func end() {
        guard !isEnding else { return finish(1) }
        isEnding = true
        log.info("server.ending", ["connections": "\(server.sync.connectionCount)"])
        let deadline = LoopTimer { [unowned self] in finish(1) }
        self.deadline = deadline
        deadline.start(after: drain)
        server.shutDown { [unowned self] in finish(0) }
    }

    private func finish(_ status: Int32) {
        deadline?.close()
        deadline = nil
        for signal in signals { signal.close() }
        signals = []
        log.info("server.ended", ["status": "\(status)"])
        ended(status)
    }
}
