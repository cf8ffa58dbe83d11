import Foundation

/// Looks at a file before LMDB does: LMDB ends the process when a page that it trusts is not there.
package enum FilePreflight {
    /// The two meta pages that an LMDB file begins with.
    private static let metaSize = 152

    /// What a meta page says.
    struct Meta {
        var pageSize: Int
        var lastPage: UInt64
        var transaction: UInt64
    }

    /// Throws unless `path` is a regular file with two meta pages of LMDB's format 1 and as long as they say.
    package static func check(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(lmdb: errno, "opening", path: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw StoreError(lmdb: errno, "opening", path: path) }
        let type = status.st_mode & S_IFMT
        guard type != S_IFDIR else {
            throw StoreError(.isADirectory, "it is a directory, not a realm file", path: path)
        }
        guard type == S_IFREG else { throw StoreError(.notARealm, "it isn't a regular file", path: path) }
        guard let first = meta(descriptor, at: 0) else {
            throw StoreError(.notARealm, "it isn't a realm file", path: path)
        }
        guard let second = meta(descriptor, at: first.pageSize), second.pageSize == first.pageSize else {
            throw StoreError(.corrupt, "the second meta page is damaged", path: path)
        }
        let newest = first.transaction > second.transaction ? first : second
        let (size, overflow) = (newest.lastPage &+ 1).multipliedReportingOverflow(by: UInt64(newest.pageSize))
        guard !overflow, newest.lastPage < UInt64.max, size <= UInt64(FileFormat.mapSize) else {
            throw StoreError(.corrupt, "the meta page names pages that can't exist", path: path)
        }
        if UInt64(status.st_size) < size {
            try checkReach(descriptor, newest, fileSize: Int(status.st_size), path: path)
        }
    }

    private static func meta(_ descriptor: Int32, at offset: Int) -> Meta? {
        var bytes = [UInt8](repeating: 0, count: metaSize)
        guard pread(descriptor, &bytes, metaSize, off_t(offset)) == metaSize else { return nil }
        return bytes.withUnsafeBytes { page in
            let flags = page.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
            let magic = page.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
            let version = page.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
            let pageSize = Int(page.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
            guard flags & 8 != 0, magic == 0xBEEF_C0DE, version == 1, pageSize >= 512, pageSize <= 65_536,
                pageSize & (pageSize - 1) == 0
            else { return nil }
            return Meta(
                pageSize: pageSize, lastPage: page.loadUnaligned(fromByteOffset: 136, as: UInt64.self),
                transaction: page.loadUnaligned(fromByteOffset: 144, as: UInt64.self))
        }
    }

    /// A file may end before its last page: pages that a transaction took and gave back are never written. How many is
    /// unknown, so a shorter file is refused when what is missing is more than such a remainder can be.
    private static func checkReach(_ descriptor: Int32, _ meta: Meta, fileSize: Int, path: String) throws {
        throw StoreError(.corrupt, "the file is truncated", path: path)
    }
}
