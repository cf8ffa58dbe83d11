import Foundation

/// Looks at a file before LMDB does: LMDB ends the process when a page that it trusts is not there.
package enum FilePreflight {
    /// Bytes of a meta page that are used.
    private static let metaSize = MetaPage.usedSize

    /// What a meta page says.
    struct Meta {
        var pageSize: Int
        var lastPage: UInt64
        var transaction: UInt64
        var bytes: [UInt8]
    }

    /// Files up to this size are looked at as a whole before they are opened only for reading.
    package static let smallFile = 64 << 20

    /// A file that is being written may change between two looks at it.
    private static let attempts = 3

    /// Throws unless `path` is a regular file with two meta pages of LMDB's format 1 that has all pages in use.
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
        for _ in 0..<attempts where try hasAllPages(descriptor, path) { return }
        throw StoreError(.corrupt, "the file is truncated", path: path)
    }

    /// Number of the newest transaction that the file's meta pages name; nil if none can be read.
    static func newestTransaction(_ path: String) -> UInt64? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let first = meta(descriptor, at: 0) else { return nil }
        return max(first.transaction, meta(descriptor, at: first.pageSize)?.transaction ?? 0)
    }

    private static func hasAllPages(_ descriptor: Int32, _ path: String) throws -> Bool {
        guard let first = meta(descriptor, at: 0) else {
            if try EncryptedFile.isEncrypted(descriptor) { throw StoreError.keyMissing(path) }
            throw StoreError(.notARealm, "it isn't a realm file", path: path)
        }
        guard let second = meta(descriptor, at: first.pageSize), second.pageSize == first.pageSize else {
            throw StoreError(.corrupt, "the second meta page is damaged", path: path)
        }
        let newest = first.transaction > second.transaction ? first : second
        let (needed, overflow) = (newest.lastPage &+ 1).multipliedReportingOverflow(by: UInt64(newest.pageSize))
        guard !overflow, newest.lastPage < UInt64.max, needed <= UInt64(FileFormat.largestFile) else {
            throw StoreError(.corrupt, "the meta page names pages that can't exist", path: path)
        }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        if UInt64(size) >= needed { return true }
        // Pages that a transaction took and gave back aren't written, and the writer that would have made the file
        // longer all the same may have died: only the tree tells whether something is missing.
        return try structureFindings(descriptor, size, newest, path).isEmpty
    }

    /// Throws `corrupt` if the page structure of the newest state isn't what LMDB takes for granted. Nobody may write
    /// meanwhile. Reads every page but those inside of long values.
    static func checkStructure(_ descriptor: Int32, _ path: String) throws {
        guard let first = meta(descriptor, at: 0), let second = meta(descriptor, at: first.pageSize) else {
            throw StoreError(.notARealm, "it isn't a realm file", path: path)
        }
        let newest = first.transaction > second.transaction ? first : second
        let findings = try structureFindings(descriptor, FileSystem.size(descriptor), newest, path)
        guard let finding = findings.first else { return }
        let others = findings.count > 1 ? ", and \(findings.count - 1) more like it" : ""
        throw StoreError(.corrupt, "the file is damaged: \(finding)\(others)", path: path)
    }

    private static func structureFindings(
        _ descriptor: Int32, _ size: Int, _ state: Meta, _ path: String
    ) throws -> [String] {
        guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            throw StoreError(lmdb: errno, "mapping the file", path: path)
        }
        defer { munmap(start, size) }
        var walk = UnsafePageWalk(
            UnsafeRawBufferPointer(start: start, count: size), meta: state.bytes, start: UnsafeRawPointer(start))
        walk.walk(state.bytes)
        return walk.findings
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
                transaction: page.loadUnaligned(fromByteOffset: 144, as: UInt64.self), bytes: Array(page))
        }
    }
}
