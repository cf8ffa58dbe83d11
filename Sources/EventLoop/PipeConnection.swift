import CPlatform
import CUV
import Foundation

/// What a connection tells its owner, on the loop. Nothing more comes after `close()` or `didFail`.
@LoopActor
package protocol PipeConnectionDelegate: AnyObject {
    /// Bytes came. They lie in the loop's shared read buffer and are valid during the call only.
    func connection(_ connection: PipeConnection, didReceive bytes: UnsafeRawBufferPointer)
    /// The peer sends no more. It may still read: answer what is due, then close.
    func connectionDidReachEnd(_ connection: PipeConnection)
    /// The queue of unsent bytes grew beyond the high-water mark (`isHigh`), or fell to the low-water mark again.
    func connection(_ connection: PipeConnection, pressureDidChange isHigh: Bool)
    /// The connection broke and is closed.
    func connection(_ connection: PipeConnection, didFail error: LoopError)
}

/// Marks of the queue of bytes that the peer hasn't taken yet.
package struct WriteLimits: Hashable, Sendable {
    /// Beyond this many bytes `isUnderPressure` becomes true.
    package var high: Int
    /// At this many bytes or fewer it becomes false again.
    package var low: Int
    /// Beyond this many bytes the connection fails with ENOBUFS.
    package var maximum: Int

    package init(high: Int = 1 << 20, low: Int = 256 << 10, maximum: Int = 128 << 20) {
        self.high = high
        self.low = low
        self.maximum = maximum
    }
}

/// A connected Unix stream socket on the loop.
///
/// Writes are gathered while the loop is in a callback and sent at its end: one system call for all replies to what
/// one read brought. What the socket doesn't take is queued, in order, descriptors included.
@LoopActor
package final class PipeConnection {
    /// Who is at the other end, as the kernel says.
    package let peer: PeerCredentials?
    package var limits = WriteLimits()
    /// Whether the queue has passed the high-water mark and not yet fallen to the low one.
    package private(set) var isUnderPressure = false
    /// Whether the peer has ended its direction.
    package private(set) var isAtEnd = false
    /// For other threads that have something to send.
    package let outlet: DirectOutlet

    private var handle: UnsafeMutablePointer<uv_pipe_t>?
    private var delegate: (any PipeConnectionDelegate)?
    private var isReading = false
    private var isMarked = false
    /// Whether more was written than `limits.maximum`: what was too much is gone, so the connection can't go on.
    private var isOverfull = false
    private var shutdown = Shutdown.open
    private var drainTimer: LoopTimer?

    /// Bytes in front of `gathered`, cut where a descriptor goes along.
    private var parts: [OutgoingPart] = []
    private var partBytes = 0
    private var gathered: [UInt8] = []
    /// Whether the outlet is closed to others, since something is gathered or on its way.
    private var holdsOutlet = false
    private var writableWatcher: WritableWatcher?

    private enum Shutdown { case open, wanted, sent, done }

    /// Takes over a connected socket, which is closed with the connection, or at once on an error.
    package init(adopting descriptor: Int32) throws {
        peer = PeerCredentials(ofSocket: descriptor)
        outlet = DirectOutlet(descriptor)
        let handle = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
        let initStatus = uv_pipe_init(EventLoop.shared.uv, handle, 0)
        guard initStatus == 0 else {
            handle.deallocate()
            Foundation.close(descriptor)
            throw LoopError("uv_pipe_init", status: initStatus)
        }
        // The handle owns the object until it is closed, so no callback can meet a dead one.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        let status = uv_pipe_open(handle, descriptor)
        guard status == 0 else {
            Foundation.close(descriptor)
            close()
            throw LoopError("uv_pipe_open", status: status)
        }
    }

    /// Begins to read. The delegate is kept until the connection is closed.
    package func start(delegate: any PipeConnectionDelegate) {
        guard handle != nil else { return }
        self.delegate = delegate
        resumeReading()
    }

    /// The socket; nil once closed.
    var descriptor: Int32? {
        guard let handle else { return nil }
        var socket: Int32 = -1
        let status = uv_fileno(UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self), &socket)
        return status == 0 ? socket : nil
    }

    package var isClosed: Bool { handle == nil }

    /// Bytes accepted by `write` that the kernel hasn't taken yet.
    package var queuedBytes: Int { partBytes + gathered.count + uvQueue }

    private var uvQueue: Int { handle.map { uv_stream_get_write_queue_size(stream($0)) } ?? 0 }

    private func stream(_ handle: UnsafeMutablePointer<uv_pipe_t>) -> UnsafeMutablePointer<uv_stream_t> {
        UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_stream_t.self)
    }
}

// MARK: - Reading
extension PipeConnection {
    /// Leaves what the peer sends in the kernel, so that it has to wait in the end.
    package func pauseReading() {
        guard let handle, isReading else { return }
        isReading = false
        uv_read_stop(stream(handle))
    }

    package func resumeReading() {
        guard let handle, !isReading, !isAtEnd, delegate != nil else { return }
        isReading = true
        let status = uv_read_start(
            stream(handle),
            { @Sendable _, _, buffer in
                let shared = EventLoop.shared.readBuffer
                buffer?.pointee.base = shared.baseAddress?.assumingMemoryBound(to: CChar.self)
                buffer?.pointee.len = shared.count
            },
            { @Sendable stream, count, _ in
                guard let data = stream?.pointee.data else { return }
                let connection = Unmanaged<PipeConnection>.fromOpaque(data).takeUnretainedValue()
                EventLoop.shared.enter { LoopActor.assumeIsolated { connection.didRead(count) } }
            })
        if status != 0 { fail(LoopError("read", status: status)) }
    }

    private func didRead(_ count: Int) {
        // What other threads have posted about messages that they sent themselves comes before the peer's answer.
        EventLoop.shared.runPosted()
        guard handle != nil else { return }
        if count > 0 {
            delegate?.connection(
                self, didReceive: UnsafeRawBufferPointer(rebasing: EventLoop.shared.readBuffer[..<count]))
        } else if count == Int(UV_EOF.rawValue) {
            isAtEnd = true
            pauseReading()
            delegate?.connectionDidReachEnd(self)
        } else if count < 0 {
            fail(LoopError("read", status: Int32(count)))
        }
    }
}

// MARK: - Writing
extension PipeConnection {
    /// Queues a copy of `bytes`. They go out at the end of the current callback, or as the peer makes room. Pressure is
    /// told of at once, so that who produces can stop in time.
    package func write(_ bytes: UnsafeRawBufferPointer) {
        guard handle != nil, shutdown == .open, !isOverfull else { return }
        holdOutlet()
        gathered.append(contentsOf: bytes)
        mark()
        checkHigh()
    }

    package func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }

    /// Queues `bytes`, which must not be empty, with `descriptor` attached to the first of them, after everything
    /// written before. The descriptor now belongs to the connection, which closes it once it is sent.
    package func write(_ bytes: UnsafeRawBufferPointer, descriptor: Int32) {
        precondition(!bytes.isEmpty, "a descriptor travels with at least one byte")
        guard handle != nil, shutdown == .open, !isOverfull else {
            Foundation.close(descriptor)
            return
        }
        holdOutlet()
        if !gathered.isEmpty {
            append(OutgoingPart(bytes: gathered, descriptor: nil))
            gathered = []
        }
        append(OutgoingPart(bytes: Array(bytes), descriptor: descriptor))
        mark()
        checkHigh()
    }

    /// Ends our direction once everything queued is sent. Reading goes on.
    package func shutdownWriting() {
        guard handle != nil, shutdown == .open else { return }
        holdOutlet()
        shutdown = .wanted
        mark()
    }

    /// Sends what the socket didn't take when another thread sent.
    package func takeRest() {
        guard handle != nil, shutdown == .open else { return }
        holdOutlet()
        mark()
    }

    private func holdOutlet() {
        guard !holdsOutlet else { return }
        holdsOutlet = true
        let rest = outlet.take()
        if !rest.isEmpty { gathered.insert(contentsOf: rest, at: 0) }
    }

    private func append(_ part: OutgoingPart) {
        parts.append(part)
        partBytes += part.bytes.count
    }

    private func mark() {
        guard !isMarked else { return }
        isMarked = true
        EventLoop.shared.needsFlush(self)
    }

    /// Sends what can be sent. The loop calls it at the end of a callback.
    func flush() {
        isMarked = false
        guard handle != nil else { return }
        guard !isOverfull else { return fail(LoopError("write", errorNumber: ENOBUFS)) }
        do {
            while let part = parts.first, uvQueue == 0 {
                if let descriptor = part.descriptor {
                    guard try sendFirstPart(part.bytes, with: descriptor) else { break }
                } else {
                    parts.removeFirst()
                    partBytes -= part.bytes.count
                    try submit(part.bytes)
                }
            }
            if parts.isEmpty, !gathered.isEmpty, uvQueue == 0 {
                try submit(gathered)
                gathered.removeAll(keepingCapacity: gathered.capacity <= 256 << 10)
            }
            if shutdown == .wanted, parts.isEmpty, gathered.isEmpty { try sendShutdown() }
            if shutdown == .open, holdsOutlet, parts.isEmpty, gathered.isEmpty, uvQueue == 0 {
                holdsOutlet = false
                outlet.release()
            }
        } catch let error as LoopError {
            return fail(error)
        } catch {
            return fail(LoopError("write", errorNumber: EIO))
        }
        checkLow()
    }

    /// Writes as much as the socket takes and hands the rest to libuv, whose callback flushes again.
    private func submit(_ bytes: [UInt8]) throws {
        guard let handle else { return }
        let written = try bytes.withUnsafeBytes { bytes in
            var buffer = uv_buf_t(
                base: UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
                len: bytes.count)
            let status = uv_try_write(stream(handle), &buffer, 1)
            if status == UV_EAGAIN.rawValue { return 0 }
            if status < 0 { throw LoopError("write", status: status) }
            return Int(status)
        }
        guard written < bytes.count else { return }
        try bytes.withUnsafeBytes {
            try WriteRequest.start(stream(handle), UnsafeRawBufferPointer(rebasing: $0[written...]))
        }
    }

    /// Sends the first part along with its descriptor. False: the socket is full, the watcher will flush again.
    private func sendFirstPart(_ bytes: [UInt8], with descriptor: Int32) throws -> Bool {
        guard writableWatcher == nil, let socket = self.descriptor else { return false }
        var sent = reeve_send_descriptor(socket, bytes, bytes.count, descriptor)
        while sent < 0, errno == EINTR { sent = reeve_send_descriptor(socket, bytes, bytes.count, descriptor) }
        if sent < 0 {
            guard errno == EAGAIN || errno == EWOULDBLOCK else { throw LoopError("sendmsg", errorNumber: errno) }
            writableWatcher = try WritableWatcher(socket: socket) { [unowned self] in
                writableWatcher = nil
                flush()
            }
            return false
        }
        Foundation.close(descriptor)
        parts.removeFirst()
        partBytes -= bytes.count
        if sent < bytes.count { try submit(Array(bytes[sent...])) }
        return true
    }

    func didWrite(status: Int32) {
        guard handle != nil else { return }
        if status < 0 { return fail(LoopError("write", status: status)) }
        flush()
    }

    private func sendShutdown() throws {
        guard let handle else { return }
        shutdown = .sent
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let status = uv_shutdown(request, stream(handle)) { @Sendable request, _ in
            guard let request else { return }
            let data = request.pointee.handle.pointee.data
            request.deallocate()
            guard let data else { return }
            let connection = Unmanaged<PipeConnection>.fromOpaque(data).takeUnretainedValue()
            EventLoop.shared.enter { LoopActor.assumeIsolated { connection.didShutDown() } }
        }
        guard status == 0 else {
            request.deallocate()
            throw LoopError("shutdown", status: status)
        }
    }

    private func didShutDown() {
        shutdown = .done
        if drainTimer != nil { close() }
    }

    /// Looks whether what was queued is much, or too much. The connection fails with the next flush, not inside a write.
    private func checkHigh() {
        let queued = queuedBytes
        if queued > limits.maximum { isOverfull = true }
        if !isUnderPressure, queued > limits.high {
            isUnderPressure = true
            delegate?.connection(self, pressureDidChange: true)
        }
    }

    private func checkLow() {
        guard isUnderPressure, queuedBytes <= limits.low else { return }
        isUnderPressure = false
        delegate?.connection(self, pressureDidChange: false)
    }
}

// MARK: - Closing
extension PipeConnection {
    /// Closes now. What is queued is dropped, the delegate hears nothing more. Idempotent.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        outlet.close()
        isReading = false
        delegate = nil
        drainTimer?.close()
        drainTimer = nil
        writableWatcher?.close()
        writableWatcher = nil
        for case .some(let descriptor) in parts.map(\.descriptor) { Foundation.close(descriptor) }
        parts = []
        partBytes = 0
        gathered = []
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<PipeConnection>.fromOpaque(data).release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_pipe_t.self).deallocate()
        }
    }

    /// Sends what is queued, then closes; closes anyway after `deadline`. The delegate hears nothing more.
    package func close(drainingFor deadline: Duration) {
        guard handle != nil, drainTimer == nil else { return }
        pauseReading()
        delegate = nil
        let timer = LoopTimer { [unowned self] in close() }
        timer.start(after: deadline)
        drainTimer = timer
        switch shutdown {
        case .open:
            holdOutlet()
            shutdown = .wanted
            mark()
        case .wanted: mark()
        case .sent: break
        case .done: close()
        }
    }

    private func fail(_ error: LoopError) {
        guard handle != nil else { return }
        let delegate = delegate
        close()
        delegate?.connection(self, didFail: error)
    }
}
