/// How a WebSocket ended.
package enum WebSocketEnd: Hashable, Sendable {
    /// The peer sent a close frame; nil if without a code (1005, P-25).
    case closed(code: Int?, reason: String)
    /// The peer ended the connection without one.
    case ended
    /// The connection broke, or the peer broke the rules.
    case failed(NetworkError)
}

/// What a WebSocket tells its owner, on the loop. Nothing comes after `didEnd`, nor after `close` or `abort`.
@LoopActor
package protocol WebSocketDelegate: AnyObject, Sendable {
    func webSocket(_ socket: WebSocket, didReceive message: [UInt8])
    func webSocket(_ socket: WebSocket, didReceive text: String)
    /// The queue of unsent bytes grew beyond its high-water mark, or fell to the low one again.
    func webSocket(_ socket: WebSocket, pressureDidChange isHigh: Bool)
    func webSocket(_ socket: WebSocket, didEnd end: WebSocketEnd)
}

/// One end of a WebSocket over a stream that has been upgraded.
///
/// Pings are answered, as long as the peer takes what it is sent; that a peer is alive is for the protocol above to find
/// out (P-23).
@LoopActor
package final class WebSocket {
    package struct Options: Sendable {
        /// Bytes of a received message (P-24): 16 MiB of payload and room for the head.
        package var messageLimit = (16 << 20) + (64 << 10)
        /// Time for the peer to take the close frame and to end the connection.
        package var farewellDeadline: Duration = .seconds(5)

        package init() {}
    }

    package let role: WebSocketParser.Role
    package var isUnderPressure: Bool { stream.isUnderPressure }
    package var queuedBytes: Int { stream.queuedBytes }
    package var peerName: String { stream.peerName }
    package private(set) var isClosed = false

    private let stream: any ByteStream
    private let scheduler: any Scheduler
    private let options: Options
    private let nextMask: @LoopActor () -> UInt32
    private var parser: WebSocketParser
    private var delegate: (any WebSocketDelegate)?
    /// What was received before somebody listened.
    private var early: [UInt8]

    /// Takes over an upgraded stream, with the bytes that have come over it already. `nextMask` makes the masks of a
    /// client's frames.
    package init(
        _ role: WebSocketParser.Role, over stream: any ByteStream, received: [UInt8] = [], scheduler: any Scheduler,
        options: Options = Options(), nextMask: @escaping @LoopActor () -> UInt32 = { .random(in: .min ... .max) }
    ) {
        self.role = role
        self.stream = stream
        self.scheduler = scheduler
        self.options = options
        self.nextMask = nextMask
        parser = WebSocketParser(role, messageLimit: options.messageLimit)
        early = received
    }

    /// Marks of the queue of unsent bytes.
    package var limits: WriteLimits {
        get { stream.limits }
        set { stream.limits = newValue }
    }

    /// Begins to read. The delegate is kept until the end; what has come already is told soon, not inside this call.
    package func start(_ delegate: any WebSocketDelegate) {
        guard !isClosed else { return }
        self.delegate = delegate
        guard !early.isEmpty else { return stream.start(StreamSide(self)) }
        let timer = scheduler.timer { [self] in
            starting?.close()
            starting = nil
            let bytes = early
            early = []
            bytes.withUnsafeBytes { didReceive($0) }
            if !isClosed { stream.start(StreamSide(self)) }
        }
        starting = timer
        timer.start(after: .zero, repeating: nil)
    }

    private var starting: (any ScheduledTimer)?

    /// Leaves what the peer sends where it is. Messages that have been read already are still told.
    package func pauseReading() { stream.pauseReading() }
    package func resumeReading() { stream.resumeReading() }

    /// Sends a binary message.
    package func send(_ message: [UInt8]) { send(.binary, message) }

    /// Sends a text message.
    package func send(_ text: String) { send(.text, Array(text.utf8)) }

    /// Sends a ping of at most 125 bytes.
    package func ping(_ payload: [UInt8] = []) { send(.ping, Array(payload.prefix(WebSocketFrame.controlLimit))) }

    /// Sends a close frame and ends the connection right after it (P-27). The delegate hears nothing more. Idempotent.
    package func close(_ code: Int? = 1000, _ reason: String = "") {
        guard !isClosed else { return }
        send(.close, WebSocketFrame.closePayload(code, reason))
        tearDown()
        Farewell(stream, scheduler: scheduler, within: options.farewellDeadline)
    }

    /// Ends the connection without a word, after what is queued: what clients never see as an error (P-27).
    package func end() {
        guard !isClosed else { return }
        tearDown()
        Farewell(stream, scheduler: scheduler, within: options.farewellDeadline)
    }

    /// Drops the connection. The delegate hears nothing more. Idempotent.
    package func abort() {
        guard !isClosed else { return }
        tearDown()
        stream.close()
    }

    private func send(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
        guard !isClosed else { return }
        if role == .client {
            stream.write(WebSocketFrame.encode(opcode, payload, mask: nextMask()))
        } else {
            stream.write(WebSocketFrame.header(opcode, length: payload.count, mask: nil))
            if !payload.isEmpty { stream.write(payload) }
        }
    }

    private func tearDown() {
        isClosed = true
        delegate = nil
        early = []
        starting?.close()
        starting = nil
    }

    private func finish(_ end: WebSocketEnd) {
        let delegate = delegate
        tearDown()
        delegate?.webSocket(self, didEnd: end)
    }

    fileprivate func didReceive(_ bytes: UnsafeRawBufferPointer) {
        for event in parser.receive(bytes) where !isClosed { handle(event) }
    }

    private func handle(_ event: WebSocketParser.Event) {
        switch event {
        case .binary(let message): delegate?.webSocket(self, didReceive: message)
        case .text(let text): delegate?.webSocket(self, didReceive: text)
        case .ping(let payload):
            // A peer that pings and doesn't read gets no queue of answers.
            if !isUnderPressure { send(.pong, payload) }
        case .pong: break
        case .close(let code, let reason):
            let delegate = delegate
            close(code.flatMap { Self.mayBeSent($0) ? $0 : 1002 })
            delegate?.webSocket(self, didEnd: .closed(code: code, reason: reason))
        case .violation(let violation):
            let delegate = delegate
            close(violation.closeCode, violation.message)
            delegate?.webSocket(
                self, didEnd: .failed(NetworkError(.webSocket, "\(peerName) sent \(violation.message)")))
        }
    }

    private static func mayBeSent(_ code: Int) -> Bool {
        (1000...4999).contains(code) && ![1004, 1005, 1006, 1015].contains(code)
    }

    fileprivate func didReachEnd() {
        stream.close()
        finish(.ended)
    }

    fileprivate func pressureDidChange(_ isHigh: Bool) { delegate?.webSocket(self, pressureDidChange: isHigh) }

    fileprivate func didFail(_ error: NetworkError) { finish(.failed(error)) }
}

/// Hears the stream for a WebSocket, and keeps it alive as long as that is open.
private final class StreamSide: ByteStreamDelegate {
    private let socket: WebSocket

    init(_ socket: WebSocket) {
        self.socket = socket
    }

    func stream(_: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) { socket.didReceive(bytes) }
    func streamDidReachEnd(_: any ByteStream) { socket.didReachEnd() }
    func stream(_: any ByteStream, pressureDidChange isHigh: Bool) { socket.pressureDidChange(isHigh) }
    func stream(_: any ByteStream, didFail error: NetworkError) { socket.didFail(error) }
}
