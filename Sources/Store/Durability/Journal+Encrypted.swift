import CPlatform
import Foundation

extension Journal {
    /// The newest header of an encrypted realm's journal, and what its records are encrypted with. Nil when there is
    /// none. Throws `corrupt` for one that was damaged or has another key: acknowledged transactions may be in it.
    static func header(of realm: String, _ key: RealmKey) throws -> (JournalHeader, JournalCipher)? {
        guard let descriptor = try openIfThere(realm) else { return nil }
        defer { close(descriptor) }
        var newest: (JournalHeader, JournalCipher)?
        for number in 0..<2 {
            let slot = try read(descriptor, at: number * JournalHeader.slotSize, JournalHeader.slotSize)
            switch JournalCipher.read(slot: slot, number: number, key) {
            case .none: break
            case .damaged:
                throw StoreError(
                    .corrupt,
                    "the journal beside the file is damaged or not its own; to open the file without it, remove it",
                    path: CompanionFiles.journal(of: realm))
            case .header(let header, let cipher):
                if header.sequence >= newest?.0.sequence ?? 0 { newest = (header, cipher) }
            }
        }
        return newest
    }

    private static func openIfThere(_ realm: String) throws -> Int32? {
        do {
            return try FileSystem.openFile(CompanionFiles.journal(of: realm), O_RDONLY | O_NOFOLLOW)
        } catch let error as StoreError where error.systemCode == ENOENT {
            return nil
        }
    }

    /// All records after a header's checkpoint, in order, for a file that holds `version`.
    ///
    /// The first that can't be opened ends them: a crash may have torn it. But if any after it says that more was on
    /// disk already, it wasn't a crash, and `corrupt` is thrown.
    static func records(
        of realm: String, after header: JournalHeader, _ cipher: JournalCipher, version: UInt64
    ) throws -> [JournalRecord] {
        guard let descriptor = try openIfThere(realm) else { return [] }
        defer { close(descriptor) }
        var records: [JournalRecord] = []
        var durable: UInt64 = 0
        for step in 0..<2 {
            let area = (header.area + step) & 1
            let epoch = header.epoch + UInt64(step)
            let bytes = try read(descriptor, at: areaStart + area * areaCapacity, areaCapacity)
            bytes.withUnsafeBytes { bytes in
                var at = 0
                while let opened = cipher.open(bytes, epoch: epoch, offset: at) {
                    records.append(opened.record)
                    durable = max(durable, opened.durable)
                    at += opened.size
                }
                durable = max(durable, Journal.durable(bytes, after: at, cipher, epoch))
            }
        }
        var end = version
        for record in records where record.version > end {
            guard record.version == end + 1 else { break }
            end += 1
        }
        guard durable <= end else {
            throw StoreError(
                .corrupt, "records of the journal are missing or damaged: version \(end + 1) was on disk",
                path: CompanionFiles.journal(of: realm))
        }
        return records
    }

    /// The newest version that records beyond a break call durable.
    private static func durable(
        _ area: UnsafeRawBufferPointer, after start: Int, _ cipher: JournalCipher, _ epoch: UInt64
    ) -> UInt64 {
        var durable: UInt64 = 0
        guard let base = area.baseAddress else { return 0 }
        // A record has its epoch eight bytes after its beginning.
        var at = start + 16
        while at < area.count {
            let found = withUnsafeBytes(of: epoch.littleEndian) {
                reeve_find(base + at, area.count - at, $0.baseAddress, 8)
            }
            guard let found else { break }
            let offset = found - base - 8
            if offset % 8 == 0, let opened = cipher.open(area, epoch: epoch, offset: offset) {
                durable = max(durable, opened.durable)
            }
            at = offset + 9
        }
        return durable
    }
}
