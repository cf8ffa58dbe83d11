import CPlatform
import CUV
import Foundation

/// Calls back on the loop when an address or a route of the machine has come up: what couldn't connect may try again.
///
/// One call for all that happens within a moment, since a network that comes up brings several of both.
@LoopActor
package final class NetworkWatcher {
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private let descriptor: Int32
    private let action: @LoopActor () -> Void
    /// Runs while the action is due.
    private var timer: LoopTimer?
    /// How long it waits for more to come.
    package static let moment = Duration.milliseconds(200)

    /// Watches until `close()`; nil if the system can't tell.
    package convenience init?(_ action: @escaping @LoopActor () -> Void) {
        let descriptor = reeve_network_open()
        guard descriptor >= 0 else { return nil }
        self.init(adopting: descriptor, action)
    }

    /// Takes over a socket of the kernel's.
    private init?(adopting descriptor: Int32, _ action: @escaping @LoopActor () -> Void) {
        self.descriptor = descriptor
        self.action = action
        let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
        guard uv_poll_init(EventLoop.shared.uv, handle, descriptor) == 0 else {
            handle.deallocate()
            Foundation.close(descriptor)
            return nil
        }
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        let status = uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { @Sendable handle, _, _ in
            guard let data = handle?.pointee.data else { return }
            let watcher = Unmanaged<NetworkWatcher>.fromOpaque(data).takeUnretainedValue()
            EventLoop.shared.enter { LoopActor.assumeIsolated { watcher.read() } }
        }
        guard status == 0 else {
            close()
            return nil
        }
    }

    private func read() {
        guard handle != nil else { return }
        switch reeve_network_read(descriptor) {
        case 0: break
        // The first of several calls: it isn't put off by those that follow.
        case 1: if timer == nil { arm() }
        // A socket that fails would call for ever.
        default: close()
        }
    }

    private func arm() {
        let timer = LoopTimer { [unowned self] in
            self.timer?.close()
            self.timer = nil
            action()
        }
        self.timer = timer
        timer.start(after: Self.moment)
    }

    /// Stops watching. The action isn't called any more.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        timer?.close()
        timer = nil
        uv_poll_stop(handle)
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            let watcher = Unmanaged<NetworkWatcher>.fromOpaque(data).takeRetainedValue()
            Foundation.close(watcher.descriptor)
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_poll_t.self).deallocate()
        }
    }
}
