import Sync

/// Counters of the sync endpoint since it began.
package struct SyncMetrics: Hashable, Sendable {
    package var acceptedConnections = 0
    package var refusedConnections = 0
    package var messagesIn = 0
    package var messagesOut = 0
    package var bytesIn = 0
    package var bytesOut = 0
    /// Changesets handed to realms, those that were integrated before included.
    package var changesets = 0
    /// Errors that ended sessions or connections, by code.
    package var failures: [Int: Int] = [:]
    /// Clients that couldn't integrate what they were sent (P-62).
    package var clientFailures = 0
    /// Answers of a history that would have broken a client.
    package var historyFaults = 0

    mutating func count(_ uploads: [ClientMessage.Upload]) {
        for upload in uploads { changesets += upload.entries.count }
    }
}
