/// One end of a connection in memory.
@LoopActor
package final class MemoryStream: ByteStream {
    package var limits = WriteLimits()
    package private(set) var isUnderPressure = false
    package private(set) var isAtEnd = false
    package private(set) var isClosed = false
    package let peerName: String
    /// What we have written and the peer hasn't been given.
    package private(set) var queuedBytes = 0

    var isStalled = false {
        didSet { schedule() }
    }

    private let conditions: MemoryConditions
    private var delegate: (any ByteStreamDelegate)?
    private weak var peer: MemoryStream?
    private var didClose: (@LoopActor () -> Void)?
    private var isReading = false
    private var hasShutDown = false
    private var isOverfull = false

    /// What the peer has written and our delegate hasn't been given.
    private var incoming: [Item] = []
    /// The next item is on its way.
    private var arrival: (any ScheduledTimer)?
    private var isArriving = false
    private var drainTimer: (any ScheduledTimer)?

    private enum Item {
        case bytes([UInt8])
        case end
        case reset
    }

    init(_ conditions: MemoryConditions, peerName: String) {
        self.conditions = conditions
        self.peerName = peerName
    }

    func connect(to peer: MemoryStream, didClose: @escaping @LoopActor () -> Void) {
        self.peer = peer
        self.didClose = didClose
    }

    package func start(_ delegate: any ByteStreamDelegate) {
        guard !isClosed, drainTimer == nil else { return }
        self.delegate = delegate
        resumeReading()
    }

    package func pauseReading() { isReading = false }

    package func resumeReading() {
        guard !isClosed, delegate != nil, !isAtEnd else { return }
        isReading = true
        schedule()
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed, !hasShutDown, !isOverfull, !bytes.isEmpty else { return }
        queuedBytes += bytes.count
        peer?.enqueue(.bytes(Array(bytes)))
        if peer == nil { queuedBytes = 0 }
        if queuedBytes > limits.maximum {
            isOverfull = true
            let timer = conditions.scheduler.timer { [self] in
                fail(NetworkError(.write, "more than \(limits.maximum) bytes are queued for \(peerName)"))
            }
            drainTimer = timer
            timer.start(after: .zero, repeating: nil)
        }
        if !isUnderPressure, queuedBytes > limits.high {
            isUnderPressure = true
            delegate?.stream(self, pressureDidChange: true)
        }
    }

    package func shutdownWriting() {
        guard !isClosed, !hasShutDown else { return }
        hasShutDown = true
        peer?.enqueue(.end)
    }

    package func close() {
        // As with a socket: what the peer hasn't read yet still arrives, then the end, or an error if we left bytes unread.
        let leavesUnread = incoming.contains { if case .bytes = $0 { true } else { false } }
        tearDown(telling: leavesUnread ? .reset : .end)
    }

    package func close(drainingFor deadline: Duration) {
        guard !isClosed, drainTimer == nil else { return }
        isReading = false
        delegate = nil
        shutdownWriting()
        let timer = conditions.scheduler.timer { [self] in close() }
        drainTimer = timer
        timer.start(after: queuedBytes == 0 ? .zero : deadline, repeating: nil)
    }

    func fail(_ error: NetworkError) {
        guard !isClosed else { return }
        let delegate = delegate
        peer?.incoming.removeAll()
        tearDown(telling: .reset)
        delegate?.stream(self, didFail: error)
    }

    private func tearDown(telling item: Item) {
        guard !isClosed else { return }
        isClosed = true
        delegate = nil
        arrival?.close()
        arrival = nil
        drainTimer?.close()
        drainTimer = nil
        incoming = []
        queuedBytes = 0
        if case .reset = item { peer?.enqueue(item) } else if !hasShutDown { peer?.enqueue(item) }
        didClose?()
        didClose = nil
    }

    /// The peer has written something.
    private func enqueue(_ item: Item) {
        guard !isClosed else { return peerTook(item) }
        incoming.append(item)
        schedule()
    }

    private func schedule() {
        guard !isClosed, isReading, !isStalled, !isArriving, !incoming.isEmpty else { return }
        let timer = arrival ?? conditions.scheduler.timer { [unowned self] in arrive() }
        arrival = timer
        isArriving = true
        timer.start(after: conditions.delay(), repeating: nil)
    }

    private func arrive() {
        isArriving = false
        guard !isClosed, isReading, !isStalled, let item = incoming.first else { return }
        switch item {
        case .bytes(let bytes):
            let count = min(bytes.count, max(1, conditions.pieceSize))
            if count < bytes.count {
                incoming[0] = .bytes(Array(bytes[count...]))
            } else {
                incoming.removeFirst()
            }
            schedule()
            let piece = Array(bytes[..<count])
            peerTook(.bytes(piece))
            piece.withUnsafeBytes { delegate?.stream(self, didReceive: $0) }
        case .end:
            incoming.removeFirst()
            isAtEnd = true
            isReading = false
            delegate?.streamDidReachEnd(self)
        case .reset:
            fail(NetworkError(.read, "\(peerName) has reset the connection"))
        }
    }

    /// Tells the peer that what it wrote has left.
    private func peerTook(_ item: Item) {
        guard case .bytes(let bytes) = item, let peer, !peer.isClosed else { return }
        peer.queuedBytes -= bytes.count
        if peer.isUnderPressure, peer.queuedBytes <= peer.limits.low {
            peer.isUnderPressure = false
            peer.delegate?.stream(peer, pressureDidChange: false)
        }
        if peer.delegate == nil, peer.queuedBytes == 0, !peer.isOverfull {
            peer.drainTimer?.start(after: .zero, repeating: nil)
        }
    }
}
