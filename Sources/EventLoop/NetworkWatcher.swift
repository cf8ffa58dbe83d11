import CPlatform
import CUV
import Foundation

/// Calls back on the loop when an address or a route of the machine has come up, or when the machine has been asleep: what
/// couldn't connect may try again, and what is connected may not be any more.
///
/// One call for all that happens within a moment, since a network that comes up brings several addresses and routes.
@LoopActor
package final class NetworkWatcher {
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    private let descriptor: Int32
    private let reads: @Sendable (Int32) -> Int32
    private let action: @LoopActor () -> Void
    /// Runs while the action is due.
    private var timer: LoopTimer?
    /// How long it waits for more to come.
    package static let moment = Duration.milliseconds(200)

    /// Watches addresses and routes until `close()`; nil if the system can't tell.
    package convenience init?(_ action: @escaping @LoopActor () -> Void) {
        self.init(adopting: reeve_network_open(), { reeve_network_read($0) }, action)
    }

    /// Watches until `close()` for the end of sleep, which is also seen when the clock is set; nil if the system can't tell.
    package static func awaking(_ action: @escaping @LoopActor () -> Void) -> NetworkWatcher? {
        NetworkWatcher(adopting: reeve_wake_open(), { reeve_wake_read($0) }, action)
    }

    /// Takes over a descriptor of the kernel's, which `reads` empties: 1 if something has happened, 0 if not, else it fails.
    private init?(
        adopting descriptor: Int32, _ reads: @escaping @Sendable (Int32) -> Int32,
        _ action: @escaping @LoopActor () -> Void
    ) {
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.reads = reads
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
        switch reads(descriptor) {
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
