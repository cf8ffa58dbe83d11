import CLMDB
import CPlatform
import Foundation

/// Keeps the process alive when pages of a mapped file vanish, because somebody made it shorter or its disk fails: they
/// read as zeros, and whoever asks is told that they do.
package final class MappingGuard: Sendable {
    private let number: Int32

    init(_ mapping: MappedMemory) {
        number = reeve_guard_memory(mapping.start, mapping.size)
    }

    deinit {
        reeve_unguard_memory(number)
    }

    var isIntact: Bool { reeve_missing_pages(number) == 0 }
}

/// Where an environment has its file in memory.
struct MappedMemory {
    let start: UnsafeMutableRawPointer
    let size: Int

    /// Nil if it can't be told: LMDB gives no address but those of values, in pages that bear their numbers.
    init?(of environment: OpaquePointer) {
        var statistics = MDB_stat()
        mdb_env_stat(environment, &statistics)
        let pageSize = Int(statistics.ms_psize)
        var transaction: OpaquePointer?
        // LMDB's pages are in memory aligned as they are in the file only if its pages are the system's.
        guard pageSize == sysconf(Int32(_SC_PAGESIZE)),
            mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0, let transaction
        else { return nil }
        defer { mdb_txn_abort(transaction) }
        var main: MDB_dbi = 0
        var cursor: OpaquePointer?
        guard mdb_dbi_open(transaction, nil, 0, &main) == 0, mdb_cursor_open(transaction, main, &cursor) == 0,
            let cursor
        else { return nil }
        defer { mdb_cursor_close(cursor) }
        var key = MDB_val()
        var value = MDB_val()
        guard mdb_cursor_get(cursor, &key, &value, MDB_FIRST) == 0, let data = value.mv_data,
            let page = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: data) & ~UInt(pageSize - 1))
        else { return nil }
        let number = page.loadUnaligned(as: UInt64.self)
        size = environment.mapSize
        guard number < UInt64(size / pageSize) else { return nil }
        start = page - Int(number) * pageSize
    }

    /// A core dump of this process doesn't have what the file holds.
    func excludeFromCores() {
        _ = reeve_exclude_from_cores(start, size)
    }
}

extension OpaquePointer {
    /// Of an open LMDB environment: the address space that it has reserved.
    var mapSize: Int {
        var information = MDB_envinfo()
        mdb_env_info(self, &information)
        return information.me_mapsize
    }
}
