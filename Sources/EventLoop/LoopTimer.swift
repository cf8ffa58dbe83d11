import CUV

/// A one-shot or repeating timer of the loop. Create, use and close it on the loop.
@LoopActor
package final class LoopTimer {
    private var handle: UnsafeMutablePointer<uv_timer_t>?
    private let action: @LoopActor () -> Void

    /// A timer that calls `action` when due. It doesn't run before `start`.
    package init(_ action: @escaping @LoopActor () -> Void) {
        self.action = action
        let handle = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
        uv_timer_init(EventLoop.shared.uv, handle)
        self.handle = handle
        // The handle owns the object until it is closed, so no callback can meet a dead one.
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    /// Due in `delay` (milliseconds are the resolution, rounded up), then every `interval` if there is one.
    /// Starting anew replaces the earlier due time. No effect after `close()`.
    package func start(after delay: Duration, repeating interval: Duration? = nil) {
        guard let handle else { return }
        uv_update_time(EventLoop.shared.uv)
        uv_timer_start(
            handle,
            { @Sendable handle in
                guard let data = handle?.pointee.data else { return }
                let timer = Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue()
                EventLoop.shared.enter { LoopActor.assumeIsolated { timer.action() } }
            }, delay.wholeMilliseconds, interval.map { max(1, $0.wholeMilliseconds) } ?? 0)
    }

    /// Whether it is due some time.
    package var isActive: Bool {
        guard let handle else { return false }
        return uv_is_active(UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)) != 0
    }

    /// Not due any more; may be started again.
    package func cancel() {
        if let handle { uv_timer_stop(handle) }
    }

    /// Releases the handle. The action isn't called any more. A timer that is never closed is never freed.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<LoopTimer>.fromOpaque(data).release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_timer_t.self).deallocate()
        }
    }
}

extension Duration {
    /// Milliseconds, rounded up; 0 for negative durations.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return .max / 2 }
        return whole + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// `uv_close` for any kind of handle.
func closeHandle<Handle>(_ handle: UnsafeMutablePointer<Handle>, _ callback: @escaping uv_close_cb) {
    uv_close(UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self), callback)
}
