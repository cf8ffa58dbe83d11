/// A network in memory: who listens and connects here meets only others here.
///
/// Nothing is delivered inside of a call: each piece of bytes, each end and each new connection is a timer of the
/// scheduler. With a `ManualScheduler` a run depends on nothing but what the caller decides; with the loop's scheduler it
/// behaves like sockets.
@LoopActor
package final class MemoryNetwork: Network {
    package let scheduler: any Scheduler
    /// How long the next piece travels. Pieces of one direction never overtake each other.
    package var delay: @LoopActor () -> Duration {
        get { conditions.delay }
        set { conditions.delay = newValue }
    }
    /// At most this many bytes are delivered at once: smaller pieces show who relies on more.
    package var pieceSize: Int {
        get { conditions.pieceSize }
        set { conditions.pieceSize = newValue }
    }
    /// Consulted for each connection attempt: an error refuses it.
    package var fault: @LoopActor (Endpoint) -> NetworkError? = { _ in nil }
    /// Attempts while this is false find nobody until their deadline, as in a network that is down.
    package var isReachable = true
    /// Connections that neither end has closed, in the order in which they were made.
    package private(set) var links: [MemoryLink] = []

    private let conditions: MemoryConditions
    private var listeners: [Int: MemoryListener] = [:]
    private var nextPort = 49152

    package init(_ scheduler: any Scheduler) {
        self.scheduler = scheduler
        conditions = MemoryConditions(scheduler)
    }

    /// Only the port counts: all hosts of a memory network are one, `localhost` or any other.
    package func listen(
        _ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void
    ) throws -> any NetworkListener {
        var endpoint = endpoint
        if endpoint.port == 0 {
            endpoint.port = nextPort
            nextPort += 1
        }
        guard listeners[endpoint.port] == nil else {
            throw NetworkError(.address, "somebody listens at \(endpoint) already")
        }
        let listener = MemoryListener(endpoint, accepted: accepted) { [weak self] in
            self?.listeners[endpoint.port] = nil
        }
        listeners[endpoint.port] = listener
        return listener
    }

    package func connect(
        _ endpoint: Endpoint, within deadline: Duration,
        completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) -> any Cancellable {
        let attempt = MemoryAttempt()
        let timer = scheduler.timer { [unowned self] in
            attempt.finish()
            completion(connectNow(endpoint, deadline))
        }
        attempt.timer = timer
        timer.start(after: isReachable ? delay() : deadline, repeating: nil)
        return attempt
    }

    private func connectNow(_ endpoint: Endpoint, _ deadline: Duration) -> Result<any ByteStream, NetworkError> {
        guard isReachable else {
            return .failure(NetworkError(.timeout, "\(endpoint) doesn't answer within \(deadline)"))
        }
        if let error = fault(endpoint) { return .failure(error) }
        guard let listener = listeners[endpoint.port] else {
            return .failure(NetworkError(.connect, "no connection to \(endpoint): nobody listens"))
        }
        let link = makeLink(endpoint)
        if listener.accept(link.server) { return .success(link.client) }
        link.server.close()
        return .success(link.client)
    }

    /// Two ends that are connected, without anybody having listened.
    package func makeLink(_ endpoint: Endpoint = Endpoint("memory", 0)) -> MemoryLink {
        let link = MemoryLink(conditions, endpoint) { [weak self] link in self?.links.removeAll { $0 === link } }
        links.append(link)
        return link
    }
}

/// What the streams of a network go by. Apart from the network, which holds the streams.
@LoopActor
final class MemoryConditions {
    let scheduler: any Scheduler
    var delay: @LoopActor () -> Duration = { .zero }
    var pieceSize = Int.max

    init(_ scheduler: any Scheduler) {
        self.scheduler = scheduler
    }
}

/// A connection attempt under way.
@LoopActor
private final class MemoryAttempt: Cancellable {
    var timer: (any ScheduledTimer)?

    func cancel() { finish() }

    func finish() {
        timer?.close()
        timer = nil
    }
}

/// Somebody who listens in memory.
@LoopActor
package final class MemoryListener: NetworkListener {
    package let endpoint: Endpoint
    package var mayAccept: @LoopActor () -> Bool = { true }
    package private(set) var refusedCount = 0
    private var accepted: (@LoopActor (any ByteStream) -> Void)?
    private let didClose: @LoopActor () -> Void

    init(
        _ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void,
        didClose: @escaping @LoopActor () -> Void
    ) {
        self.endpoint = endpoint
        self.accepted = accepted
        self.didClose = didClose
    }

    package func close() {
        guard accepted != nil else { return }
        accepted = nil
        didClose()
    }

    func accept(_ stream: MemoryStream) -> Bool {
        guard let accepted, mayAccept() else {
            refusedCount += 1
            return false
        }
        accepted(stream)
        return true
    }
}
