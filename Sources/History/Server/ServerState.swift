import Store

/// What a server realm keeps once.
struct ServerState: Hashable {
    /// The newest version of the history; 0 is the empty one (C-159).
    var version: UInt64 = 0
    /// The salt of that version; 0 for version 0 (P-83).
    var versionSalt: UInt64 = 0
    /// The first entry, of those in whose place the history was compacted; what was before is gone, and with it the files
    /// that still need it.
    var baseVersion: UInt64 = 0
    /// The ident that the next client file gets; 1 is the server's own.
    var nextIdent: UInt64 = 2
    /// Bytes of all changesets that ever were in the history.
    var totalBytes: UInt64 = 0
    /// How many these were when the history was last compacted, and how many of them it kept.
    var compactedAt: UInt64 = 0
    var compactedBytes: UInt64 = 0
    /// The last entry of those in whose place the history was compacted: who begins with data from elsewhere must have
    /// all of them.
    var compactedThrough: UInt64 = 0

    private static let kind: UInt32 = 0x5352_5601

    init() {}

    /// Nil if the realm has none yet.
    init?(_ snapshot: Snapshot) throws {
        guard let bytes = snapshot.syncRecord(HistoryKey.state) else { return nil }
        var reader = RecordReader(bytes)
        guard try reader.number() == ServerState.kind else { throw HistoryError.notThisKind("one of a sync server") }
        version = try reader.number()
        versionSalt = try reader.number()
        baseVersion = try reader.number()
        nextIdent = try reader.number()
        totalBytes = try reader.number()
        // Earlier servers never compacted.
        guard !reader.isAtEnd else { return }
        compactedAt = try reader.number()
        compactedBytes = try reader.number()
        compactedThrough = try reader.isAtEnd ? baseVersion : reader.number()
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(ServerState.kind)
        for number in [
            version, versionSalt, baseVersion, nextIdent, totalBytes, compactedAt, compactedBytes, compactedThrough
        ] { writer.append(number) }
        return writer.bytes
    }
}
