/// A network behind an HTTP proxy: connections are made by `CONNECT` (P-10).
@LoopActor
package final class ProxyNetwork: Network {
    private let network: any Network
    private let proxy: Endpoint
    private let scheduler: any Scheduler

    /// Reaches `proxy` by `network`.
    package init(_ network: any Network, proxy: Endpoint, scheduler: any Scheduler) {
        self.network = network
        self.scheduler = scheduler
        self.proxy = proxy
    }

    /// Listens without the proxy.
    package func listen(
        _ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void
    ) throws -> any NetworkListener {
        try network.listen(endpoint, accepted: accepted)
    }

    package func connect(
        _ endpoint: Endpoint, within deadline: Duration,
        completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) -> any Cancellable {
        let call = ProxyCall(proxy, endpoint, deadline, scheduler, completion)
        call.start(network)
        return call
    }
}

/// A connection through a proxy that is being made.
@LoopActor
private final class ProxyCall: Cancellable, ByteStreamDelegate {
    private let proxy: Endpoint
    private let endpoint: Endpoint
    private let deadline: Duration
    private let scheduler: any Scheduler
    private var completion: (@LoopActor (Result<any ByteStream, NetworkError>) -> Void)?
    private var parser = HTTPParser(.responses)
    private var connecting: (any Cancellable)?
    private var stream: (any ByteStream)?
    private var timer: (any ScheduledTimer)?

    init(
        _ proxy: Endpoint, _ endpoint: Endpoint, _ deadline: Duration, _ scheduler: any Scheduler,
        _ completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) {
        self.proxy = proxy
        self.endpoint = endpoint
        self.deadline = deadline
        self.scheduler = scheduler
        self.completion = completion
        parser.expectsNoBody = true
    }

    func start(_ network: any Network) {
        let timer = scheduler.timer { [self] in
            fail(NetworkError(.timeout, "the proxy \(proxy) hasn't reached \(endpoint) within \(deadline)"))
        }
        timer.start(after: deadline, repeating: nil)
        self.timer = timer
        connecting = network.connect(proxy, within: deadline) { [self] result in
            connecting = nil
            switch result {
            case .failure(let error): fail(NetworkError(error.code, "the proxy: \(error.message)"))
            case .success(let stream):
                self.stream = stream
                stream.start(self)
                stream.write(HTTPRequest("CONNECT", "\(endpoint)", headers: ["Host": "\(endpoint)"]).encoded)
            }
        }
    }

    func cancel() {
        completion = nil
        tearDown()
        stream?.close()
    }

    func stream(_ stream: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) {
        parser.append(bytes)
        do {
            while let event = try parser.next() {
                guard case .head(let head) = event, case .response(let status) = head.line, status >= 200 else {
                    continue
                }
                return decide(status, stream)
            }
        } catch {
            fail(NetworkError(.http, "the answer of the proxy \(proxy) isn't valid: \(error.message)"))
        }
    }

    private func decide(_ status: Int, _ stream: any ByteStream) {
        guard (200..<300).contains(status) else {
            return fail(NetworkError(.connect, "the proxy \(proxy) refused a connection to \(endpoint): \(status)"))
        }
        // The client speaks first in every protocol that goes through here.
        guard parser.takeRest().isEmpty else {
            return fail(NetworkError(.http, "the proxy \(proxy) sent more than its answer"))
        }
        stream.pauseReading()
        let completion = completion
        self.completion = nil
        self.stream = nil
        tearDown()
        completion?(.success(stream))
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        fail(NetworkError(.connect, "the proxy \(proxy) ended the connection to \(endpoint) without an answer"))
    }

    func stream(_ stream: any ByteStream, pressureDidChange isHigh: Bool) {}

    func stream(_ stream: any ByteStream, didFail error: NetworkError) {
        fail(NetworkError(.connect, "the proxy \(proxy): \(error.message)"))
    }

    private func fail(_ error: NetworkError) {
        let completion = completion
        self.completion = nil
        tearDown()
        stream?.close()
        completion?(.failure(error))
    }

    private func tearDown() {
        timer?.close()
        timer = nil
        connecting?.cancel()
        connecting = nil
    }
}
