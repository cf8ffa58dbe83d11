import Foundation
import Model
import Wire

/// One socket to the agent, for as long as it lives.
///
/// Whoever waits for a reply reads the socket itself, so that a reply wakes exactly the thread that wants it: the
/// first waiter reads and hands others their frames; when it has its own, another waiter goes on. A background
/// thread takes over when nobody waits, for events. It sleeps in `poll` while the process is idle.
final class AgentLink: @unchecked Sendable {
    let agent: HelloReply
    private let connection: BlockingConnection
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let quiet = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Int64: PendingReply] = [:]
    /// Replies that no thread waits for.
    private var answers: [Int64: @Sendable (Result<[UInt8], WireError>) -> Void] = [:]
    private var isBeingRead = false
    /// Counts calls; the background reader stays away while it moves.
    private var calls: UInt64 = 0
    private var lastId: Int64 = 0
    private var failure: WireError?
    private let outgoing: Lock<Outgoing>
    private let onEvent: @Sendable (Event, UnsafeBSONView, AgentLink) -> Void
    private let onLoss: @Sendable (AgentLink) -> Void
    private let wantsEvents: @Sendable () -> Bool

    private struct Outgoing {
        let encoder: FrameEncoder
        /// Frames that want no reply and go along with the next request.
        var deferred: [UInt8] = []
        /// Pins to be released, or said to be kept, with them, by realm: one frame for all of a realm.
        var releases: [Int32: SnapshotRelease] = [:]
        var isFlushScheduled = false
        /// Whether the background reader sleeps: else it sends what is deferred before it does.
        var isReaderAsleep = true
    }

    /// The background reader leaves the socket to the calling threads until they have been quiet for so many
    /// nanoseconds: short where somebody waits for events, since those that come meanwhile stay unread.
    private static let quietPeriod = (withObservers: 5_000_000, without: 100_000_000)

    init(
        _ connection: BlockingConnection, agent: HelloReply,
        onEvent: @escaping @Sendable (Event, UnsafeBSONView, AgentLink) -> Void,
        onLoss: @escaping @Sendable (AgentLink) -> Void, wantsEvents: @escaping @Sendable () -> Bool
    ) {
        self.connection = connection
        self.agent = agent
        self.onEvent = onEvent
        self.onLoss = onLoss
        self.wantsEvents = wantsEvents
        outgoing = Lock(Outgoing(encoder: FrameEncoder(frameLimit: Int(agent.limits.frame))))
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(quiet, nil)
    }

    deinit {
        pthread_cond_destroy(quiet)
        quiet.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    var isLost: Bool { locked { failure != nil } }

    private func locked<R>(_ body: () throws -> R) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }
}

// MARK: - Calling
extension AgentLink {
    /// Sends a request and waits for its reply. Not from event handlers. `whenSent` runs before the waiting.
    func call<Request: WireRequest>(_ request: Request, whenSent: (() -> Void)? = nil) throws -> Request.Reply {
        let (reply, descriptor) = try callForDescriptor(request, whenSent: whenSent)
        if let descriptor { Foundation.close(descriptor) }
        return reply
    }

    /// As `call`, with the descriptor that came along, which is the caller's to close.
    func callForDescriptor<Request: WireRequest>(
        _ request: Request, whenSent: (() -> Void)? = nil
    ) throws -> (Request.Reply, Int32?) {
        let pending = PendingReply()
        let id = try locked {
            if let failure { throw failure }
            lastId += 1
            calls &+= 1
            waiting[lastId] = pending
            return lastId
        }
        do {
            try send(request, id: id)
        } catch let error as WireError where error.code == .connectionLost {
            // The reply may have come before the end did.
        } catch {
            locked {
                waiting.removeValue(forKey: id)
                // The reader may have handed over to this thread.
                if !isBeingRead { waiting.first?.value.signal() }
            }
            throw error
        }
        whenSent?()
        switch wait(for: pending) {
        case .failure(let error): throw error
        case .frame(let bytes, let descriptor):
            do {
                return (try bytes.withUnsafeBytes { try Self.reply(in: $0) }, descriptor)
            } catch {
                if let descriptor { Foundation.close(descriptor) }
                throw (error as? WireError).map { agent.explain($0, method: Request.method) } ?? error
            }
        }
    }

    /// Sends a request whose reply may take its time: nobody waits. `completion` runs on the thread that reads the socket,
    /// so it must not call, nor wait.
    func call<Request: WireRequest>(
        _ request: Request, completion: @escaping @Sendable (Result<Request.Reply, any Error>) -> Void
    ) {
        let agent = self.agent
        let answer: @Sendable (Result<[UInt8], WireError>) -> Void = { result in
            completion(
                Result {
                    do {
                        return try result.get().withUnsafeBytes { try Self.reply(in: $0) }
                    } catch {
                        throw (error as? WireError).map { agent.explain($0, method: Request.method) } ?? error
                    }
                })
        }
        let (id, loss) = locked { () -> (Int64, WireError?) in
            if let failure { return (0, failure) }
            lastId += 1
            calls &+= 1
            answers[lastId] = answer
            return (lastId, nil)
        }
        if let loss { return answer(.failure(loss)) }
        do {
            try send(request, id: id)
        } catch let error as WireError where error.code == .connectionLost {
            // Whoever reads finds that out, and tells.
        } catch {
            let isMine = locked { answers.removeValue(forKey: id) != nil }
            if isMine { answer(.failure(error as? WireError ?? WireError(.badReply, "\(error)"))) }
        }
    }

    private static func reply<Reply: WirePayload>(in bytes: UnsafeRawBufferPointer) throws -> Reply {
        switch try UnsafeEnvelope(frame: bytes) {
        case .result(_, let view): return try Reply(reply: view)
        case .failure(_, let error): throw error
        case .request: throw WireError(.badReply, "the agent answered with a request")
        }
    }

    /// Sends a request that wants no reply, at once.
    func notify(_ request: some WireRequest) throws {
        try send(request, id: nil)
    }

    private func send(_ request: some WireRequest, id: Int64?) throws {
        try outgoing.withLock { outgoing in
            encodeReleases(&outgoing)
            try outgoing.encoder.request(request, id: id) { frame in
                guard !outgoing.deferred.isEmpty else { return try connection.send(frame) }
                outgoing.deferred.append(contentsOf: frame)
                defer { outgoing.deferred.removeAll(keepingCapacity: outgoing.deferred.capacity < 1 << 16) }
                try connection.send(outgoing.deferred)
            }
        }
    }

    /// A request that wants no reply and has a little time: it goes along with the next one, or soon by itself.
    func sendSoon(_ request: some WireRequest) {
        laterSend { outgoing in
            try? outgoing.encoder.request(request, id: nil, send: { outgoing.deferred += $0 })
        }
    }

    /// Releases a pin, as soon as `sendSoon` sends.
    func release(_ pin: Int64, realm: Int32) {
        laterSend { $0.releases[realm, default: SnapshotRelease(realm: realm, pins: [])].pins.append(pin) }
    }

    /// Says, as soon as `sendSoon` sends, that an announced pin is in use.
    func keep(_ pin: Int64, realm: Int32) {
        laterSend { $0.releases[realm, default: SnapshotRelease(realm: realm, pins: [])].kept.append(pin) }
    }

    private func laterSend(_ add: (inout Outgoing) -> Void) {
        let mustSchedule = outgoing.withLock { outgoing in
            add(&outgoing)
            guard outgoing.isReaderAsleep, !outgoing.isFlushScheduled else { return false }
            outgoing.isFlushScheduled = true
            return true
        }
        guard mustSchedule else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(20)) { [self] in
            outgoing.withLock { outgoing in
                outgoing.isFlushScheduled = false
                sendDeferred(&outgoing)
            }
        }
    }

    private func encodeReleases(_ outgoing: inout Outgoing) {
        guard !outgoing.releases.isEmpty else { return }
        for request in outgoing.releases.values {
            try? outgoing.encoder.request(request, id: nil, send: { outgoing.deferred += $0 })
        }
        outgoing.releases.removeAll(keepingCapacity: true)
    }

    private func sendDeferred(_ outgoing: inout Outgoing) {
        encodeReleases(&outgoing)
        // A lost link has no pins to release any more.
        if !outgoing.deferred.isEmpty { try? connection.send(outgoing.deferred) }
        outgoing.deferred.removeAll()
    }
}

// MARK: - Reading
extension AgentLink {
    private func wait(for pending: PendingReply) -> PendingReply.Outcome {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let outcome = pending.outcome { return outcome }
            if isBeingRead {
                pending.wait(mutex)
                continue
            }
            isBeingRead = true
            while pending.outcome == nil {
                pthread_mutex_unlock(mutex)
                readFrame()
                pthread_mutex_lock(mutex)
            }
            handOver()
        }
    }

    /// Lets another thread read. With the lock held. What has been received already is dealt with first: nobody
    /// polls for it.
    private func handOver() {
        while failure == nil, waiting.isEmpty, connection.hasFrame {
            pthread_mutex_unlock(mutex)
            readFrame()
            pthread_mutex_lock(mutex)
        }
        isBeingRead = false
        waiting.first?.value.signal()
    }

    /// Reads one frame and deals with it. Only for the thread that set `isBeingRead`, without the lock.
    private func readFrame() {
        do {
            try connection.receive { bytes, descriptor in
                switch try UnsafeEnvelope(frame: bytes) {
                case .result(let id, _): deliver(bytes, descriptor, to: id)
                case .failure(let id?, _): deliver(bytes, descriptor, to: id)
                case .failure(nil, let error): throw error
                case .request(_, let method, let params):
                    if let descriptor { Foundation.close(descriptor) }
                    // Events that this version doesn't know are for others.
                    if let event = Event(rawValue: method) { onEvent(event, params, self) }
                }
            }
        } catch {
            lose(error as? WireError ?? WireError(.badReply, "\(error)"))
        }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32?, to id: Int64) {
        let (pending, answer) = locked { (waiting.removeValue(forKey: id), answers.removeValue(forKey: id)) }
        guard let pending else {
            if let descriptor { Foundation.close(descriptor) }
            answer?(.success(Array(bytes)))
            return
        }
        let copy = Array(bytes)
        locked {
            pending.outcome = .frame(copy, descriptor: descriptor)
            pending.signal()
        }
    }

    private func lose(_ error: WireError) {
        connection.shutdown()
        // Whoever waits must learn that the outcome is open, whatever the agent said as it left.
        let loss = error.code == .connectionLost ? error : WireError(.connectionLost, "\(error)", facts: error.facts)
        var unanswered: [@Sendable (Result<[UInt8], WireError>) -> Void] = []
        let isFirst = locked {
            guard failure == nil else { return false }
            failure = loss
            unanswered = Array(answers.values)
            answers = [:]
            for pending in waiting.values {
                pending.outcome = .failure(loss)
                pending.signal()
            }
            waiting = [:]
            pthread_cond_signal(quiet)
            return true
        }
        for answer in unanswered { answer(.failure(loss)) }
        if isFirst { onLoss(self) }
    }

    /// Starts the background reader; it ends with the link.
    func startReader() {
        let thread = Thread { [self] in readInBackground() }
        thread.name = "reeve-events"
        thread.stackSize = 512 << 10
        thread.start()
    }

    private func readInBackground() {
        while true {
            guard waitUntilQuiet() else { return }
            outgoing.withLock { outgoing in
                outgoing.isReaderAsleep = true
                sendDeferred(&outgoing)
            }
            _ = connection.waitForInput(timeout: nil)
            outgoing.withLock { $0.isReaderAsleep = false }
            pthread_mutex_lock(mutex)
            guard !isBeingRead, failure == nil else {
                pthread_mutex_unlock(mutex)
                continue
            }
            isBeingRead = true
            pthread_mutex_unlock(mutex)
            readFrame()
            pthread_mutex_lock(mutex)
            handOver()
            pthread_mutex_unlock(mutex)
        }
    }

    /// Returns when no thread has called for a while; false when the link is lost.
    private func waitUntilQuiet() -> Bool {
        let period = wantsEvents() ? Self.quietPeriod.withObservers : Self.quietPeriod.without
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var seen = calls
        while failure == nil {
            if !isBeingRead, waiting.isEmpty, seen == calls { return true }
            seen = calls
            var until = timespec()
            clock_gettime(CLOCK_REALTIME, &until)
            until.tv_nsec += period
            if until.tv_nsec >= 1_000_000_000 {
                until.tv_nsec -= 1_000_000_000
                until.tv_sec += 1
            }
            pthread_cond_timedwait(quiet, mutex, &until)
        }
        return false
    }
}
