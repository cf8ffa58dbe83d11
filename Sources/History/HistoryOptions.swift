import Foundation

/// What a history takes from its surroundings.
package struct HistoryOptions: Sendable {
    /// The time now: milliseconds since 2015-01-01T00:00:00Z (C-154).
    package var now: @Sendable () -> UInt64 = { HistoryOptions.milliseconds(Date().timeIntervalSince1970) }
    /// A number from 1 to 2^63 − 1 that nobody can guess (P-83).
    package var salt: @Sendable () -> Int64 = { Int64.random(in: 1...Int64.max) }
    /// Milliseconds after which a client file that wasn't heard of has to be reset (P-136): 30 days.
    package var maximumOfflineTime: UInt64 = 30 * 24 * 3_600 * 1_000

    /// Milliseconds for which a server keeps changes as they were made, though all clients have them: one day. What is
    /// compacted is as old as its newest change when a client comes that has written before its first download.
    package var compactionAge: UInt64 = 24 * 3_600 * 1_000
    /// Bytes of changesets for which a server doesn't compact its history.
    package var compactionBytes: UInt64 = 1 << 20

    /// Rejections that a client file remembers.
    package var keptRejections = 1_000

    /// Hears of errors of a server realm that its clients are told nothing of.
    package var report: @Sendable (String) -> Void = { _ in }

    package init() {}

    /// Seconds since 1970 as timestamps of changesets count. 0 for a clock that stands before 2015.
    package static func milliseconds(_ seconds: TimeInterval) -> UInt64 {
        UInt64(max(0, seconds * 1_000 - TimeInterval(epoch)))
    }

    /// Where timestamps of changesets begin, in milliseconds since 1970.
    package static let epoch: Int64 = 1_420_070_400_000
}
