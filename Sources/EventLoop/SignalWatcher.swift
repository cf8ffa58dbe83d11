import CUV

/// Calls back on the loop when the process gets a signal, which then has no other effect.
@LoopActor
package final class SignalWatcher {
    private var handle: UnsafeMutablePointer<uv_signal_t>?
    private let action: @LoopActor (Int32) -> Void

    /// Watches for `signal` (`SIGTERM`, `SIGINT`, `SIGHUP`, …) until `close()`.
    package init(_ signal: Int32, _ action: @escaping @LoopActor (Int32) -> Void) throws {
        self.action = action
        let handle = UnsafeMutablePointer<uv_signal_t>.allocate(capacity: 1)
        let initStatus = uv_signal_init(EventLoop.shared.uv, handle)
        guard initStatus == 0 else {
            handle.deallocate()
            throw LoopError("uv_signal_init", status: initStatus)
        }
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        let status = uv_signal_start(
            handle,
            { @Sendable handle, signal in
                guard let data = handle?.pointee.data else { return }
                let watcher = Unmanaged<SignalWatcher>.fromOpaque(data).takeUnretainedValue()
                EventLoop.shared.enter { LoopActor.assumeIsolated { watcher.action(signal) } }
            }, signal)
        guard status == 0 else {
            close()
            throw LoopError("uv_signal_start", status: status)
        }
    }

    /// Gives the signal its former effect back. The action isn't called any more.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        uv_signal_stop(handle)
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<SignalWatcher>.fromOpaque(data).release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_signal_t.self).deallocate()
        }
    }
}
