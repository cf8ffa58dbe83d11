import Foundation

/// One of the two headers of an encrypted file, written in turn: what the newest checkpoint is. So short that a disk
/// writes it whole or not at all.
struct EncryptedHeader {
    static let size = 512
    /// Where the headers begin.
    static let offsets = [0, 4_096]
    static let format: UInt32 = 1
    static let fileIdSize = 32
    static let checkSize = 16
    /// `!REEVEX` and a zero.
    private static let magic: [UInt8] = Array("!REEVEX\0".utf8)
    private static let clearSize = 64
    private static let bodyStart = clearSize + AuthenticatedCipher.envelopeSize
    private static let kind: UInt64 = 3

    // In clear.
    var pageSize: Int
    var fileId: [UInt8]

    // Encrypted.
    /// The header with the greater sequence counts.
    var sequence: UInt64 = 0
    /// Whether the file was closed in order and nobody has written since.
    var isClean = true
    /// Version of the realm.
    var version: UInt64
    /// Pages of the LMDB file.
    var pageCount: Int
    /// Which block of the topmost node counts, and its envelope.
    var rootSlot = 0
    var rootEnvelope = [UInt8](repeating: 0, count: AuthenticatedCipher.envelopeSize)
    var stamp: FileStamp
    /// LMDB's meta page, as far as LMDB uses it.
    var meta: [UInt8]

    /// What the first bytes of a file say of it without any key.
    struct Clear {
        var format: UInt32
        var pageSize: Int
        var fileId: [UInt8]
        var check: [UInt8]

        /// Nil if the bytes don't begin as a header does.
        init?(_ bytes: [UInt8]) {
            guard bytes.count == EncryptedHeader.size, bytes.starts(with: EncryptedHeader.magic) else { return nil }
            (format, pageSize) = bytes.withUnsafeBytes {
                (
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
                    Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
                )
            }
            fileId = Array(bytes[16..<48])
            check = Array(bytes[48..<64])
        }
    }

    private func clearBytes(_ key: RealmKey) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes = EncryptedHeader.magic
        writer.append(EncryptedHeader.format)
        writer.append(UInt32(pageSize))
        writer.bytes += fileId
        writer.bytes += key.check(fileId: fileId)
        return writer.bytes
    }

    func encoded(_ key: RealmKey) -> [UInt8] {
        var body = ByteWriter()
        body.append(sequence)
        body.append(UInt32(isClean ? 1 : 0))
        body.append(UInt32(rootSlot))
        body.append(version)
        body.append(UInt64(pageCount))
        body.bytes += rootEnvelope
        body.bytes += stamp.encoded()
        body.bytes += meta
        var bytes = clearBytes(key) + RealmKey.random(AuthenticatedCipher.nonceSize)
        bytes += [UInt8](repeating: 0, count: AuthenticatedCipher.tagSize) + body.bytes
        bytes += [UInt8](repeating: 0, count: EncryptedHeader.size - bytes.count)
        let cipher = AuthenticatedCipher(key: key.subkey(.header, salt: fileId + bytes[..<EncryptedHeader.clearSize]))
        let place = AuthenticatedCipher.Place(kind: EncryptedHeader.kind, first: sequence & 1)
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            cipher.seal(
                start + EncryptedHeader.bodyStart, EncryptedHeader.size - EncryptedHeader.bodyStart,
                to: start + EncryptedHeader.bodyStart, at: place, envelope: start + EncryptedHeader.clearSize)
        }
        return bytes
    }

    /// Nil unless all of it is as it was written with this key in this place.
    init?(_ bytes: [UInt8], slot: Int, _ key: RealmKey) {
        guard let clear = Clear(bytes), clear.format == EncryptedHeader.format else { return nil }
        let cipher = AuthenticatedCipher(
            key: key.subkey(.header, salt: clear.fileId + bytes[..<EncryptedHeader.clearSize]))
        var body = [UInt8](repeating: 0, count: EncryptedHeader.size - EncryptedHeader.bodyStart)
        let place = AuthenticatedCipher.Place(kind: EncryptedHeader.kind, first: UInt64(slot))
        let isIntact = bytes.withUnsafeBytes { bytes in
            body.withUnsafeMutableBytes { body in
                guard let start = bytes.baseAddress, let target = body.baseAddress else { return false }
                return cipher.open(
                    start + EncryptedHeader.bodyStart, body.count, to: target, at: place,
                    envelope: start + EncryptedHeader.clearSize)
            }
        }
        guard isIntact else { return nil }
        let stampStart = 32 + AuthenticatedCipher.envelopeSize
        let metaStart = stampStart + FileStamp.size
        guard let stamp = FileStamp(Array(body[stampStart..<metaStart])) else { return nil }
        self.stamp = stamp
        meta = Array(body[metaStart..<(metaStart + MetaPage.usedSize)])
        rootEnvelope = Array(body[32..<stampStart])
        pageSize = clear.pageSize
        fileId = clear.fileId
        let numbers = body.withUnsafeBytes { body in
            (
                UInt64(littleEndian: body.loadUnaligned(as: UInt64.self)),
                UInt32(littleEndian: body.loadUnaligned(fromByteOffset: 8, as: UInt32.self)),
                UInt32(littleEndian: body.loadUnaligned(fromByteOffset: 12, as: UInt32.self)),
                UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 16, as: UInt64.self)),
                UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
            )
        }
        guard numbers.0 < FileFormat.numberLimit, numbers.3 < FileFormat.numberLimit,
            pageSize >= 4_096, pageSize <= 65_536, numbers.4 <= UInt64(FileFormat.largestFile / pageSize)
        else { return nil }
        sequence = numbers.0
        isClean = numbers.1 & 1 != 0
        rootSlot = Int(numbers.2 & 1)
        version = numbers.3
        pageCount = Int(numbers.4)
    }

    init(pageSize: Int, fileId: [UInt8], version: UInt64, pageCount: Int, stamp: FileStamp, meta: [UInt8]) {
        self.pageSize = pageSize
        self.fileId = fileId
        self.version = version
        self.pageCount = pageCount
        self.stamp = stamp
        self.meta = meta
    }
}
