/// One transaction in the journal.
struct JournalRecord: Hashable {
    static let headerSize = 48
    private static let hasUID: UInt32 = 1

    /// Version that the transaction made.
    var version: UInt64
    var uid: TransactionUID?
    /// Its changeset.
    var bytes: [UInt8]

    /// Bytes that a record with so many bytes of changes takes.
    static func size(of changes: Int) -> Int {
        (headerSize + changes + 7) & ~7
    }

    func encoded(epoch: UInt64) -> [UInt8] {
        let size = JournalRecord.size(of: bytes.count)
        var record = [UInt8](repeating: 0, count: size)
        record.withUnsafeMutableBytes { target in
            guard let start = target.baseAddress else { return }
            start.storeBytes(of: UInt32(bytes.count).littleEndian, as: UInt32.self)
            start.storeBytes(of: epoch.littleEndian, toByteOffset: 8, as: UInt64.self)
            start.storeBytes(of: version.littleEndian, toByteOffset: 16, as: UInt64.self)
            uid?.store(to: start + 24)
            let flags: UInt32 = uid == nil ? 0 : JournalRecord.hasUID
            start.storeBytes(of: flags.littleEndian, toByteOffset: 40, as: UInt32.self)
            bytes.withUnsafeBytes { source in
                if let from = source.baseAddress {
                    (start + JournalRecord.headerSize).copyMemory(from: from, byteCount: source.count)
                }
            }
            let checked = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[8...])
            start.storeBytes(of: CRC32C.checksum(of: checked).littleEndian, toByteOffset: 4, as: UInt32.self)
        }
        return record
    }

    /// Reads the record at the start of `area`; nil when there is none of this epoch, or it is torn.
    init?(_ area: UnsafeRawBufferPointer, epoch: UInt64) {
        guard area.count >= JournalRecord.headerSize else { return nil }
        let count = Int(UInt32(littleEndian: area.loadUnaligned(as: UInt32.self)))
        let size = JournalRecord.size(of: count)
        guard size <= area.count,
            UInt64(littleEndian: area.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == epoch,
            UInt32(littleEndian: area.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
                == CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: area[8..<size]))
        else { return nil }
        version = UInt64(littleEndian: area.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let flags = UInt32(littleEndian: area.loadUnaligned(fromByteOffset: 40, as: UInt32.self))
        uid =
            flags & JournalRecord.hasUID == 0
            ? nil : TransactionUID(bytes: UnsafeRawBufferPointer(rebasing: area[24..<40]))
        bytes = Array(area[JournalRecord.headerSize..<(JournalRecord.headerSize + count)])
    }

    init(version: UInt64, uid: TransactionUID?, bytes: [UInt8]) {
        self.version = version
        self.uid = uid
        self.bytes = bytes
    }
}
