/// The place of a changeset in the order that settles conflicts: the higher rank is *newer*, and newer wins (M-12).
///
/// It belongs to the changeset: the same on every node, and unchanged by merging (M-13).
public struct Rank: Hashable, Sendable {
    /// When the untransformed changeset was committed: milliseconds since 2015-01-01T00:00:00Z (C-154).
    public var originTimestamp: UInt64
    /// The file it was made in. Never 0: a node's own changesets are ranked with its own file ident.
    public var originFileIdent: UInt64

    public init(originTimestamp: UInt64, originFileIdent: UInt64) {
        self.originTimestamp = originTimestamp
        self.originFileIdent = originFileIdent
    }
}

extension Rank: Comparable {
    public static func < (a: Rank, b: Rank) -> Bool {
        a.originTimestamp != b.originTimestamp
            ? a.originTimestamp < b.originTimestamp : a.originFileIdent < b.originFileIdent
    }
}
