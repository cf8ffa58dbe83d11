/// How an HTTP server treats its connections.
package struct HTTPServerOptions: Sendable {
    package var limits = HTTPLimits()
    /// Time for a request's head, from the connection or the last answer's end with the first byte.
    package var headDeadline: Duration = .seconds(10)
    /// Time for a request's body.
    package var bodyDeadline: Duration = .seconds(60)
    /// Time in which the next request must begin.
    package var idleDeadline: Duration = .seconds(60)
    /// Time for a client to take the last answer and to end the connection.
    package var farewellDeadline: Duration = .seconds(5)
    /// Connections at a time; more are refused.
    package var connections = 20_000
    /// What is answered to messages that aren't HTTP, or too much of it.
    package var failure: @Sendable (HTTPViolation) -> HTTPResponse = {
        HTTPResponse($0.status, text: $0.message + "\n")
    }

    package init() {}
}

/// Serves HTTP/1.1 on streams: one request at a time on each, answered by a closure, now or later.
@LoopActor
package final class HTTPServer {
    package typealias Handler = @LoopActor (HTTPExchange) -> Void

    let options: HTTPServerOptions
    let scheduler: any Scheduler
    let handler: Handler
    private var connections: [ObjectIdentifier: HTTPServerConnection] = [:]

    package init(
        _ options: HTTPServerOptions = HTTPServerOptions(), scheduler: any Scheduler, handler: @escaping Handler
    ) {
        self.options = options
        self.scheduler = scheduler
        self.handler = handler
    }

    /// Connections that are served now; those that went over to another protocol aren't counted.
    package var connectionCount: Int { connections.count }

    /// Serves a connection.
    package func serve(_ stream: any ByteStream) {
        guard connections.count < options.connections else { return stream.close() }
        let connection = HTTPServerConnection(stream, self)
        connections[ObjectIdentifier(connection)] = connection
        connection.start()
    }

    /// Closes all connections: at once those that wait for a request, the others when they are answered.
    package func shutDown() {
        for connection in connections.values { connection.finishSoon() }
    }

    func didEnd(_ connection: HTTPServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
    }
}

/// A request that waits for its answer. It must be answered once, by `respond` or `upgrade`.
@LoopActor
package final class HTTPExchange {
    package let request: HTTPRequest
    private let connection: HTTPServerConnection
    private var isAnswered = false

    init(_ request: HTTPRequest, _ connection: HTTPServerConnection) {
        self.request = request
        self.connection = connection
    }

    /// Who asks, for logs.
    package var peerName: String { connection.peerName }

    /// Whether nobody waits for the answer any more.
    package var isAbandoned: Bool { connection.isClosed }

    /// Sends the answer. Calls after the first have no effect.
    package func respond(_ response: HTTPResponse) {
        guard !isAnswered else { return }
        isAnswered = true
        connection.respond(response, to: request)
    }

    /// Sends a 101 answer and gives the connection away, with the bytes that the client has sent already. Nil if it is
    /// closed by now.
    package func upgrade(_ response: HTTPResponse) -> (stream: any ByteStream, received: [UInt8])? {
        guard !isAnswered else { return nil }
        isAnswered = true
        return connection.upgrade(response)
    }
}
