import CLMDB
import Foundation

/// The meta pages of LMDB's file format, the first two of a file: each names the roots of one committed state.
enum MetaPage {
    /// Header of a page; differs between the two, since it holds the page's number.
    private static let headerSize = 16
    /// Bytes of a meta page that LMDB uses, with the header.
    static let usedSize = 152

    /// The meta page that a transaction committed, as long as nobody commits.
    static func read(_ environment: Environment, transaction: Int) throws -> [UInt8] {
        var statistics = MDB_stat()
        mdb_env_stat(environment.pointer, &statistics)
        var bytes = [UInt8](repeating: 0, count: usedSize)
        let offset = (transaction & 1) * Int(statistics.ms_psize)
        guard pread(environment.descriptor, &bytes, usedSize, off_t(offset)) == usedSize,
            bytes.withUnsafeBytes({ $0.loadUnaligned(fromByteOffset: 144, as: UInt64.self) }) == UInt64(transaction)
        else { throw StoreError(.inputOutput, "the meta page can't be read", path: environment.path) }
        return bytes
    }

    /// Makes a file begin with the state that `meta` names, whatever was committed later.
    static func restore(_ meta: [UInt8], to descriptor: Int32, path: String) throws {
        let pageSize = meta.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 40, as: UInt32.self)) }
        guard meta.count == usedSize, pageSize >= 512, pageSize <= 65_536 else {
            throw StoreError(.corrupt, "the journal's checkpoint can't be read", path: path)
        }
        let content = Array(meta[headerSize...])
        for page in 0..<2 {
            guard FileSystem.write(content, to: descriptor, at: page * pageSize + headerSize) else {
                throw StoreError(lmdb: errno, "restoring the checkpoint", path: path)
            }
        }
        try FileSystem.syncData(descriptor, path: path)
    }
}

extension Environment {
    /// The descriptor of the data file.
    var descriptor: Int32 {
        var descriptor: Int32 = -1
        mdb_env_get_fd(pointer, &descriptor)
        return descriptor
    }
}
