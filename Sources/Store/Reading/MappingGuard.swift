import CPlatform
import Foundation

/// Keeps the process alive when pages of a mapped file vanish, because somebody made it shorter or its disk fails: they
/// read as zeros, and whoever asks is told that they do.
package final class MappingGuard: Sendable {
    private let number: Int32

    /// Guards the mapping of an LMDB file. `value` lies in a leaf of it; nil if it can't be told where the mapping begins.
    ///
    /// Unsafe: `value` must be what LMDB returned inside a transaction that only reads.
    init?(unsafeAround value: UnsafeRawPointer, pageSize: Int) {
        // LMDB's pages are then aligned in memory as they are in the file.
        guard pageSize == sysconf(Int32(_SC_PAGESIZE)) else { return nil }
        let page = UnsafeRawPointer(bitPattern: UInt(bitPattern: value) & ~UInt(pageSize - 1))
        guard let page else { return nil }
        let number = page.loadUnaligned(as: UInt64.self)
        guard number < UInt64(FileFormat.mapSize / pageSize) else { return nil }
        self.number = reeve_guard_memory(page - Int(number) * pageSize, FileFormat.mapSize)
    }

    deinit {
        reeve_unguard_memory(number)
    }

    var isIntact: Bool { reeve_missing_pages(number) == 0 }
}
