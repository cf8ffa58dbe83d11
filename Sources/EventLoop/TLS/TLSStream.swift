/// A TLS connection over another stream.
///
/// The handshake begins at once; what is written before it has succeeded waits. Nothing is read from the peer beyond the
/// handshake before `start(_:)`.
package final class TLSStream: ByteStream {
    package private(set) var isAtEnd = false
    package var isUnderPressure: Bool { below.isUnderPressure }
    package var isClosed: Bool { below.isClosed }
    package var peerName: String { below.peerName }
    package var queuedBytes: Int { waiting.count + below.queuedBytes }

    package var limits: WriteLimits {
        get { below.limits }
        set { below.limits = newValue }
    }

    /// The version that was agreed on, such as `TLSv1.3`.
    package var version: String { machine.version }

    private let below: any ByteStream
    private let machine: TLSMachine
    private let scheduler: any Scheduler
    private var delegate: (any ByteStreamDelegate)?
    private var handshakeTimer: (any ScheduledTimer)?
    /// What was written before the handshake was through.
    private var waiting: [UInt8] = []
    /// What the peer said before anybody wanted to hear it, in the same breath as the end of the handshake.
    private var unread: [UInt8] = []
    private var isPaused = true
    private var ending = Ending.no
    private var failure: NetworkError?

    private enum Ending {
        case no, shutdown
        case close(Duration)
    }

    /// `host` is what the server's certificate must be for; nil for the server's end. Throws what is wrong with the name.
    package init(
        over stream: any ByteStream, _ context: TLSContext, host: String? = nil, scheduler: any Scheduler,
        handshakeWithin deadline: Duration = .seconds(10)
    ) throws {
        below = stream
        self.scheduler = scheduler
        machine = try TLSMachine(context, host: host)
        let timer = scheduler.timer { [weak self] in
            self?.fail(NetworkError(.timeout, "\(stream.peerName) hasn't finished the TLS handshake in time"))
        }
        timer.start(after: deadline, repeating: nil)
        handshakeTimer = timer
        stream.start(LowerDelegate(self))
        if context.role == .client, let failure = run({ () throws(NetworkError) in try machine.begin() }) {
            throw failure
        }
    }

    package func start(_ delegate: any ByteStreamDelegate) {
        self.delegate = delegate
        guard failure == nil else { return later { $0.tellFailure() } }
        resumeReading()
    }

    package func pauseReading() {
        isPaused = true
        if machine.state != .handshaking { below.pauseReading() }
    }

    package func resumeReading() {
        guard delegate != nil else { return }
        isPaused = false
        if !unread.isEmpty || machine.state == .ended { later { $0.deliver([]) } }
        below.resumeReading()
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed, case .no = ending else { return }
        if machine.state == .handshaking {
            waiting.append(contentsOf: bytes)
            if waiting.count > limits.maximum {
                fail(NetworkError(.write, "more than \(limits.maximum) bytes wait for the TLS handshake"))
            }
        } else {
            encrypt(bytes)
        }
    }

    package func shutdownWriting() {
        guard case .no = ending else { return }
        ending = .shutdown
        endIfOpen()
    }

    package func close() {
        tearDown()
        below.close()
    }

    package func close(drainingFor deadline: Duration) {
        delegate = nil
        guard !isClosed else { return }
        ending = .close(deadline)
        endIfOpen()
    }
}

extension TLSStream {
    private func endIfOpen() {
        guard machine.state != .handshaking else { return }
        machine.shutDown()
        machine.drain { below.write($0) }
        switch ending {
        case .no: break
        case .shutdown: below.shutdownWriting()
        case .close(let deadline):
            tearDown()
            below.close(drainingFor: deadline)
        }
    }

    private func encrypt(_ bytes: UnsafeRawBufferPointer) {
        let failure = run { () throws(NetworkError) in try machine.write(bytes) { below.write($0) } }
        if let failure { fail(failure) }
    }

    /// Runs a step of the machine, sends what it has to say, and returns its failure.
    private func run(_ step: () throws(NetworkError) -> Void) -> NetworkError? {
        let wasHandshaking = machine.state == .handshaking
        var failure: NetworkError?
        do { try step() } catch { failure = error }
        machine.drain { below.write($0) }
        if failure == nil, wasHandshaking, machine.state != .handshaking { didOpen() }
        return failure
    }

    /// Does something soon: nothing is told inside of a call.
    private func later(_ action: @escaping @LoopActor (TLSStream) -> Void) {
        var timer: (any ScheduledTimer)?
        timer = scheduler.timer { [self] in
            timer?.close()
            timer = nil
            action(self)
        }
        timer?.start(after: .zero, repeating: nil)
    }

    private func didOpen() {
        handshakeTimer?.close()
        handshakeTimer = nil
        if isPaused { below.pauseReading() }
        if !waiting.isEmpty {
            let bytes = waiting
            waiting = []
            bytes.withUnsafeBytes { encrypt($0) }
        }
        if case .no = ending { return }
        endIfOpen()
    }

    private func tearDown() {
        handshakeTimer?.close()
        handshakeTimer = nil
        delegate = nil
        waiting = []
        unread = []
    }

    private func fail(_ error: NetworkError) {
        guard !isClosed else { return }
        let delegate = delegate
        if delegate == nil { failure = error }
        tearDown()
        // The alert that tells the peer what was wrong still goes out.
        below.close(drainingFor: .seconds(1))
        delegate?.stream(self, didFail: error)
    }

    private func tellFailure() {
        guard let failure, let delegate else { return }
        self.failure = nil
        self.delegate = nil
        delegate.stream(self, didFail: failure)
    }

    /// Tells what the peer said, and that it has ended; keeps it if nobody listens now.
    private func deliver(_ plain: [UInt8]) {
        unread += plain
        guard !isPaused, let delegate else { return }
        if !unread.isEmpty {
            let bytes = unread
            unread = []
            bytes.withUnsafeBytes { delegate.stream(self, didReceive: $0) }
        }
        if machine.state == .ended, !isAtEnd, !isPaused {
            isAtEnd = true
            self.delegate?.streamDidReachEnd(self)
        }
    }

    fileprivate func didReceive(_ bytes: UnsafeRawBufferPointer) {
        var plain: [UInt8] = []
        let failure = run { () throws(NetworkError) in
            try machine.receive(bytes) { plain.append(contentsOf: $0) }
        }
        if !plain.isEmpty || machine.state == .ended { deliver(plain) }
        if let failure { fail(failure) }
    }

    fileprivate func didReachEnd() {
        // Without a farewell somebody may have cut the connection short.
        guard machine.state != .ended else { return }
        fail(NetworkError(.read, "\(peerName) ended the connection without TLS's farewell"))
    }

    fileprivate func pressureDidChange(_ isHigh: Bool) {
        delegate?.stream(self, pressureDidChange: isHigh)
    }

    fileprivate func didFail(_ error: NetworkError) {
        let delegate = delegate
        if delegate == nil { failure = error }
        tearDown()
        delegate?.stream(self, didFail: error)
    }
}

/// Hears the lower stream for a TLS stream, and keeps it alive as long as that is open.
private final class LowerDelegate: ByteStreamDelegate {
    private let stream: TLSStream

    init(_ stream: TLSStream) {
        self.stream = stream
    }

    func stream(_: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) { stream.didReceive(bytes) }
    func streamDidReachEnd(_: any ByteStream) { stream.didReachEnd() }
    func stream(_: any ByteStream, pressureDidChange isHigh: Bool) { stream.pressureDidChange(isHigh) }
    func stream(_: any ByteStream, didFail error: NetworkError) { stream.didFail(error) }
}
