import CLMDB
import Foundation

/// The named databases inside one open write transaction.
///
/// Unsafe: what `get` and the cursors return is valid only until the next write, and nothing here may be used after
/// the transaction ended.
final class UnsafeRecordStore {
    let transaction: OpaquePointer
    let databases: Databases
    let path: String
    private var cursors: [MDB_dbi: UnsafeWriteCursor] = [:]

    init(_ transaction: OpaquePointer, _ databases: Databases, path: String) {
        self.transaction = transaction
        self.databases = databases
        self.path = path
    }

    func get(_ database: MDB_dbi, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var name = MDB_val(key)
        var value = MDB_val()
        guard mdb_get(transaction, database, &name, &value) == 0 else { return nil }
        return UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }

    func get(_ database: MDB_dbi, _ key: RecordKey) -> UnsafeRawBufferPointer? {
        key.withUnsafeBytes { get(database, $0) }
    }

    func put(_ database: MDB_dbi, _ key: RecordKey, _ value: UnsafeRawBufferPointer) throws {
        try key.withUnsafeBytes { bytes in
            var name = MDB_val(bytes)
            var data = MDB_val(value)
            try check(mdb_put(transaction, database, &name, &data, 0), "writing")
        }
    }

    func put(_ database: MDB_dbi, _ key: RecordKey, _ value: [UInt8]) throws {
        try value.withUnsafeBytes { try put(database, key, $0) }
    }

    /// Puts a record of `size` bytes that `fill` writes.
    func put(
        _ database: MDB_dbi, _ key: RecordKey, size: Int, fill: (UnsafeMutableRawPointer) -> Void
    ) throws {
        try key.withUnsafeBytes { bytes in
            var name = MDB_val(bytes)
            var data = MDB_val(mv_size: size, mv_data: nil)
            try check(mdb_put(transaction, database, &name, &data, UInt32(MDB_RESERVE)), "writing")
            if let start = data.mv_data { fill(start) }
        }
    }

    /// - Returns: whether the record was there.
    @discardableResult
    func delete(_ database: MDB_dbi, _ key: RecordKey) throws -> Bool {
        try key.withUnsafeBytes { bytes in
            var name = MDB_val(bytes)
            let code = mdb_del(transaction, database, &name, nil)
            if code == MDB_NOTFOUND { return false }
            try check(code, "deleting")
            return true
        }
    }

    /// Deletes all records whose key begins with `prefix`.
    func deleteAll(_ database: MDB_dbi, prefix: RecordKey) throws {
        let cursor = try cursor(database)
        while try prefix.withUnsafeBytes({ try cursor.seek($0) }), cursor.hasPrefix(prefix) {
            try cursor.delete()
        }
    }

    /// The transaction's cursor on a database. There is one: whoever asks again moves it.
    func cursor(_ database: MDB_dbi) throws -> UnsafeWriteCursor {
        if let cursor = cursors[database] { return cursor }
        let cursor = try UnsafeWriteCursor(transaction, database, path: path)
        cursors[database] = cursor
        return cursor
    }

    /// Closes the cursors; they must not outlive the transaction.
    func closeCursors() {
        for cursor in cursors.values { cursor.close() }
        cursors = [:]
    }

    private func check(_ code: Int32, _ doing: String) throws {
        guard code == 0 else { throw StoreError(lmdb: code, doing, path: path, in: transaction) }
    }
}

/// A position in a database of a write transaction.
final class UnsafeWriteCursor {
    private var pointer: OpaquePointer?
    private let path: String
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    fileprivate init(_ transaction: OpaquePointer, _ database: MDB_dbi, path: String) throws {
        self.path = path
        var pointer: OpaquePointer?
        let code = mdb_cursor_open(transaction, database, &pointer)
        guard code == 0 else { throw StoreError(lmdb: code, "opening a cursor", path: path) }
        self.pointer = pointer
    }

    fileprivate func close() {
        if let pointer { mdb_cursor_close(pointer) }
        pointer = nil
    }

    /// Goes to the first record whose key isn't less.
    func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
        var name = MDB_val(key)
        return try move(MDB_SET_RANGE, &name)
    }

    func seek(_ key: RecordKey) throws -> Bool {
        try key.withUnsafeBytes { try seek($0) }
    }

    func next() throws -> Bool { try move(MDB_NEXT) }
    func previous() throws -> Bool { try move(MDB_PREV) }
    func first() throws -> Bool { try move(MDB_FIRST) }
    func last() throws -> Bool { try move(MDB_LAST) }

    /// Goes to the last record whose key is less.
    func seek(before key: RecordKey) throws -> Bool {
        try seek(key) ? try previous() : try last()
    }

    func hasPrefix(_ prefix: RecordKey) -> Bool {
        prefix.withUnsafeBytes { prefix in
            guard prefix.count <= key.count, let mine = key.baseAddress, let theirs = prefix.baseAddress else {
                return false
            }
            return memcmp(mine, theirs, prefix.count) == 0
        }
    }

    /// Deletes the record it is at.
    func delete() throws {
        try check(mdb_cursor_del(pointer, 0), "deleting")
    }

    /// Puts a record. `appending`: its key is greater than all keys of the database.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, appending: Bool) throws {
        var name = MDB_val(key)
        var data = MDB_val(value)
        try check(mdb_cursor_put(pointer, &name, &data, appending ? UInt32(MDB_APPEND) : 0), "writing")
    }

    private func move(_ operation: MDB_cursor_op) throws -> Bool {
        var name = MDB_val()
        return try move(operation, &name)
    }

    private func move(_ operation: MDB_cursor_op, _ name: inout MDB_val) throws -> Bool {
        var data = MDB_val()
        let code = mdb_cursor_get(pointer, &name, &data, operation)
        if code == MDB_NOTFOUND { return false }
        try check(code, "reading")
        key = UnsafeRawBufferPointer(start: name.mv_data, count: name.mv_size)
        value = UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size)
        return true
    }

    private func check(_ code: Int32, _ doing: String) throws {
        guard code == 0 else {
            throw StoreError(lmdb: code, doing, path: path, in: pointer.flatMap { mdb_cursor_txn($0) })
        }
    }
}

extension MDB_val {
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
