import Foundation

/// The journal file: two header slots and two areas of records. Records go to one area while the other holds those
/// that the last checkpoint may still need. The caller sees to it that only one thread writes records at a time.
final class Journal: @unchecked Sendable {
    static let areaStart = 2 * JournalHeader.slotSize
    /// Address space of one area in the (sparse) file.
    static let areaCapacity = 16 << 20
    private static let smallestPreparation = 256 << 10
    private static let largestPreparation = 4 << 20

    let descriptor: Int32
    let path: String
    private(set) var area = 0
    private(set) var epoch: UInt64 = 0
    /// Bytes of records in the current area.
    private(set) var used = 0
    /// Nil for realms that aren't encrypted.
    private let cipher: JournalCipher?
    /// Bytes of each area that are written, so that overwriting them changes no metadata of the file system.
    private var prepared = [0, 0]

    /// Opens the journal of a realm, making it if there is none.
    init(realm path: String, cipher: JournalCipher? = nil) throws {
        self.cipher = cipher
        self.path = CompanionFiles.journal(of: path)
        descriptor = try FileSystem.openFile(self.path, O_RDWR | O_CREAT | O_NOFOLLOW)
        let size = FileSystem.size(descriptor)
        if size < Journal.areaStart {
            do {
                try write([UInt8](repeating: 0, count: Journal.areaStart), at: 0)
                try FileSystem.syncDirectory(of: self.path)
            } catch {
                close(descriptor)
                throw error
            }
        }
        prepared[0] = max(0, min(size - Journal.areaStart, Journal.areaCapacity))
        prepared[1] = max(0, size - Journal.areaStart - Journal.areaCapacity)
        // The first area may end in a hole; what isn't known to be written is prepared anew.
        if prepared[1] > 0 { prepared[0] = 0 }
    }

    deinit {
        close(descriptor)
    }

    /// Removes the journal's name if it is still this journal's: another file at the realm's path has its own.
    func removeName() {
        if let ours = FileIdentity(descriptor: descriptor), FileIdentity(path: path) == ours { unlink(path) }
    }

    // MARK: Headers

    /// The newest intact header of a realm's journal. Nil when there is none; a journal that can't be read is an error,
    /// since acknowledged transactions may be in it and nowhere else.
    static func header(of realm: String) throws -> JournalHeader? {
        let descriptor: Int32
        do {
            descriptor = try FileSystem.openFile(CompanionFiles.journal(of: realm), O_RDONLY | O_NOFOLLOW)
        } catch let error as StoreError where error.systemCode == ENOENT {
            return nil
        }
        defer { close(descriptor) }
        let slots = try (0..<2).compactMap { slot in
            JournalHeader.reading(try read(descriptor, at: slot * JournalHeader.slotSize, JournalHeader.slotSize))
        }
        return slots.max { $0.sequence < $1.sequence }
    }

    func write(_ header: JournalHeader) throws {
        var slot = cipher?.slot(header) ?? header.encoded()
        slot.append(contentsOf: repeatElement(0, count: JournalHeader.slotSize - slot.count))
        try write(slot, at: Int(header.sequence & 1) * JournalHeader.slotSize)
    }

    // MARK: Records

    /// All records that a header's checkpoint may be followed by, in order.
    static func records(of realm: String, after header: JournalHeader) throws -> [JournalRecord] {
        let descriptor = try FileSystem.openFile(CompanionFiles.journal(of: realm), O_RDONLY | O_NOFOLLOW)
        defer { close(descriptor) }
        var records: [JournalRecord] = []
        for step in 0..<2 {
            let area = (header.area + step) & 1
            let bytes = try read(descriptor, at: areaStart + area * areaCapacity, areaCapacity)
            bytes.withUnsafeBytes { bytes in
                var at = 0
                while let record = JournalRecord(
                    UnsafeRawBufferPointer(rebasing: bytes[at...]), epoch: header.epoch + UInt64(step))
                {
                    records.append(record)
                    at += record.size
                }
            }
        }
        return records
    }

    /// Makes room for records in the current area, so that `append` can't run out of disk. False when the area is full.
    func reserve(_ bytes: Int) throws -> Bool {
        let needed = used + bytes
        guard needed <= Journal.areaCapacity else { return false }
        guard needed > prepared[area] else { return true }
        let doubled = min(max(prepared[area], Journal.smallestPreparation), Journal.largestPreparation)
        let target = min(Journal.areaCapacity, max(needed, prepared[area] + doubled))
        let zeros = [UInt8](repeating: 0, count: target - max(prepared[area], used))
        try write(zeros, at: Journal.areaStart + area * Journal.areaCapacity + max(prepared[area], used))
        prepared[area] = target
        return true
    }

    /// Bytes that records take.
    func size(of records: [JournalRecord]) -> Int {
        records.reduce(0) { $0 + (cipher == nil ? $1.size : JournalCipher.size(of: $1)) }
    }

    /// Writes records, not yet durable. `durable`: the newest version that is.
    func append(_ records: [JournalRecord], durable: UInt64) throws {
        let size = size(of: records)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        for record in records {
            if let cipher {
                cipher.encode(record, epoch: epoch, durable: durable, to: &bytes)
            } else {
                record.encode(epoch: epoch, to: &bytes)
            }
        }
        try write(bytes, at: Journal.areaStart + area * Journal.areaCapacity + used)
        used += size
    }

    /// Lets the following records go to the other area.
    func switchArea() {
        area ^= 1
        epoch += 1
        used = 0
    }

    /// Begins anew after recovery, in an epoch that no record has.
    func restart(after epoch: UInt64) {
        self.epoch = epoch
        used = 0
    }

    func sync() throws {
        try FileSystem.syncData(descriptor, path: path)
    }

    static func read(_ descriptor: Int32, at offset: Int, _ limit: Int) throws -> [UInt8] {
        let count = max(0, min(limit, FileSystem.size(descriptor) - offset))
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count, let start = buffer.baseAddress {
                let got = pread(descriptor, start + done, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { break }
                done += got
            }
        }
        guard failure == 0 else { throw StoreError(lmdb: failure, "reading the journal") }
        return bytes
    }

    private func write(_ bytes: [UInt8], at offset: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count, let start = bytes.baseAddress {
                let put = pwrite(descriptor, start + done, bytes.count - done, off_t(offset + done))
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { throw StoreError(lmdb: errno, "writing the journal", path: path) }
                done += put
            }
        }
    }
}

extension JournalHeader {
    fileprivate static func reading(_ bytes: [UInt8]) -> JournalHeader? {
        bytes.withUnsafeBytes { JournalHeader(slot: $0) }
    }
}
