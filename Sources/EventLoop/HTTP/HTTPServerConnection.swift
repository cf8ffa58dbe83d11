/// One connection of an HTTP server.
@LoopActor
final class HTTPServerConnection: ByteStreamDelegate {
    private let stream: any ByteStream
    private let server: HTTPServer
    private var parser: HTTPParser
    private var timer: (any ScheduledTimer)?
    private var state = State.idle
    private var request: HTTPRequest?
    private var keepsAlive = true
    private var isFinishing = false
    private var hasPeerEnded = false

    private enum State {
        /// Nothing of a request has come.
        case idle
        case head
        case body
        /// The handler works.
        case answering
        case closed
    }

    init(_ stream: any ByteStream, _ server: HTTPServer) {
        self.stream = stream
        self.server = server
        parser = HTTPParser(.requests, limits: server.options.limits)
    }

    var peerName: String { stream.peerName }
    var isClosed: Bool { state == .closed || stream.isClosed }

    func start() {
        timer = server.scheduler.timer { [weak self] in self?.timeout() }
        // Who connects and says nothing is treated as one who says it slowly.
        wait(server.options.headDeadline)
        stream.start(self)
    }

    /// Ends after the request at hand.
    func finishSoon() {
        isFinishing = true
        if state == .idle { end(drain: true) }
    }

    func stream(_: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) {
        guard state != .closed else { return }
        parser.append(bytes)
        advance()
    }

    func streamDidReachEnd(_: any ByteStream) {
        hasPeerEnded = true
        // Who has asked may still hear the answer.
        if state != .answering { end(drain: true) }
    }

    func stream(_: any ByteStream, pressureDidChange isHigh: Bool) {}

    func stream(_: any ByteStream, didFail error: NetworkError) { end(drain: false) }

    private func wait(_ deadline: Duration) { timer?.start(after: deadline, repeating: nil) }

    private func advance() {
        do {
            if state == .idle, parser.unreadCount > 0 {
                state = .head
                wait(server.options.headDeadline)
            }
            while state != .answering, state != .closed, let event = try parser.next() { handle(event) }
        } catch {
            refuse(error)
        }
    }

    private func handle(_ event: HTTPParser.Event) {
        switch event {
        case .head(let head):
            guard case .request(let method, let target) = head.line else { return }
            request = HTTPRequest(method, target, headers: head.headers)
            keepsAlive = head.keepsAlive
            state = .body
            wait(server.options.bodyDeadline)
            guard let expectation = head.headers["Expect"] else { return }
            guard HTTPHeaders.isSame(expectation, "100-continue") else {
                return refuse(HTTPViolation(417, "an expectation other than 100-continue"))
            }
            if head.minorVersion == 1, parser.isInMessage, parser.unreadCount == 0 {
                stream.write(HTTPResponse(100).encoded())
            }
        case .body(let bytes):
            request?.body += bytes
        case .end:
            guard let request else { return }
            self.request = nil
            state = .answering
            timer?.cancel()
            // The next request waits where it is until this one is answered.
            stream.pauseReading()
            server.handler(HTTPExchange(request, self))
        }
    }

    func respond(_ response: HTTPResponse, to request: HTTPRequest) {
        guard state == .answering, !stream.isClosed else { return }
        var response = response
        if isFinishing || hasPeerEnded { keepsAlive = false }
        if !keepsAlive { response.headers["Connection"] = "close" }
        stream.write(response.encoded(toHead: request.method == "HEAD"))
        guard keepsAlive else { return end(drain: true) }
        state = .idle
        wait(server.options.idleDeadline)
        // Later, so that a client which sends many requests at once doesn't make us recurse.
        let next = server.scheduler.timer { [weak self] in self?.proceed() }
        proceeding = next
        next.start(after: .zero, repeating: nil)
    }

    private var proceeding: (any ScheduledTimer)? {
        didSet { oldValue?.close() }
    }

    private func proceed() {
        proceeding = nil
        guard state == .idle else { return }
        advance()
        if state != .answering, state != .closed { stream.resumeReading() }
    }

    func upgrade(_ response: HTTPResponse) -> (stream: any ByteStream, received: [UInt8])? {
        guard state == .answering, !stream.isClosed, !hasPeerEnded else {
            end(drain: false)
            return nil
        }
        stream.write(response.encoded())
        let rest = parser.takeRest()
        state = .closed
        timer?.close()
        timer = nil
        server.didEnd(self)
        return (stream, rest)
    }

    private func refuse(_ violation: HTTPViolation) {
        guard state != .closed, state != .answering else { return }
        var response = server.options.failure(violation)
        response.headers["Connection"] = "close"
        stream.write(response.encoded())
        end(drain: true)
    }

    private func timeout() {
        switch state {
        case .idle: end(drain: true)
        case .head, .body: refuse(HTTPViolation(408, "the request hasn't come in time"))
        case .answering, .closed: break
        }
    }

    private func end(drain: Bool) {
        guard state != .closed else { return }
        state = .closed
        timer?.close()
        timer = nil
        proceeding = nil
        if drain {
            Farewell(stream, scheduler: server.scheduler, within: server.options.farewellDeadline)
        } else {
            stream.close()
        }
        server.didEnd(self)
    }
}
