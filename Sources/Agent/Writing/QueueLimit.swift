import Wire

/// How much of a synced realm may wait for the server: a device that is offline for weeks must not fill its disk.
struct QueueLimit {
    let bytes: Int
    private var last = 0
    /// Transactions since `last` was the size.
    private var age = Self.patience
    /// So many transactions are begun without looking, while there is room for far more.
    private static let patience = 32

    init(bytes: Int) { self.bytes = bytes }

    /// Throws `queueFull` for the file at `path` if as much is waiting as may; `size` says how much that is.
    mutating func check(_ path: String, size: () throws -> Int) throws {
        age += 1
        guard age > Self.patience || last >= bytes / 2 else { return }
        last = try size()
        age = 0
        guard last >= bytes else { return }
        throw WireError(
            .queueFull,
            "\(last) bytes of changes in the realm at \(path) wait for the server, which is the limit; write on when some "
                + "have been uploaded",
            facts: ["path": .string(path), "bytes": .int64(Int64(last)), "limit": .int64(Int64(bytes))])
    }
}
