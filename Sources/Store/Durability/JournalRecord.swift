/// One transaction in the journal.
struct JournalRecord: Hashable {
    static let headerSize = 48
    private static let hasUID: UInt32 = 1
    private static let hasSync: UInt32 = 2

    /// Version that the transaction made.
    var version: UInt64
    var uid: TransactionUID?
    /// Its changeset.
    var bytes: [UInt8]
    /// Its changes of the `sync` database, encoded one after another.
    var sync: [UInt8]

    /// Bytes that the record takes.
    var size: Int { JournalRecord.size(of: bodySize) }

    private var bodySize: Int { bytes.count + (sync.isEmpty ? 0 : 4 + sync.count) }

    private static func size(of body: Int) -> Int {
        (headerSize + body + 7) & ~7
    }

    func encoded(epoch: UInt64) -> [UInt8] {
        var record: [UInt8] = []
        encode(epoch: epoch, to: &record)
        return record
    }

    /// Appends the record, whose size is a multiple of eight.
    func encode(epoch: UInt64, to target: inout [UInt8]) {
        let start = target.count
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { target.append(contentsOf: $0) }
        }
        append(UInt32(bodySize))
        append(UInt32(0))
        append(epoch)
        append(version)
        append(uid?.high ?? 0)
        append(uid?.low ?? 0)
        append(UInt64((uid == nil ? 0 : JournalRecord.hasUID) | (sync.isEmpty ? 0 : JournalRecord.hasSync)))
        if !sync.isEmpty {
            append(UInt32(sync.count))
            target.append(contentsOf: sync)
        }
        target.append(contentsOf: bytes)
        target.append(contentsOf: repeatElement(0, count: start + size - target.count))
        target.withUnsafeMutableBytes { target in
            let checked = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[(start + 8)...])
            target.storeBytes(of: CRC32C.checksum(of: checked).littleEndian, toByteOffset: start + 4, as: UInt32.self)
        }
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
        let body = area[JournalRecord.headerSize..<(JournalRecord.headerSize + count)]
        guard flags & JournalRecord.hasSync != 0 else {
            bytes = Array(body)
            sync = []
            return
        }
        guard count >= 4 else { return nil }
        let syncCount = Int(
            UInt32(littleEndian: area.loadUnaligned(fromByteOffset: JournalRecord.headerSize, as: UInt32.self)))
        guard syncCount <= count - 4 else { return nil }
        sync = Array(body.dropFirst(4).prefix(syncCount))
        bytes = Array(body.dropFirst(4 + syncCount))
    }

    init(version: UInt64, uid: TransactionUID?, bytes: [UInt8], sync: [UInt8] = []) {
        self.version = version
        self.uid = uid
        self.bytes = bytes
        self.sync = sync
    }
}
