import EventLoop
import Foundation
import Wire

/// One client: its connection, and everything the agent keeps for it, all of which ends with the connection.
@LoopActor
final class ClientSession {
    let number: UInt64
    unowned let server: AgentServer
    let connection: PipeConnection
    let connectedAt = ContinuousClock.now
    var rules: Session
    var handles: [Int32: RealmHandle] = [:]
    var cursors: [Int64: Cursor] = [:]
    var subscriptions: [Int64: Subscription] = [:]
    /// Reads that wait for the one that runs, or for the client to take what it has been sent.
    var waitingReads: [ReadJob] = []
    var runningRead = false
    /// Bytes of `write.append` that the writer thread hasn't applied yet.
    var unappliedBytes = 0
    /// Replies that other threads have sent, as far as the loop has been told.
    private(set) var directAnswers = 0
    private(set) var isOpen = true
    private var decoder: FrameDecoder
    private var hasEnded = false
    private var slowTimer: LoopTimer?

    /// Unapplied bytes beyond which nothing more is read from the client, and below which reading goes on.
    static let unappliedLimit = (high: 64 << 20, low: 16 << 20)
    /// How long the last words to a client may take.
    static let farewell = Duration.seconds(5)

    init(number: UInt64, server: AgentServer, connection: PipeConnection) {
        self.number = number
        self.server = server
        self.connection = connection
        rules = Session(limits: server.options.limits)
        decoder = FrameDecoder(frameLimit: Int(server.options.limits.frame))
    }

    func start() { connection.start(delegate: self) }

    var pid: Int32 { connection.peer?.pid ?? rules.hello?.pid ?? 0 }
    var name: String { rules.hello?.client ?? "" }
    var title: String { "\(name.isEmpty ? "client" : name) (pid \(pid))" }

    /// Sends an answer that `build` makes; a failure to make it becomes the answer.
    func send(id: Int64, _ build: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) {
        answered(id)
        do {
            try build { connection.write($0) }
        } catch {
            fail(id, WireError(reporting: error))
        }
    }

    func fail(_ id: Int64?, _ error: WireError) {
        try? server.encoder.failure(error, id: id) { connection.write($0) }
    }

    func send(event: some WireEvent) {
        guard isOpen else { return }
        do {
            try server.encoder.event(event) { connection.write($0) }
        } catch {
            AgentLog.write("\(title): an event could not be sent: \(error)")
        }
    }

    /// The request `id` has its reply; a client that ended its direction is let go with the last one.
    func answered(_ id: Int64) {
        rules.answered()
        if hasEnded, rules.inFlight == 0 { finish() }
    }

    /// Another thread has sent the reply.
    func answeredDirectly(_ id: Int64) {
        directAnswers += 1
        answered(id)
    }

    func logDropped(_ error: any Error) {
        AgentLog.write("\(title): a request without id failed: \(error)")
    }

    /// Says why, then closes.
    func dismiss(_ error: WireError) {
        guard isOpen else { return }
        fail(nil, error)
        AgentLog.write("\(title) dismissed: \(error)")
        finish()
    }

    /// Closes once everything written has been taken, or after a moment.
    private func finish() {
        guard isOpen else { return }
        rules.close()
        connection.close(drainingFor: Self.farewell)
        end()
    }

    /// Closes at once.
    func drop() {
        guard isOpen else { return }
        rules.close()
        connection.close()
        end()
    }

    private func end() {
        isOpen = false
        slowTimer?.close()
        slowTimer = nil
        waitingReads = []
        cursors = [:]
        for subscription in subscriptions.values { subscription.end() }
        subscriptions = [:]
        for handle in handles.values { handle.host.remove(handle) }
        handles = [:]
        server.ended(self)
    }
}

extension ClientSession: PipeConnectionDelegate {
    func connection(_ connection: PipeConnection, didReceive bytes: UnsafeRawBufferPointer) {
        do {
            var decoder = decoder
            self.decoder = FrameDecoder(frameLimit: 0)
            defer { self.decoder = decoder }
            try decoder.consume(bytes) { frame in
                if isOpen { try receive(frame) }
            }
        } catch {
            dismiss(WireError(reporting: error))
        }
    }

    func connectionDidReachEnd(_ connection: PipeConnection) {
        hasEnded = true
        // It can't finish what it holds open; what is under way is answered.
        for handle in handles.values { handle.host.abandonOpenTransaction(of: handle) }
        if rules.inFlight == 0 { finish() }
    }

    func connection(_ connection: PipeConnection, pressureDidChange isHigh: Bool) {
        guard isOpen else { return }
        if isHigh {
            // A client that doesn't take replies may not ask for more.
            connection.pauseReading()
            let timer =
                slowTimer
                ?? LoopTimer { [unowned self] in
                    dismiss(
                        WireError(
                            .slowReader,
                            "the client has taken nothing for \(server.options.slowReaderSeconds) s",
                            facts: ["queued": .int64(Int64(self.connection.queuedBytes))]))
                }
            slowTimer = timer
            timer.start(after: .seconds(server.options.slowReaderSeconds))
        } else {
            slowTimer?.cancel()
            resumeReading()
            runReads()
            for handle in handles.values { handle.host.announce(to: handle) }
            for subscription in subscriptions.values { subscription.evaluate() }
        }
    }

    func connection(_ connection: PipeConnection, didFail error: LoopError) {
        guard isOpen else { return }
        rules.close()
        end()
    }

    /// Reads on unless one of the reasons not to still stands.
    func resumeReading() {
        guard isOpen, !connection.isUnderPressure, unappliedBytes <= Self.unappliedLimit.low else { return }
        connection.resumeReading()
    }
}
