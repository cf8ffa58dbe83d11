import EventLoop
import Foundation
import Wire

/// The agent as a process.
package enum AgentProcess {
    /// Runs an agent until it is told to end, on the calling thread, and returns the exit status. With
    /// `options.daemon` the agent runs in the background and this returns as soon as it serves.
    ///
    /// Needs nothing of its environment: no terminal, no session, no open standard descriptors. SIGTERM and SIGINT end
    /// it in order, SIGHUP and SIGPIPE don't touch it.
    ///
    /// Throws `locked` (with the fact `pid`) when this user's agent runs already; with `options.daemon` that is a
    /// success, since there is an agent to connect to.
    package static func run(_ options: AgentOptions) throws -> Int32 {
        StandardDescriptors.occupy()
        acceptSignals()
        umask(0o077)
        let environment = ProcessInfo.processInfo.environment
        if options.daemon { return try Daemon.start(options, environment: environment) }
        var options = options
        options.apply(environment: environment)
        do {
            return try serve(options, environment: environment)
        } catch {
            Daemon.report("\(error)", environment: environment)
            throw error
        }
    }

    private static func serve(_ options: AgentOptions, environment: [String: String]) throws -> Int32 {
        let inherited = InheritedSocket(environment: environment, pid: getpid())
        let location = try self.location(options, inherited: inherited, environment: environment)
        // The runtime directory of a user without login session doesn't exist: nobody else makes it.
        try makeParent(of: location)
        try location.prepareDirectory()
        let isAwaited = environment[Daemon.readinessVariable] != nil
        let patience: Duration? = isAwaited ? .seconds(10 + options.drainSeconds) : nil
        guard let lock = try self.lock(at: location, patience: patience) else {
            Daemon.report("ready", environment: environment)
            return 0
        }
        raiseDescriptorLimit()
        let outcome = ProcessOutcome()
        EventLoop.shared.post {
            do {
                let server = AgentServer(options: options, location: location, lock: lock)
                try server.start(inherited: inherited) { status in
                    outcome.status = status
                    EventLoop.shared.stop()
                }
                outcome.server = server
                AgentLog.write("agent \(options.version) serves \(location.path)")
                Daemon.report("ready", environment: environment)
            } catch {
                outcome.failure = error
                EventLoop.shared.stop()
            }
        }
        EventLoop.shared.runOnCallingThread()
        if let failure = outcome.failure { throw failure }
        return outcome.status
    }

    /// What the loop leaves behind. Written on the loop, read when it has ended on the same thread.
    private final class ProcessOutcome: @unchecked Sendable {
        var status: Int32 = 0
        var failure: (any Error)?
        var server: AgentServer?
    }

    private static func location(
        _ options: AgentOptions, inherited: InheritedSocket?, environment: [String: String]
    ) throws -> SocketLocation {
        if let inherited {
            guard let path = inherited.boundPath, !path.isEmpty else {
                throw WireError(.badSocketPath, "descriptor 3, passed by the service manager, is not a Unix socket")
            }
            return try SocketLocation(path: path)
        }
        if let path = options.socket {
            return try SocketLocation(path: absolute(path))
        }
        return try SocketLocation.resolve(environment: environment)
    }

    /// The daemon works in `/`.
    static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    private static func makeParent(of location: SocketLocation) throws {
        let parent = URL(fileURLWithPath: location.directory).deletingLastPathComponent().path
        if access(parent, F_OK) != 0 { try StateDirectory.make(parent) }
    }

    /// A starter's worker thread may have blocked signals, which its child inherits: SIGTERM would never come.
    private static func acceptSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
        // A file that may not grow any more is an error for who writes it, not the end of everybody's agent.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Connections and realm files need descriptors; the soft limit is often 1,024 for the sake of `select`.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        guard limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The lock that makes this the agent at `location`. Throws `locked` when another one has it.
    ///
    /// With `patience` somebody waits for an agent, whichever: nil when the other one serves. If it doesn't, it is
    /// about to begin, or to end: this looks again for so long.
    private static func lock(at location: SocketLocation, patience: Duration?) throws -> LaunchLock? {
        let path = location.path + ".lock"
        let deadline = patience.map { ContinuousClock.now + $0 }
        while true {
            if let lock = try LaunchLock(path: path) { return lock }
            if patience != nil, isServed(location) { return nil }
            guard let deadline, ContinuousClock.now < deadline else {
                let pid = LaunchLock.holder(at: path) ?? 0
                throw WireError(
                    .locked,
                    "the agent runs already (pid \(pid)), at \(location.path)"
                        + (patience == nil ? "" : ", but serves nobody; end it"),
                    facts: ["pid": .int32(pid), "path": .string(location.path)])
            }
            usleep(50_000)
        }
    }

    private static func isServed(_ location: SocketLocation) -> Bool {
        (try? BlockingClient(to: location, client: "reeve agent", features: [], timeout: .seconds(1))) != nil
    }
}
