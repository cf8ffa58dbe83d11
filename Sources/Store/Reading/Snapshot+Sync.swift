extension Snapshot {
    /// A record that `WriteTransaction.putSync` has put, in mapped memory.
    package func syncRecord(_ key: [UInt8]) -> UnsafeRawBufferPointer? {
        transaction.environment.databases.sync.flatMap { transaction.get($0, RecordKey(key)) }
    }

    /// Calls `body` with the records from one key up to, and without, another, in the order of their keys' bytes, until
    /// it returns false. What it is given is valid while the snapshot lives.
    package func eachSyncRecord(
        from: [UInt8], to: [UInt8],
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        guard let database = transaction.environment.databases.sync else { return }
        try transaction.withCursor(database) { cursor in
            var isThere = from.isEmpty ? cursor.first() : cursor.seek(RecordKey(from))
            while isThere, to.withUnsafeBytes({ cursor.key.order($0) == .less }), try body(cursor.key, cursor.value) {
                isThere = cursor.next()
            }
        }
    }

    /// The last record whose key is less than `key` and not less than `from`.
    package func lastSyncRecord(
        from: [UInt8], below key: [UInt8]
    ) throws -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
        guard let database = transaction.environment.databases.sync else { return nil }
        return try transaction.withCursor(database) { cursor in
            guard cursor.seek(before: RecordKey(key)), from.withUnsafeBytes({ cursor.key.order($0) != .less }) else {
                return nil
            }
            return (cursor.key, cursor.value)
        }
    }
}
