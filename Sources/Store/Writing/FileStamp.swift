import Foundation

/// What a realm file says about itself in a part of its first page that LMDB never writes: readable before LMDB
/// looks at the file, and unchanged for the life of a generation.
package struct FileStamp: Hashable, Sendable {
    /// Where it lies in the file.
    static let offset = 1_024
    static let size = 56
    private static let magic: UInt64 = 0x0031_4556_4545_5221  // "!REEVE1\0"

    package var format: UInt32
    /// Random, kept by compaction, new for each copy.
    package var identity: UUID
    /// Counts the files that have taken each other's place under one path.
    package var generation: UInt64

    func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(FileStamp.magic)
        writer.append(format)
        writer.append(UInt32(0))
        withUnsafeBytes(of: identity.uuid) { writer.bytes.append(contentsOf: $0) }
        writer.append(generation)
        writer.append(UInt64(0))
        writer.append(UInt64(CRC32C.checksum(of: writer.bytes)))
        return writer.bytes
    }

    /// Nil when the bytes aren't a stamp.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= FileStamp.size else { return nil }
        let decoded = bytes.withUnsafeBytes { bytes -> (UInt64, UInt32, uuid_t, UInt64, UInt64) in
            (
                bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
                bytes.loadUnaligned(fromByteOffset: 16, as: uuid_t.self),
                bytes.loadUnaligned(fromByteOffset: 32, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 48, as: UInt64.self)
            )
        }
        guard decoded.0 == FileStamp.magic,
            decoded.4 == UInt64(CRC32C.checksum(of: Array(bytes[..<48]))), decoded.3 < FileFormat.numberLimit
        else { return nil }
        format = decoded.1
        identity = UUID(uuid: decoded.2)
        generation = decoded.3
    }

    init(format: UInt32 = FileFormat.version, identity: UUID, generation: UInt64) {
        self.format = format
        self.identity = identity
        self.generation = generation
    }

    /// Reads the stamp of an open file; refuses files that have none and those of a newer format.
    static func read(_ descriptor: Int32, path: String) throws -> FileStamp {
        var bytes = [UInt8](repeating: 0, count: size)
        let got = pread(descriptor, &bytes, size, off_t(offset))
        if got < 0, errno == EISDIR {
            throw StoreError(.isADirectory, "it is a directory, not a realm file", path: path)
        }
        guard got == size, let stamp = FileStamp(bytes) else {
            if got >= 0, try EncryptedFile.isEncrypted(descriptor) { throw StoreError.keyMissing(path) }
            throw StoreError(.notARealm, "it isn't a realm file", path: path)
        }
        guard stamp.format <= FileFormat.version else {
            throw StoreError(
                .newerFormat,
                "the file has format \(stamp.format); this version reads formats up to \(FileFormat.version)",
                path: path)
        }
        return stamp
    }

    func write(to descriptor: Int32, path: String) throws {
        guard FileSystem.write(encoded(), to: descriptor, at: FileStamp.offset) else {
            throw StoreError(lmdb: errno, "writing the file's stamp", path: path)
        }
    }
}
