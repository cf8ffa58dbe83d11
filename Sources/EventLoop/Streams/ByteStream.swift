/// What a stream tells its owner, on the loop. Nothing more comes after `close()` or `didFail`.
@LoopActor
package protocol ByteStreamDelegate: AnyObject, Sendable {
    /// Bytes came. They are valid during the call only.
    func stream(_ stream: any ByteStream, didReceive bytes: UnsafeRawBufferPointer)
    /// The peer sends no more. It may still read: answer what is due, then close.
    func streamDidReachEnd(_ stream: any ByteStream)
    /// The queue of unsent bytes grew beyond the high-water mark (`isHigh`), or fell to the low-water mark again.
    func stream(_ stream: any ByteStream, pressureDidChange isHigh: Bool)
    /// The stream broke and is closed.
    func stream(_ stream: any ByteStream, didFail error: NetworkError)
}

/// A connection that carries bytes in order both ways: a socket, TLS over one, or two ends in memory.
///
/// Writes are taken at once and never wait; who writes much watches `isUnderPressure`. Bytes come to the delegate from
/// `start(_:)` on, never inside a call to the stream.
@LoopActor
package protocol ByteStream: AnyObject, Sendable {
    /// Marks of the queue of unsent bytes.
    var limits: WriteLimits { get set }
    /// Whether the queue has passed the high-water mark and not yet fallen to the low one.
    var isUnderPressure: Bool { get }
    /// Bytes accepted by `write` that haven't left yet.
    var queuedBytes: Int { get }
    /// Whether the peer has ended its direction.
    var isAtEnd: Bool { get }
    var isClosed: Bool { get }
    /// Who is at the other end, for logs.
    var peerName: String { get }

    /// Begins to read. The delegate is kept until the stream is closed. Called again, the new delegate takes over: that is
    /// how a connection changes its protocol.
    func start(_ delegate: any ByteStreamDelegate)
    /// Leaves what the peer sends where it is, so that it has to wait in the end.
    func pauseReading()
    func resumeReading()
    /// Queues a copy of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer)
    /// Ends our direction once everything queued is sent. Reading goes on.
    func shutdownWriting()
    /// Closes now. What is queued is dropped, the delegate hears nothing more. Idempotent.
    func close()
    /// Sends what is queued, then closes; closes anyway after `deadline`. The delegate hears nothing more.
    func close(drainingFor deadline: Duration)
}

extension ByteStream {
    package func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }
}
