import Foundation

/// Notices that this process is a fork of the one that connected: its socket, threads and locks belong to the parent.
enum ForkGuard {
    private nonisolated(unsafe) static var forks: UInt32 = 0
    private static let isInstalled: Bool = {
        pthread_atfork(nil, nil) { @Sendable in ForkGuard.forks &+= 1 }
        return true
    }()

    /// Differs between a process and its forks.
    static var stamp: UInt32 {
        _ = isInstalled
        return forks
    }
}
