import CPlatform
import CSodium
import Foundation

/// An encrypted realm file on disk: what of an LMDB file in memory outlives the process. One thread at a time may write a
/// checkpoint; the methods of `Durability` see to that.
///
/// `FORMAT.md` describes it byte by byte, `docs/decisions/006-encryption.md` tells why it is as it is.
final class EncryptedFile: @unchecked Sendable {
    let path: String
    let key: RealmKey
    /// Opened for reading and writing.
    let descriptor: Int32
    let identity: FileIdentity?
    let pageCipher: AuthenticatedCipher
    let nodeCipher: AuthenticatedCipher
    let state: Lock<State>

    struct State {
        /// As the newest header on disk says.
        var header: EncryptedHeader
        var tree: PageTree
        /// Whether blocks that the checkpoint doesn't use may be torn: a writer ended, or failed, in the middle.
        var hasTornBlocks = false
    }

    static let pageKind: UInt64 = 1
    static let nodeKind: UInt64 = 2

    /// Takes over the descriptor.
    init(_ descriptor: Int32, _ path: String, _ key: RealmKey, _ state: State) {
        self.descriptor = descriptor
        self.path = path
        self.key = key
        identity = FileIdentity(descriptor: descriptor)
        let fileId = state.header.fileId
        pageCipher = AuthenticatedCipher(key: key.subkey(.pages, salt: fileId))
        nodeCipher = AuthenticatedCipher(key: key.subkey(.nodes, salt: fileId))
        self.state = Lock(state)
    }

    deinit {
        close(descriptor)
    }

    var fileId: [UInt8] { state.withLock { $0.header.fileId } }
    var isClean: Bool { state.withLock { $0.header.isClean } }
    var version: UInt64 { state.withLock { $0.header.version } }

    // MARK: Input and output

    static func read(_ descriptor: Int32, at offset: Int, to target: UnsafeMutableRawPointer, _ count: Int) throws
        -> Int
    {
        var done = 0
        while done < count {
            let got = pread(descriptor, target + done, count - done, off_t(offset + done))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw StoreError(lmdb: errno, "reading") }
            guard got > 0 else { break }
            done += got
        }
        return done
    }

    func read(at offset: Int, to target: UnsafeMutableRawPointer, _ count: Int) throws {
        let got: Int
        do { got = try EncryptedFile.read(descriptor, at: offset, to: target, count) } catch {
            throw StoreError(.inputOutput, "the file can't be read: \(error)", path: path)
        }
        guard got == count else { throw StoreError(.corrupt, "the file is truncated", path: path) }
    }

    func write(_ source: UnsafeRawPointer, _ count: Int, at offset: Int) throws {
        var done = 0
        while done < count {
            let put = pwrite(descriptor, source + done, count - done, off_t(offset + done))
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw StoreError(lmdb: put < 0 ? errno : ENOSPC, "writing", path: path) }
            done += put
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { try write(start, bytes.count, at: offset) }
        }
    }

    /// Whether the file has `count` zeros at `offset`.
    func isZero(at offset: Int, _ count: Int) throws -> Bool {
        let bytes = try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            if let start = buffer.baseAddress { try read(at: offset, to: start, count) }
            done = count
        }
        return bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { sodium_is_zero($0.assumingMemoryBound(to: UInt8.self), count) == 1 } ?? true
        }
    }
}

extension StoreError {
    /// The errors of a key that doesn't fit its file.
    static func keyMissing(_ path: String) -> StoreError {
        StoreError(.keyMissing, "the realm is encrypted; give its encryption key", path: path)
    }

    static func keyWrong(_ path: String) -> StoreError {
        StoreError(.keyWrong, "the encryption key isn't this realm's", path: path)
    }

    static func keySuperfluous(_ path: String) -> StoreError {
        StoreError(.keySuperfluous, "the realm isn't encrypted; open it without a key", path: path)
    }
}
