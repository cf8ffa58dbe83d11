import Foundation

/// How a realm file is opened for writing.
package struct RealmFileOptions: Sendable {
    /// Make the file if there is none.
    package var create = true
    /// Nothing survives: the file is made anew, never synced, and removed when it is closed.
    package var inMemory = false
    /// Encrypts the file, which must be new or encrypted with the same key.
    package var key: RealmKey?
    /// Objects of asymmetric classes stay in the file, as on a sync server. Elsewhere they are on their way there, and go
    /// from the file with the transaction that makes them: only its changeset has them (F-65).
    package var keepsAsymmetricObjects = false
    /// Address space that is reserved for the file at first.
    package var smallestMap = FileFormat.smallestMap
    /// Transactions with more bytes of changes aren't journaled; a checkpoint makes them durable.
    package var largestJournaledChange = 256 << 10
    /// Bytes written to the file since the last checkpoint that call for another.
    package var checkpointFileBytes = 16 << 20
    /// Bytes in the journal that call for a checkpoint.
    package var checkpointJournalBytes = 8 << 20
    /// Versions for which change summaries, and the uids of their transactions, are kept.
    package var changeHistoryLimit = FileFormat.changeHistoryLimit
    /// Pages of them beyond which the summaries are dropped earlier, unless a pinned snapshot wants them. The uids stay.
    package var changeHistoryPages = 4_096
    /// Identity of this boot of the machine; the page cache doesn't survive its change.
    package var bootId = RealmFileOptions.currentBootId
    /// Brings what was written to the file of a descriptor to disk; 0, or -1 and `errno`.
    package var syncFile: @Sendable (Int32) -> Int32 = { fdatasync($0) }

    package init() {}

    /// The kernel's identity of this boot; empty when it can't be told, which counts as another boot each time.
    package static let currentBootId: String = {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    }()
}
