import Merge

/// What a server has in memory to merge uploads of one client file.
struct MergerCache {
    var file: Int64
    var history = MergeHistory()
    /// Entries after this version are in it, but those of the file itself.
    var base: UInt64
    /// Up to this version.
    var through: UInt64
}
