import Merge
import Model
import Store

/// What a history is replaced by up to a version: the objects as they were then, in a few changesets.
///
/// Whoever comes with nothing downloads these in place of all that ever happened; nobody else is sent them, since whoever
/// is not yet beyond the version holds the compaction back.
struct HistoryCompaction {
    /// The last entry that is replaced.
    let last: (version: UInt64, record: EntryRecord)
    /// Bytes of the entries that are replaced.
    private(set) var bytesBefore: UInt64 = 0
    /// The changesets in their place.
    private(set) var changesets: [[UInt8]] = []

    /// Changesets begin anew after so many bytes, so that a download can be taken in parts.
    static let changesetBytes = 128 << 10

    /// Makes the objects anew from the history up to an entry, in realms in memory.
    init(
        _ snapshot: Snapshot, through last: (version: UInt64, record: EntryRecord), _ options: RealmFileOptions,
        path: String
    )
        throws
    {
        self.last = last
        let scratch = try HistoryCompaction.scratch(path + ".compaction", options)
        defer { try? scratch.close() }
        let transaction = try scratch.beginWrite()
        do {
            try snapshot.eachSyncRecord(
                from: HistoryKey.entry(0), to: HistoryKey.entry(last.version + 1)
            ) { _, value in
                let record = try EntryRecord(value)
                bytesBefore += UInt64(record.changeset.count)
                try record.changeset.withUnsafeBytes { try transaction.apply($0) }
                // The next one is a stream of its own.
                try transaction.seal(uid: nil)
                return true
            }
            try transaction.commitSealed()
        } catch {
            transaction.rollback()
            throw error
        }
        let empty = try HistoryCompaction.scratch(path + ".empty", options)
        defer { try? empty.close() }
        try describe(scratch.snapshot(), from: empty.snapshot(), atMost: last.version)
    }

    private static func scratch(_ path: String, _ options: RealmFileOptions) throws -> RealmFile {
        var options = options
        options.inMemory = true
        options.create = true
        return try RealmFile(path: path, options: options)
    }

    /// - Parameter count: versions that the changesets can have.
    private mutating func describe(_ state: Snapshot, from empty: Snapshot, atMost count: UInt64) throws {
        var writer = ChangesetWriter(layout: .stringsFirst)
        var finished: [[UInt8]] = []
        try StateTransfer(from: state, to: empty) { instruction in
            if writer.count >= HistoryCompaction.changesetBytes, finished.count + 1 < count {
                finished.append(writer.finished())
                writer.removeAll(keepingStrings: false)
            }
            try writer.check(instruction, place: 0)
            writer.append(instruction)
        }.run()
        let rest = writer.finished()
        // An empty history has its newest version still.
        changesets = finished + (rest.isEmpty && !finished.isEmpty ? [] : [rest])
    }

    var bytesAfter: UInt64 { changesets.reduce(0) { $0 + UInt64($1.count) } }

    /// That of the first entry in their place.
    var firstVersion: UInt64 { last.version + 1 - UInt64(changesets.count) }

    /// The entries in the place of those that are replaced, with their versions: the last of them is that of the last of
    /// those, so that clients which know its salt find it (P-83).
    var entries: [(version: UInt64, record: EntryRecord)] {
        let first = firstVersion
        // What is counted before them is what they are shorter by.
        var totalBytes = last.record.totalBytes - min(last.record.totalBytes, bytesAfter)
        return changesets.enumerated().map { place, changeset in
            totalBytes += UInt64(changeset.count)
            let record = EntryRecord(
                rank: Rank(originTimestamp: last.record.rank.originTimestamp, originFileIdent: ClientHistory.server),
                remoteVersion: 0, salt: last.record.salt, totalBytes: totalBytes, changeset: changeset)
            return (first + UInt64(place), record)
        }
    }
}
