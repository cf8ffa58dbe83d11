import CLMDB

/// A transaction that is read from: one of its own, or an open write transaction that somebody else ends.
///
/// May be used by several threads at once, since looking something up changes nothing in LMDB once every database's
/// root is known, which `init` sees to.
final class ReadTransaction: @unchecked Sendable {
    let pointer: OpaquePointer
    let environment: Environment
    let ownsTransaction: Bool

    init(pointer: OpaquePointer, environment: Environment, ownsTransaction: Bool) {
        self.pointer = pointer
        self.environment = environment
        self.ownsTransaction = ownsTransaction
        if ownsTransaction { environment.readCount.add(1, ordering: .relaxed) }
        let databases = environment.databases
        for database in [
            databases.meta, databases.objects, databases.keys, databases.index, databases.backlinks, databases.lists,
            databases.blobs, databases.changes, databases.sync
        ] {
            guard let database else { continue }
            var statistics = MDB_stat()
            mdb_stat(pointer, database, &statistics)
        }
    }

    deinit {
        guard ownsTransaction else { return }
        mdb_txn_abort(pointer)
        environment.readCount.subtract(1, ordering: .relaxed)
    }

    /// The value of a record, in mapped memory.
    func get(_ database: MDB_dbi, _ key: RecordKey) -> UnsafeRawBufferPointer? {
        key.withUnsafeBytes { bytes in
            var name = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            var value = MDB_val()
            guard mdb_get(pointer, database, &name, &value) == 0 else { return nil }
            return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
        }
    }

    /// Runs `body` with a cursor on a database.
    func withCursor<R>(_ database: MDB_dbi, _ body: (inout ReadCursor) throws -> R) throws -> R {
        var cursor: OpaquePointer?
        let code = mdb_cursor_open(pointer, database, &cursor)
        guard code == 0, let cursor else { throw StoreError(lmdb: code, "opening a cursor", path: environment.path) }
        defer { mdb_cursor_close(cursor) }
        var reader = ReadCursor(cursor)
        return try body(&reader)
    }
}

/// A position in a database.
struct ReadCursor {
    private let pointer: OpaquePointer
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What LMDB said instead of moving, if it was more than that there is no such record.
    private(set) var failure: Int32?

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Goes to the first record whose key isn't less.
    mutating func seek(_ key: RecordKey) -> Bool {
        key.withUnsafeBytes { bytes in
            var name = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return move(MDB_SET_RANGE, &name)
        }
    }

    mutating func next() -> Bool { move(MDB_NEXT) }
    mutating func previous() -> Bool { move(MDB_PREV) }
    mutating func first() -> Bool { move(MDB_FIRST) }
    mutating func last() -> Bool { move(MDB_LAST) }

    /// Goes to the last record whose key is less.
    mutating func seek(before key: RecordKey) -> Bool {
        seek(key) ? previous() : last()
    }

    /// Whether the current key begins with the bytes of `prefix`.
    func hasPrefix(_ prefix: RecordKey) -> Bool {
        prefix.withUnsafeBytes { $0.count <= key.count && key.prefix($0.count).elementsEqual($0) }
    }

    private mutating func move(_ operation: MDB_cursor_op) -> Bool {
        var name = MDB_val()
        return move(operation, &name)
    }

    private mutating func move(_ operation: MDB_cursor_op, _ name: inout MDB_val) -> Bool {
        var data = MDB_val()
        let code = mdb_cursor_get(pointer, &name, &data, operation)
        guard code == 0 else {
            if code != MDB_NOTFOUND { failure = code }
            return false
        }
        key = UnsafeRawBufferPointer(start: name.mv_data, count: name.mv_size)
        value = UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
        return true
    }
}
