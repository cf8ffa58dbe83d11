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
    /// Named cursors that were read and not advanced yet.
    var pendingCursors: [PendingCursor: NamedCursor] = [:]
    /// Waits of the client for what becomes of commits.
    var fateWaits: [FateWait] = []
    /// Reads that wait for the one that runs, or for the client to take what it has been sent.
    var waitingReads: [ReadJob] = []
    var runningRead = false
    /// Subscriptions that wait to be looked at, in order, and how many are being looked at.
    var waitingEvaluations: [Subscription] = []
    var runningEvaluations = 0
    /// Bytes of `write.append` that the writer thread hasn't applied yet.
    var unappliedBytes = 0
    /// Replies that other threads have sent, as far as the loop has been told.
    private(set) var directAnswers = 0
    /// Queries inside transactions whose results are being made.
    var writeQueries = 0
    private(set) var isOpen = true
    private var hasEnded = false
    private var slowTimer: LoopTimer?

    private var decoder: FrameDecoder
    /// Bytes that came and aren't looked at yet, since one of the limits below was reached; from `unreadStart` on.
    private var unread: [UInt8] = []
    private var unreadStart = 0
    private var isHeldUp = false
    private var isTaking = false

    /// Bytes of requests that wait, unapplied ones included, beyond which nothing more is taken from the client, and
    /// below which that goes on.
    static let waitingLimit = (high: 64 << 20, low: 16 << 20)
    /// Queries inside transactions that may be under way: each may make a reply as large as a frame can be.
    static let writeQueryLimit = 2
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

    /// A request of so many bytes has its reply; a client that ended its direction is let go with the last one.
    func answered(_ bytes: Int) {
        rules.answered(bytes: bytes)
        if hasEnded, rules.inFlight == 0 { finish() }
        if isHeldUp { takeMore() }
    }

    /// Another thread has sent the reply.
    func answeredDirectly(_ bytes: Int) {
        directAnswers += 1
        answered(bytes)
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
        waitingEvaluations = []
        unread = []
        cursors = [:]
        for subscription in subscriptions.values { subscription.end() }
        subscriptions = [:]
        for wait in fateWaits { wait.abandon() }
        for handle in handles.values { handle.host.remove(handle) }
        handles = [:]
        server.ended(self)
    }
}

// MARK: - Taking requests
extension ClientSession {
    /// Whether the next request may be looked at. A client that holds a transaction open may always go on: what waits
    /// may wait for its end.
    private var mayTake: Bool {
        guard isOpen, !connection.isUnderPressure, writeQueries < Self.writeQueryLimit else { return false }
        let limit = isHeldUp ? Self.waitingLimit.low : Self.waitingLimit.high
        if unappliedBytes > limit { return false }
        return unappliedBytes + rules.heldBytes <= limit || holdsTransaction
    }

    /// Whether nothing is read from the client for a reason that isn't its own.
    var isUnheard: Bool { isHeldUp && !connection.isUnderPressure }

    private var holdsTransaction: Bool { handles.values.contains { $0.host.queue.holder?.client == $0.writer } }

    /// Takes the requests in `bytes`. Returns how many bytes it took before it had to stop.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        isTaking = true
        defer { isTaking = false }
        do {
            var decoder = decoder
            self.decoder = FrameDecoder(frameLimit: 0)
            defer { self.decoder = decoder }
            let rest = try decoder.consume(
                bytes, while: { !isOpen || mayTake }, frame: { if isOpen { try receive($0) } })
            return bytes.count - rest.count
        } catch {
            dismiss(WireError(reporting: error))
            return bytes.count
        }
    }

    /// Leaves what the client sends in the kernel until `takeMore` finds that there is room again.
    private func holdUp() {
        guard isOpen else { return }
        isHeldUp = true
        connection.pauseReading()
    }

    /// Goes on with the requests, unless one of the reasons not to still stands. To be called when one has gone.
    func takeMore() {
        guard isHeldUp, !isTaking, mayTake else { return }
        isHeldUp = false
        if unreadStart < unread.count {
            let bytes = unread
            unreadStart += bytes.withUnsafeBytes { take(UnsafeRawBufferPointer(rebasing: $0[unreadStart...])) }
        }
        guard isOpen else { return }
        if unreadStart < unread.count || !mayTake { return holdUp() }
        unread = []
        unreadStart = 0
        connection.resumeReading()
    }
}

extension ClientSession: PipeConnectionDelegate {
    func connection(_ connection: PipeConnection, didReceive bytes: UnsafeRawBufferPointer) {
        let taken = take(bytes)
        guard isOpen, taken < bytes.count || !mayTake else { return }
        unread = Array(bytes[taken...])
        unreadStart = 0
        holdUp()
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
            holdUp()
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
            takeMore()
            runReads()
            for handle in handles.values { handle.host.announce(to: handle) }
            runEvaluations()
        }
    }

    func connection(_ connection: PipeConnection, didFail error: LoopError) {
        guard isOpen else { return }
        rules.close()
        end()
    }
}
