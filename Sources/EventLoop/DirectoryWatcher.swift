import CUV

/// Calls back on the loop when an entry of a directory comes, goes or is renamed, or the directory itself does
/// (inotify: no polling). Events may be merged or superfluous: look for yourself.
@LoopActor
package final class DirectoryWatcher {
    private var handle: UnsafeMutablePointer<uv_fs_event_t>?
    private let action: @LoopActor () -> Void

    /// Watches until `close()`; nil if the system has no watches left or there is no such directory.
    package init?(_ path: String, _ action: @escaping @LoopActor () -> Void) {
        self.action = action
        let handle = UnsafeMutablePointer<uv_fs_event_t>.allocate(capacity: 1)
        guard uv_fs_event_init(EventLoop.shared.uv, handle) == 0 else {
            handle.deallocate()
            return nil
        }
        handle.pointee.data = Unmanaged.passRetained(self).toOpaque()
        self.handle = handle
        let status = uv_fs_event_start(
            handle,
            { @Sendable handle, _, events, _ in
                // Changes of files' contents are nobody's business here.
                guard let data = handle?.pointee.data, events & Int32(UV_RENAME.rawValue) != 0 else { return }
                let watcher = Unmanaged<DirectoryWatcher>.fromOpaque(data).takeUnretainedValue()
                EventLoop.shared.enter { LoopActor.assumeIsolated { watcher.action() } }
            }, path, 0)
        guard status == 0 else {
            close()
            return nil
        }
    }

    /// Stops watching. The action isn't called any more.
    package func close() {
        guard let handle else { return }
        self.handle = nil
        uv_fs_event_stop(handle)
        closeHandle(handle) { @Sendable handle in
            guard let data = handle?.pointee.data else { return }
            Unmanaged<DirectoryWatcher>.fromOpaque(data).release()
            UnsafeMutableRawPointer(handle)?.assumingMemoryBound(to: uv_fs_event_t.self).deallocate()
        }
    }
}
