import Foundation

/// What recovery needs to know, kept in two slots at the start of the journal that are written alternately.
struct JournalHeader: Hashable {
    static let slotSize = 4_096
    private static let magic: UInt64 = 0x314C_4E52_4A45_5652  // "RVEJRNL1"
    private static let format: UInt32 = 1

    /// The slot with the greater sequence counts.
    var sequence: UInt64
    /// Whether everything is in the data file and nobody has written since.
    var isClean: Bool
    var identity: UUID
    var generation: UInt64
    var bootId: String
    /// The realm's version that the checkpoint holds.
    var version: UInt64
    /// The area and epoch of the first record after the checkpoint.
    var area: Int
    var epoch: UInt64
    /// LMDB's meta page of the checkpoint, as far as LMDB uses it.
    var meta: [UInt8]

    func encoded() -> [UInt8] {
        var body = ByteWriter()
        body.append(JournalHeader.magic)
        body.append(JournalHeader.format)
        body.append(UInt32(isClean ? 1 : 0))
        body.append(sequence)
        withUnsafeBytes(of: identity.uuid) { body.bytes.append(contentsOf: $0) }
        body.append(generation)
        body.append(version)
        body.append(UInt32(area))
        body.append(UInt32(meta.count))
        body.append(epoch)
        body.bytes.append(contentsOf: meta)
        body.append(bootId)
        var slot = ByteWriter()
        slot.append(UInt32(body.bytes.count))
        slot.append(CRC32C.checksum(of: body.bytes))
        slot.bytes.append(contentsOf: body.bytes)
        return slot.bytes
    }

    init(
        sequence: UInt64, isClean: Bool, identity: UUID, generation: UInt64, bootId: String, version: UInt64,
        area: Int, epoch: UInt64, meta: [UInt8]
    ) {
        self.sequence = sequence
        self.isClean = isClean
        self.identity = identity
        self.generation = generation
        self.bootId = bootId
        self.version = version
        self.area = area
        self.epoch = epoch
        self.meta = meta
    }

    /// Reads a slot; nil when it is torn, empty or of another format.
    init?(slot: UnsafeRawBufferPointer) {
        var outer = ByteReader(slot)
        guard let size = outer.uint32(), let checksum = outer.uint32(), size <= outer.remaining else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: slot[8..<(8 + Int(size))])
        guard CRC32C.checksum(of: body) == checksum else { return nil }
        var reader = ByteReader(body)
        guard reader.uint64() == JournalHeader.magic, reader.uint32() == JournalHeader.format,
            let flags = reader.uint32(), let sequence = reader.uint64(), reader.remaining >= 16
        else { return nil }
        let identity = UUID(uuid: body.loadUnaligned(fromByteOffset: 24, as: uuid_t.self))
        guard reader.uint64() != nil, reader.uint64() != nil, let generation = reader.uint64(),
            let version = reader.uint64(), let area = reader.uint32(), area < 2, let metaSize = reader.uint32(),
            let epoch = reader.uint64(), reader.remaining >= metaSize,
            [sequence, generation, version, epoch].allSatisfy({ $0 < FileFormat.numberLimit })
        else { return nil }
        let from = body.count - reader.remaining
        let meta = Array(body[from..<(from + Int(metaSize))])
        for _ in 0..<metaSize { _ = reader.uint8() }
        guard let bootId = reader.string() else { return nil }
        self.init(
            sequence: sequence, isClean: flags & 1 != 0, identity: identity, generation: generation, bootId: bootId,
            version: version, area: Int(area), epoch: epoch, meta: meta)
    }
}
