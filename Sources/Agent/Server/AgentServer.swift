import EventLoop
import Foundation
import Wire

/// The agent: who is connected and which realms are open. Everything of it lives on the loop.
@LoopActor
final class AgentServer {
    let options: AgentOptions
    let location: SocketLocation
    let pid = getpid()
    let startedAt = ContinuousClock.now
    /// Frames are built here, one after another.
    let encoder: FrameEncoder
    private(set) lazy var realms = RealmRegistry(server: self)
    /// The users of apps, and the way to their servers.
    private(set) lazy var apps = makeApps()
    let pool = QueryPool()
    private(set) lazy var cursorFiles = CursorFiles(
        directory: (options.data ?? DataDirectory.path(environment: ProcessInfo.processInfo.environment)) + "/cursors")
    private(set) var sessions: [UInt64: ClientSession] = [:]
    private(set) var isDraining = false
    private let lock: LaunchLock
    private var socket: AgentSocket?
    private var watcher: DirectoryWatcher?
    /// Of the network, and of the machine's sleep.
    private var watchers: [NetworkWatcher] = []
    /// Kept to the end of the process: a second signal must not cut the end short.
    private var signals: [SignalWatcher] = []
    private var idleTimer: LoopTimer?
    private var drainTimer: LoopTimer?
    private var whenDone: (@LoopActor (Int32) -> Void)?
    private var lastSession: UInt64 = 0
    private var lastNumber: Int64 = 0

    init(options: AgentOptions, location: SocketLocation, lock: LaunchLock) {
        self.options = options
        self.location = location
        self.lock = lock
        encoder = FrameEncoder(frameLimit: Int(options.limits.frame))
    }

    /// Begins to serve. `whenDone` gets the exit status, once.
    func start(inherited: InheritedSocket?, whenDone: @escaping @LoopActor (Int32) -> Void) throws {
        self.whenDone = whenDone
        // Before the socket: who sees it may also send a signal.
        for signal in [SIGTERM, SIGINT] {
            signals.append(try SignalWatcher(signal) { [unowned self] in shutDown(reason: "signal \($0)") })
        }
        // The session that started us may end; that is no reason to.
        signals.append(try SignalWatcher(SIGHUP) { _ in AgentLog.write("SIGHUP: going on") })
        // Whoever was stopped has lost connections, as one who slept.
        signals.append(try SignalWatcher(SIGCONT) { [unowned self] _ in apps.reconnectNow() })
        realms.removeLeftovers()
        if let inherited {
            socket = try AgentSocket(inheriting: inherited.descriptor, location: location) { [unowned self] in
                accept($0)
            }
        } else {
            socket = try AgentSocket(location: location) { [unowned self] in accept($0) }
        }
        prepareListener()
        watchSocket()
        armIdleExit()
        realms.resumeSync()
    }

    private func makeApps() -> AppRegistry {
        let scheduler = LoopScheduler()
        let trust: TLSTrust = options.certificateAuthorities.map { .file($0) } ?? .system
        let http = HTTPClient(SystemNetwork(), scheduler: scheduler) { try TLSContext.client(trusting: trust) }
        let directory = options.data ?? DataDirectory.path(environment: ProcessInfo.processInfo.environment)
        let reconnect: @LoopActor () -> Void = { [unowned self] in apps.reconnectNow() }
        watchers = [NetworkWatcher(reconnect), NetworkWatcher.awaking(reconnect)].compactMap { $0 }
        return AppRegistry(directory: directory, http: http, scheduler: scheduler)
    }

    private func prepareListener() {
        guard let listener = socket?.listener else { return }
        let refusal = WireError(
            .outOfResources,
            "the agent has no room for another connection; close some, or raise its limit of descriptors")
        listener.refusal = (try? encoder.failure(refusal, id: nil) { Array($0) }) ?? []
        listener.mayAccept = { [unowned self] in sessions.count < options.connectionLimit }
    }

    /// A number for a pin, transaction, cursor or subscription; never used twice.
    func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }
}

// MARK: - Connections
extension AgentServer {
    private func accept(_ connection: PipeConnection) {
        // The kernel checks the socket's permission bits; this holds even if somebody widened them.
        guard let peer = connection.peer, peer.uid == getuid() || peer.uid == 0 else {
            AgentLog.write("refused a connection of uid \(connection.peer.map { "\($0.uid)" } ?? "unknown")")
            let refusal = WireError(
                .wrongUser, "this agent serves uid \(getuid()) only", facts: ["uid": .int64(Int64(getuid()))])
            try? encoder.failure(refusal, id: nil) { connection.write($0) }
            return connection.close(drainingFor: ClientSession.farewell)
        }
        lastSession += 1
        let session = ClientSession(number: lastSession, server: self, connection: connection)
        sessions[session.number] = session
        idleTimer?.cancel()
        session.start()
    }

    func ended(_ session: ClientSession) {
        sessions[session.number] = nil
        armIdleExit()
        checkDrained()
    }

    /// A client that reconnects takes the place of its former self: nothing that the old connection may still hold
    /// unread must happen after the client has asked what became of it.
    func replaceSession(_ id: UniqueId, by newcomer: ClientSession) {
        for session in sessions.values where session !== newcomer && session.rules.hello?.session == id {
            AgentLog.write("\(session.title) has reconnected")
            session.drop()
        }
    }

    private func armIdleExit() {
        guard let seconds = options.idleExitSeconds, sessions.isEmpty, !isDraining else { return }
        let timer =
            idleTimer
            ?? LoopTimer { [unowned self] in
                if sessions.isEmpty { shutDown(reason: "nobody connected for \(seconds) s") }
            }
        idleTimer = timer
        timer.start(after: .seconds(seconds))
    }
}

// MARK: - The socket's path
extension AgentServer {
    /// Notices when somebody takes the socket's file away: clients would start another agent beside this one.
    private func watchSocket() {
        watcher = DirectoryWatcher(location.directory) { [unowned self] in checkSocket() }
        if watcher == nil { AgentLog.write("can't watch \(location.directory): a removed socket goes unnoticed") }
        // It may have been removed between being made and being watched.
        checkSocket()
    }

    private func checkSocket() {
        guard let socket, !isDraining, !socket.isInPlace else { return }
        guard lock.isInPlace, socket.isGone, !socket.isInherited else {
            AgentLog.write("\(location.path) is not this agent's socket any more")
            return shutDown(reason: "the socket's path was taken")
        }
        do {
            socket.listener.close()
            self.socket = nil
            self.socket = try AgentSocket(location: location) { [unowned self] in accept($0) }
            prepareListener()
            AgentLog.write("\(location.path) was removed; made anew")
        } catch {
            shutDown(reason: "the socket was removed and can't be made anew: \(error)")
        }
    }
}

// MARK: - The end
extension AgentServer {
    /// Ends in order: takes no more connections and transactions, lets the open ones commit within the limit, brings
    /// everything to disk, closes. A second call doesn't wait for anybody.
    func shutDown(reason: String) {
        guard !isDraining else { return realms.drain(abandoning: true) }
        isDraining = true
        AgentLog.write("shutting down: \(reason)")
        socket?.close()
        socket = nil
        watcher?.close()
        watcher = nil
        for watcher in watchers { watcher.close() }
        watchers = []
        idleTimer?.close()
        idleTimer = nil
        let timer = LoopTimer { [unowned self] in realms.drain(abandoning: true) }
        drainTimer = timer
        timer.start(after: .seconds(options.drainSeconds))
        realms.drain(abandoning: false)
        checkDrained()
    }

    /// Goes on with the end when no transaction is under way, and finishes it when every realm is closed.
    func checkDrained() {
        guard isDraining, realms.isQuiet, let done = whenDone else { return }
        let goodbye = WireError(.shuttingDown, "the agent is shutting down")
        for session in sessions.values { session.dismiss(goodbye) }
        // A session that goes calls this, too: whoever came first has finished.
        guard realms.isEmpty, whenDone != nil else { return }
        whenDone = nil
        drainTimer?.close()
        apps.close {
            // One turn of the loop for the last words.
            let timer = LoopTimer {
                AgentLog.write("ended")
                done(0)
            }
            timer.start(after: .milliseconds(20))
        }
    }
}
