/// Sends HTTP/1.1 requests, each on a connection of its own. Doesn't follow redirects (H-6).
@LoopActor
package final class HTTPClient {
    private let network: any Network
    package let scheduler: any Scheduler
    private let trust: @LoopActor () throws -> TLSContext
    private let limits: HTTPLimits
    private var context: TLSContext?

    /// `trust` makes the context of secure connections when the first one is needed.
    package init(
        _ network: any Network, scheduler: any Scheduler, limits: HTTPLimits = HTTPLimits(body: 16 << 20),
        trust: @escaping @LoopActor () throws -> TLSContext = { try .client() }
    ) {
        self.network = network
        self.scheduler = scheduler
        self.limits = limits
        self.trust = trust
    }

    /// What a connection became: the answer, and the connection if the server has switched protocols (101).
    package struct Reply {
        package var response: HTTPResponse
        package var upgraded: (stream: any ByteStream, received: [UInt8])?
    }

    /// Sends a request whose target and Host are the URL's. `completion` is called once, later; not after `cancel`.
    package func send(
        _ request: HTTPRequest, to url: WebURL, within deadline: Duration = .seconds(60),
        completion: @escaping @LoopActor (Result<Reply, NetworkError>) -> Void
    ) -> any Cancellable {
        var request = request
        request.target = url.target
        var headers: HTTPHeaders = ["Host": url.hostField]
        for field in request.headers.fields where !HTTPHeaders.isSame(field.name, "Host") { headers.add(field) }
        if headers["Connection"] == nil { headers["Connection"] = "close" }
        request.headers = headers
        let call = HTTPClientCall(request, url, limits, scheduler, deadline, completion)
        call.start(network) { [unowned self] stream in
            guard url.isSecure else { return stream }
            let context = try self.context ?? trust()
            self.context = context
            return try TLSStream(over: stream, context, host: url.host, scheduler: scheduler)
        }
        return call
    }
}

/// A request under way.
@LoopActor
private final class HTTPClientCall: Cancellable, ByteStreamDelegate {
    private let request: HTTPRequest
    private let url: WebURL
    private let deadline: Duration
    private var completion: (@LoopActor (Result<HTTPClient.Reply, NetworkError>) -> Void)?
    private var parser: HTTPParser
    private var connecting: (any Cancellable)?
    private var stream: (any ByteStream)?
    private var timer: (any ScheduledTimer)?
    private var response: HTTPResponse?

    init(
        _ request: HTTPRequest, _ url: WebURL, _ limits: HTTPLimits, _ scheduler: any Scheduler, _ deadline: Duration,
        _ completion: @escaping @LoopActor (Result<HTTPClient.Reply, NetworkError>) -> Void
    ) {
        self.request = request
        self.url = url
        self.deadline = deadline
        self.completion = completion
        parser = HTTPParser(.responses, limits: limits)
        parser.expectsNoBody = request.method == "HEAD"
        let timer = scheduler.timer { [self] in
            finish(.failure(NetworkError(.timeout, "\(url) hasn't answered within \(deadline)")))
        }
        timer.start(after: deadline, repeating: nil)
        self.timer = timer
    }

    func start(_ network: any Network, _ secure: @escaping @LoopActor (any ByteStream) throws -> any ByteStream) {
        connecting = network.connect(url.endpoint, within: deadline) { [self] result in
            connecting = nil
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let stream):
                do { try begin(on: secure(stream)) } catch {
                    stream.close()
                    finish(.failure(error as? NetworkError ?? NetworkError(.tls, "\(error)")))
                }
            }
        }
    }

    func cancel() {
        completion = nil
        tearDown(closing: true)
    }

    private func begin(on stream: any ByteStream) {
        self.stream = stream
        stream.start(self)
        stream.write(request.encoded)
    }

    func stream(_: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) {
        parser.append(bytes)
        advance()
    }

    func streamDidReachEnd(_: any ByteStream) {
        do {
            if let event = try parser.streamEnded() { handle(event) }
            finish(.failure(NetworkError(.read, "\(url) ended the connection without an answer")))
        } catch {
            finish(.failure(NetworkError(.read, "\(url): \(error.message)")))
        }
    }

    func stream(_: any ByteStream, pressureDidChange isHigh: Bool) {}

    func stream(_: any ByteStream, didFail error: NetworkError) { finish(.failure(error)) }

    private func advance() {
        do {
            while completion != nil, let event = try parser.next() { handle(event) }
        } catch {
            finish(.failure(NetworkError(.http, "the answer of \(url) isn't valid: \(error.message)")))
        }
    }

    private func handle(_ event: HTTPParser.Event) {
        switch event {
        case .head(let head):
            guard case .response(let status) = head.line else { return }
            response = HTTPResponse(status, headers: head.headers)
            guard status == 101, let stream else { return }
            // Nothing is read until somebody has taken the connection over.
            stream.pauseReading()
            let upgraded = (stream, parser.takeRest())
            finish(.success(.init(response: HTTPResponse(101, headers: head.headers), upgraded: upgraded)))
        case .body(let bytes): response?.body += bytes
        case .end:
            guard let response else { return }
            self.response = nil
            // 100, 103 and their like only announce the answer.
            guard response.status >= 200 else { return }
            finish(.success(.init(response: response)))
        }
    }

    private func finish(_ result: Result<HTTPClient.Reply, NetworkError>) {
        guard let completion else { return }
        self.completion = nil
        var isUpgraded = false
        if case .success(let reply) = result { isUpgraded = reply.upgraded != nil }
        tearDown(closing: !isUpgraded)
        completion(result)
    }

    private func tearDown(closing: Bool) {
        timer?.close()
        timer = nil
        connecting?.cancel()
        connecting = nil
        if closing { stream?.close() }
        stream = nil
    }
}
