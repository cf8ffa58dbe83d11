import EventLoop
import Foundation
import Sync

/// The connection of a user of an app to the server, which all realms of the user share that are synced alike, by
/// partition or by subscriptions (P-116): carries out what the session machine says, over a WebSocket.
@LoopActor
package final class SyncLink {
    private var machine: ClientConnection
    private let user: SyncUser
    private let scheduler: any Scheduler
    private let timers: ClientTimers
    private var files: [Int64: any SyncedFile] = [:]
    private var waiters: [Int64: @LoopActor (Bool) -> Void] = [:]
    private var lastSession: Int64 = 0
    private var lastWaiter: Int64 = 0
    private var socket: WebSocket?
    private var attempt: (any Cancellable)?
    /// Counts attempts to connect: what belongs to an earlier one is over.
    private var attemptNumber = 0
    private var timer: (any ScheduledTimer)?
    private var isPumping = false
    private var lastState = ClientConnection.State.idle
    /// When the connection was lost, or when one was wanted first: milliseconds since 1970. Nil while there is one.
    package private(set) var offlineSince: Int64? = Int64(Date().timeIntervalSince1970 * 1_000)
    /// Hears that the connection has come, goes, or is tried.
    package var didChangeState: @LoopActor () -> Void = {}
    /// Hears lines of the server, for the log.
    package var log: @LoopActor (String) -> Void = { _ in }

    package init(
        _ user: SyncUser, mode: SyncProtocol.Mode, scheduler: any Scheduler, timers: ClientTimers = ClientTimers(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.user = user
        self.scheduler = scheduler
        self.timers = timers
        machine = ClientConnection(mode, timers: timers, jitter: jitter)
        let timer = scheduler.timer { [unowned self] in perform(machine.tick(now: self.scheduler.now)) }
        self.timer = timer
    }

    /// Whether there is a connection at this moment.
    package var isConnected: Bool { machine.state == .connected }

    /// Whether it is being made.
    package var isConnecting: Bool {
        switch machine.state {
        case .connecting, .refreshing: true
        case .idle, .waiting, .connected: false
        }
    }

    package var sessionCount: Int { machine.sessionCount }

    // MARK: Sessions

    /// Begins to sync a file; `path` is the partition's text (P-42), or the JSON of `FlexibleBind`. Without `uploads` it
    /// only downloads (P-100); with `awaitsReset` the file is asked to perform its client reset first (P-98). Returns the
    /// session's number.
    package func add(
        _ file: any SyncedFile, state: ClientFile, path: String, queries: SessionQueries = SessionQueries(),
        uploads: Bool = true, awaitsReset: Bool = false
    ) -> Int64 {
        lastSession += 1
        files[lastSession] = file
        var options = ClientSessionOptions(session: lastSession, path: path)
        options.queries = queries
        options.uploads = uploads
        options.awaitsReset = awaitsReset
        perform(machine.add(options, file: state, now: scheduler.now))
        return lastSession
    }

    /// The file of a session that awaited its client reset is the server's now.
    package func resetPerformed(_ session: Int64, file: ClientFile, queries: SessionQueries = SessionQueries()) {
        perform(machine.resetPerformed(session: session, file: file, queries: queries, now: scheduler.now))
    }

    /// The file has a new set of subscriptions.
    package func subscribed(_ session: Int64, _ query: PendingQuery) {
        perform(machine.subscribed(session: session, query, now: scheduler.now))
    }

    /// Ends a session. Its file hears nothing more; with `telling` only that the session has left.
    package func remove(_ session: Int64, telling: Bool = false) {
        if !telling { files[session] = nil }
        perform(machine.remove(session: session, now: scheduler.now))
    }

    package func suspend(_ session: Int64) { perform(machine.suspend(session: session, now: scheduler.now)) }

    package func resume(_ session: Int64) { perform(machine.resume(session: session, now: scheduler.now)) }

    /// The file has a new version.
    package func committed(_ session: Int64, version: Int64) {
        perform(machine.committed(session: session, newestVersion: version, now: scheduler.now))
    }

    /// The network came back, or somebody wants to connect at once (P-121).
    package func reconnectNow() {
        user.app.repeatCalls()
        perform(machine.reconnectNow(now: scheduler.now))
    }

    /// Calls back once all that is on the server now is in the file; with false if that can't be.
    package func awaitDownload(_ session: Int64, completion: @escaping @LoopActor (Bool) -> Void) {
        let waiter = wait(completion)
        perform(machine.awaitDownload(session: session, waiter: waiter, now: scheduler.now))
    }

    /// Calls back once all that is in the file now is on the server; with false if that can't be.
    package func awaitUpload(_ session: Int64, completion: @escaping @LoopActor (Bool) -> Void) {
        let waiter = wait(completion)
        perform(machine.awaitUpload(session: session, waiter: waiter, now: scheduler.now))
    }

    private func wait(_ completion: @escaping @LoopActor (Bool) -> Void) -> Int64 {
        lastWaiter += 1
        waiters[lastWaiter] = completion
        return lastWaiter
    }

    /// Ends everything without a word to the server.
    package func close() {
        disconnect()
        timer?.close()
        timer = nil
        files = [:]
        let left = waiters.values
        waiters = [:]
        for waiter in left { waiter(false) }
    }

    // MARK: Carrying out

    private func perform(_ effects: [ClientEffect]) {
        var effects = effects[...]
        while let effect = effects.popFirst() { effects += carryOut(effect) }
        pump()
        arm()
        guard machine.state != lastState else { return }
        if lastState == .connected { for file in files.values { file.didDisconnect() } }
        lastState = machine.state
        if lastState == .connected {
            offlineSince = nil
        } else if offlineSince == nil {
            offlineSince = Int64(Date().timeIntervalSince1970 * 1_000)
        }
        didChangeState()
    }

    /// - Returns: what follows at once.
    private func carryOut(_ effect: ClientEffect) -> [ClientEffect] {
        switch effect {
        case .connect: connect()
        case .disconnect: disconnect()
        case .refreshToken:
            user.refresh { [self] error in
                perform(
                    error.map(failedRefresh) ?? machine.tokenRefreshed(now: scheduler.now))
            }
        case .refreshLocation:
            user.app.locate { [self] error in
                perform(
                    error == nil
                        ? machine.locationRefreshed(now: scheduler.now) : machine.refreshFailed(now: scheduler.now))
            }
        case .logOut: user.logOut { _ in }
        case .ask(let request):
            files[request.session]?.answer(request.work) { [self] answer in
                perform(machine.answered(request, answer, now: scheduler.now))
            }
        case .report(let session, let report): files[session]?.didReport(report)
        case .rejected(let session, let version, let updates, let message):
            files[session]?.didReject(version, updates, message)
        case .reset(let session, let report, let query): files[session]?.needsReset(report, partitionQuery: query)
        case .progressed(let session, let download): files[session]?.didProgress(download)
        case .completed(_, let waiter): waiters.removeValue(forKey: waiter)?(true)
        case .abandoned(_, let waiter): waiters.removeValue(forKey: waiter)?(false)
        case .log(_, let line): line.message.map(log)
        case .performReset(let session): files[session]?.performReset()
        case .ended(let session): files.removeValue(forKey: session)?.didEnd()
        case .bound(let session): files[session]?.didBind()
        case .caughtUp(let session): files[session]?.didCatchUp()
        case .queryFailed(let session, let version, let message):
            files[session]?.didFailQuery(version, message)
        // Apps of ours have no schema versions.
        case .migrateSchema: break
        }
        return []
    }

    /// Nothing is tried again for a user whose session is over (P-125).
    private func failedRefresh(_ error: AppServerError) -> [ClientEffect] {
        error.endsSession
            ? machine.failed(.loggedOut(error.description), now: scheduler.now)
            : machine.refreshFailed(now: scheduler.now)
    }

    // MARK: Connecting

    private func connect() {
        attemptNumber += 1
        let number = attemptNumber
        user.withToken { [self] result in
            guard number == attemptNumber else { return }
            switch result {
            case .failure(let error):
                perform(
                    machine.failed(
                        error.endsSession ? .loggedOut(error.description) : .connect, now: scheduler.now))
            case .success(let token): open(token, number)
            }
        }
    }

    private func open(_ token: AccessToken, _ number: Int) {
        do throws(NetworkError) {
            attempt = try user.app.connect(
                token: token, subprotocols: SyncProtocol.offer(machine.mode), within: timers.connect
            ) { [self] outcome in
                guard number == attemptNumber else { return }
                attempt = nil
                didConnect(outcome)
            }
        } catch {
            perform(machine.failed(.connect, now: scheduler.now))
        }
    }

    private func didConnect(_ outcome: WebSocketOutcome) {
        switch outcome {
        case .refused(let response): perform(machine.failed(.http(response.status), now: scheduler.now))
        case .failed(let error): perform(machine.failed(ConnectionFailure(error), now: scheduler.now))
        case .open(let socket, let response):
            do throws(SyncProtocol.NegotiationError) {
                let agreed = try SyncProtocol.accept(
                    answered: response.headers["Sec-WebSocket-Protocol"], mode: machine.mode)
                self.socket = socket
                socket.start(SocketSide(self))
                perform(machine.connected(agreed, now: scheduler.now))
            } catch {
                socket.abort()
                perform(machine.failed(.negotiation(error.description), now: scheduler.now))
            }
        }
    }

    private func disconnect() {
        attemptNumber += 1
        attempt?.cancel()
        attempt = nil
        socket?.abort()
        socket = nil
    }

    // MARK: Messages

    fileprivate func didReceive(_ message: [UInt8], _ socket: WebSocket) {
        guard socket === self.socket else { return }
        perform(machine.received(message, now: scheduler.now))
    }

    fileprivate func didEnd(_ end: WebSocketEnd, _ socket: WebSocket) {
        guard socket === self.socket else { return }
        self.socket = nil
        attemptNumber += 1
        perform(machine.failed(ConnectionFailure(end), now: scheduler.now))
    }

    /// Writes what there is to write, as long as the server takes it.
    fileprivate func pump() {
        guard !isPumping else { return }
        isPumping = true
        while let socket, !socket.isUnderPressure, machine.hasOutput {
            let (message, effects) = machine.nextMessage(now: scheduler.now)
            if let message { socket.send(message) }
            var rest = effects[...]
            while let effect = rest.popFirst() { rest += carryOut(effect) }
        }
        isPumping = false
        if machine.wantsInput { socket?.resumeReading() } else { socket?.pauseReading() }
    }

    private func arm() {
        guard let deadline = machine.deadline else { return timer?.cancel() ?? () }
        timer?.start(after: max(.zero, deadline - scheduler.now), repeating: nil)
    }
}

/// Hears the WebSocket for a link.
private final class SocketSide: WebSocketDelegate {
    private weak var link: SyncLink?

    init(_ link: SyncLink) { self.link = link }

    func webSocket(_ socket: WebSocket, didReceive message: [UInt8]) { link?.didReceive(message, socket) }
    // Text is no part of the protocol (P-20).
    func webSocket(_ socket: WebSocket, didReceive text: String) {}
    func webSocket(_ socket: WebSocket, pressureDidChange isHigh: Bool) { if !isHigh { link?.pump() } }
    func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd) { link?.didEnd(end, socket) }
}

extension ConnectionFailure {
    /// What the session machine calls an error on the way to the server.
    init(_ error: NetworkError) {
        self =
            switch error.code {
            case .resolve: .resolve
            case .tls, .certificate: .tls(error.message)
            case .timeout: .connectTimeout
            case .read, .write, .closed: .ended
            case .http, .webSocket: .negotiation(error.message)
            default: .connect
            }
    }

    init(_ end: WebSocketEnd) {
        self =
            switch end {
            case .closed(let code, _): .closed(code ?? 1005)
            case .ended: .ended
            case .failed(let error) where error.code == .webSocket: .violation(error.message)
            case .failed: .ended
            }
    }
}
