import CLMDB

/// Which pages of an LMDB file a version uses.
struct PageSet: Equatable {
    /// A byte for each page, 1 if it is used.
    private(set) var flags: [UInt8]

    var count: Int { flags.count }

    init(_ flags: [UInt8]) {
        self.flags = flags
    }

    subscript(_ page: Int) -> Bool { page < flags.count && flags[page] != 0 }

    /// All but the meta pages and those that LMDB's list of free pages names. The transaction reads the version whose
    /// meta page is `meta`.
    init(_ environment: Environment, _ transaction: OpaquePointer, meta: [UInt8]) throws {
        let count = MetaPage.pageCount(meta)
        flags = [UInt8](repeating: 1, count: count)
        for page in 0..<min(2, count) { flags[page] = 0 }
        var cursor: OpaquePointer?
        // Database 0 is that list: each record is a number of pages and as many page numbers.
        guard mdb_cursor_open(transaction, 0, &cursor) == 0, let cursor else {
            throw StoreError(.inputOutput, "the list of free pages can't be read", path: environment.path)
        }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while code == 0 {
            if let data = value.mv_data, value.mv_size >= 8 {
                let named = min(Int(data.loadUnaligned(as: UInt.self)), value.mv_size / 8 - 1)
                for index in 0..<named {
                    let page = data.loadUnaligned(fromByteOffset: 8 * (index + 1), as: UInt.self)
                    if page < UInt(count) { flags[Int(page)] = 0 }
                }
            }
            code = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard code == MDB_NOTFOUND else { throw StoreError(lmdb: code, "reading", path: environment.path) }
    }
}

extension MetaPage {
    /// Pages of the file that a meta page speaks of.
    static func pageCount(_ meta: [UInt8]) -> Int {
        let last = meta.withUnsafeBytes { $0.count >= 144 ? $0.loadUnaligned(fromByteOffset: 136, as: UInt64.self) : 0 }
        return Int(min(last, UInt64(FileFormat.largestFile))) + 1
    }
}
