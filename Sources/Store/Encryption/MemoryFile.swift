import CPlatform
import Foundation

/// A file that is nowhere but in memory, for as long as somebody holds a descriptor or a mapping of it.
final class MemoryFile: Sendable {
    let descriptor: Int32
    /// Leads to it, in this process and while this object lives.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// `name` shows in `/proc`; `realm` is what errors are about.
    init(_ name: String, of realm: String) throws {
        descriptor = reeve_memory_file(name)
        guard descriptor >= 0 else { throw StoreError(lmdb: errno, "making room in memory", path: realm) }
        guard reeve_forbid_shrinking(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            throw StoreError(lmdb: code, "making room in memory", path: realm)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Nobody may open it for writing any more, whoever gets a descriptor for reading.
    func protect() {
        _ = fchmod(descriptor, 0o400)
    }

    /// Calls `body` with the file's first `size` bytes in memory, to be filled.
    func fill(_ size: Int, of realm: String, _ body: (UnsafeMutableRawPointer) throws -> Void) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else {
            throw StoreError(lmdb: errno, "making room in memory", path: realm)
        }
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else {
            throw StoreError(lmdb: errno, "making room in memory", path: realm)
        }
        defer { munmap(start, size) }
        _ = reeve_exclude_from_cores(start, size)
        try body(start)
    }
}

/// LMDB wants names for its file and its reader table, the second being that of the first and `-lock`: gives both to
/// files in memory for as long as LMDB opens them.
enum MemoryFileNames {
    static func with<R>(
        data: MemoryFile, table: MemoryFile, of realm: String, _ body: (String) throws -> R
    ) throws -> R {
        var template = Array((NSTemporaryDirectory() as NSString).appendingPathComponent("reeve-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw StoreError(lmdb: errno, "making a temporary directory", path: realm)
        }
        let directory = String(cString: made)
        let path = directory + "/data"
        defer {
            unlink(path)
            unlink(path + "-lock")
            rmdir(directory)
        }
        guard symlink(data.path, path) == 0, symlink(table.path, path + "-lock") == 0 else {
            throw StoreError(lmdb: errno, "naming memory", path: realm)
        }
        return try body(path)
    }
}
