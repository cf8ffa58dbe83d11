import Foundation

/// One request after another over a `BlockingConnection`: the CLI's client, and the tests'.
///
/// Events that come while a reply is awaited are kept (at most `eventLimit`) for `nextEvent`. One thread at a time.
package final class BlockingClient {
    /// An event as it came.
    package struct ReceivedEvent: Sendable {
        package var name: String
        package var params: BSONDocument

        /// The event as the struct of its kind. Throws `badReply`.
        package func decoded<Payload: WireEvent>(as type: Payload.Type) throws -> Payload {
            try params.encoded().withUnsafeBytes { try Payload(reply: UnsafeBSONView(validating: $0)) }
        }
    }

    package let connection: BlockingConnection
    /// What the agent said at hello.
    package private(set) var agent: HelloReply?
    /// How long a reply may take unless told otherwise; nil: for ever.
    package var timeout: Duration?
    /// Called when nothing has come for `timeout`, in place of throwing `timedOut`; when it returns, the wait goes on.
    package var whenLate: (() throws -> Void)?
    package let eventLimit = 10_000
    private let encoder = FrameEncoder()
    private var lastId: Int64 = 0
    private var events: [ReceivedEvent] = []

    package init(_ connection: BlockingConnection, timeout: Duration? = .seconds(30)) {
        self.connection = connection
        self.timeout = timeout
    }

    /// Connects and says hello.
    package convenience init(
        to location: SocketLocation, client: String, version: String = "", features: [Feature] = Feature.all,
        timeout: Duration? = .seconds(30)
    ) throws {
        self.init(try BlockingConnection(to: location, deadline: timeout.map { .now + $0 }), timeout: timeout)
        try hello(client: client, version: version, features: features)
    }

    @discardableResult
    package func hello(client: String, version: String = "", features: [Feature] = Feature.all) throws -> HelloReply {
        let reply = try call(Hello(client: client, pid: getpid(), version: version, features: features))
        encoder.frameLimit = Int(reply.limits.frame)
        agent = reply
        return reply
    }

    /// Sends the request and waits for its reply; a refusal is thrown as `WireError`. A descriptor that comes along
    /// is closed.
    package func call<Request: WireRequest>(_ request: Request, timeout: Duration? = nil) throws -> Request.Reply {
        let (reply, descriptor) = try callForDescriptor(request, timeout: timeout)
        if let descriptor { close(descriptor) }
        return reply
    }

    /// As `call`, with the descriptor that came along, which is the caller's to close.
    package func callForDescriptor<Request: WireRequest>(
        _ request: Request, timeout: Duration? = nil
    ) throws -> (Request.Reply, Int32?) {
        let id = try send(request)
        var deadline = (timeout ?? self.timeout).map { ContinuousClock.now + $0 }
        while true {
            let frame = try receive(&deadline, timeout)
            do {
                if let reply: Request.Reply = try take(frame, id: id) { return (reply, frame.descriptor) }
            } catch {
                if let descriptor = frame.descriptor { close(descriptor) }
                guard let agent, let error = error as? WireError else { throw error }
                throw agent.explain(error, method: Request.method)
            }
            if let descriptor = frame.descriptor { close(descriptor) }
        }
    }

    /// Sends a request without waiting. Returns its id.
    @discardableResult
    package func send<Request: WireRequest>(_ request: Request) throws -> Int64 {
        lastId += 1
        let deadline = timeout.map { ContinuousClock.now + $0 }
        try encoder.request(request, id: lastId) { try connection.send($0, deadline: deadline) }
        return lastId
    }

    /// Sends a request that wants no reply.
    package func notify<Request: WireRequest>(_ request: Request) throws {
        let deadline = timeout.map { ContinuousClock.now + $0 }
        try encoder.request(request, id: nil) { try connection.send($0, deadline: deadline) }
    }

    /// The next event, kept or awaited. Throws `timedOut`.
    package func nextEvent(timeout: Duration? = nil) throws -> ReceivedEvent {
        var deadline = (timeout ?? self.timeout).map { ContinuousClock.now + $0 }
        while events.isEmpty {
            let frame = try receive(&deadline, timeout)
            if let descriptor = frame.descriptor { close(descriptor) }
            let _: Acknowledgement? = try take(frame, id: 0)
        }
        return events.removeFirst()
    }

    private func receive(
        _ deadline: inout ContinuousClock.Instant?, _ timeout: Duration?
    ) throws -> BlockingConnection.Frame {
        while true {
            do {
                return try connection.receiveFrame(deadline: deadline)
            } catch let error as WireError where error.code == .timedOut {
                guard let whenLate else { throw error }
                try whenLate()
                deadline = (timeout ?? self.timeout).map { ContinuousClock.now + $0 }
            }
        }
    }

    /// The reply to request `id` if the frame is that; keeps events; drops replies to requests given up.
    private func take<Reply: WirePayload>(_ frame: BlockingConnection.Frame, id: Int64) throws -> Reply? {
        try frame.bytes.withUnsafeBytes { bytes in
            switch try UnsafeEnvelope(frame: bytes) {
            case .result(let replyId, let view):
                return replyId == id ? try Reply(reply: view) : nil
            case .failure(let replyId, let error):
                if replyId == nil || replyId == id { throw error }
                return nil
            case .request(_, let method, let params):
                if events.count == eventLimit { events.removeFirst() }
                events.append(ReceivedEvent(name: method, params: BSONDocument(params)))
                return nil
            }
        }
    }
}
