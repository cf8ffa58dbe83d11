import CUV
import Foundation

/// Bytes of a connection's queue that go out in one piece, perhaps with a descriptor.
struct OutgoingPart {
    var bytes: [UInt8]
    var descriptor: Int32?
}

/// A `uv_write` of bytes of its own. The stream's `data` is the connection.
enum WriteRequest {
    static func start(_ stream: UnsafeMutablePointer<uv_stream_t>, _ bytes: UnsafeRawBufferPointer) throws {
        let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        request.pointee.data = copy.baseAddress
        var buffer = uv_buf_t(base: copy.baseAddress?.assumingMemoryBound(to: CChar.self), len: copy.count)
        let status = uv_write(request, stream, &buffer, 1) { @Sendable request, status in
            guard let request else { return }
            let owner = request.pointee.handle.pointee.data
            request.pointee.data.deallocate()
            request.deallocate()
            guard let owner else { return }
            let connection = Unmanaged<PipeConnection>.fromOpaque(owner).takeUnretainedValue()
            EventLoop.shared.enter { LoopActor.assumeIsolated { connection.didWrite(status: status) } }
        }
        guard status == 0 else {
            copy.deallocate()
            request.deallocate()
            throw LoopError("write", status: status)
        }
    }
}

/// Tells once that a socket can be written to. libuv watches a descriptor only once, hence the duplicate.
@LoopActor
final class WritableWatcher {
    private let descriptor: Int32
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private let action: @LoopActor () -> Void

    init(socket: Int32, _ action: @escaping @LoopActor () -> Void) throws {
        self.action = action
        descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw LoopError("dup", errorNumber: errno) }
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        let initStatus = uv_poll_init(EventLoop.shared.uv, handle, descriptor)
        guard initStatus == 0 else {
            handle.deallocate()
            Foundation.close(descriptor)
            throw LoopError("uv_poll_init", status: initStatus)
        }
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        uv_poll_start(handle, Int32(UV_WRITABLE.rawValue)) { @Sendable handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            let watcher = Unmanaged<WritableWatcher>.fromOpaque(data).takeUnretainedValue()
            EventLoop.shared.enter {
                LoopActor.assumeIsolated {
                    watcher.close()
                    watcher.action()
                }
            }
        }
    }

    func close() {
        guard let handle else { return }
        self.handle = nil
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            let watcher = Unmanaged<WritableWatcher>.fromOpaque(data)
            Foundation.close(watcher.takeUnretainedValue().descriptor)
            watcher.release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self).deallocate()
        }
    }
}
