import Model

/// A changeset as one entry of a node's own history (M-1).
public struct HistoryEntry: Sendable {
    /// The node's version that the changeset made: each entry's is higher than the one's before it.
    public var version: UInt64
    /// Commit time and file of the untransformed changeset.
    public var rank: Rank
    /// File ident of the peer that it came from (on a client, the server's: 1); nil if it was made here. Entries from a
    /// peer are no part of merges with that peer (M-6).
    public var receivedFrom: UInt64?
    /// As applied here; empty ones need not be kept.
    public var instructions: [Instruction]

    public init(version: UInt64, rank: Rank, receivedFrom: UInt64? = nil, instructions: [Instruction]) {
        self.version = version
        self.rank = rank
        self.receivedFrom = receivedFrom
        self.instructions = instructions
    }
}

/// A changeset from a peer, not yet merged.
public struct RemoteChangeset: Sendable {
    /// The version under which the peer keeps it (C-154).
    public var remoteVersion: UInt64
    /// The last version of *this* node's history that the peer had integrated before it (M-4).
    public var lastIntegratedVersion: UInt64
    /// Commit time and file where it was made. An upload says file ident 0 for the uploading file's own; here it is the
    /// real one (C-157).
    public var rank: Rank
    public var instructions: [Instruction]

    public init(remoteVersion: UInt64, lastIntegratedVersion: UInt64, rank: Rank, instructions: [Instruction]) {
        self.remoteVersion = remoteVersion
        self.lastIntegratedVersion = lastIntegratedVersion
        self.rank = rank
        self.instructions = instructions
    }
}
