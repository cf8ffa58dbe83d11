import Foundation

/// Encrypts what goes to the journal of an encrypted realm. Each time that a journal is begun it gets keys of its own,
/// so that the numbers of records can serve as nonces.
final class JournalCipher: @unchecked Sendable {
    static let saltSize = 32
    private static let headerKind: UInt64 = 4
    private static let recordKind: UInt64 = 5
    private static let magic: [UInt8] = Array("RVEJRNLX".utf8)
    /// Magic, size of the body, zeros, salt.
    private static let clearSize = 16 + saltSize
    private static let bodyStart = clearSize + AuthenticatedCipher.envelopeSize

    private let salt: [UInt8]
    private let headers: AuthenticatedCipher
    private let records: AuthenticatedCipher
    /// Records written. Only the writer touches it.
    private var count: UInt64 = 0

    /// For a new run, or to read what one left.
    init(_ key: RealmKey, salt: [UInt8] = RealmKey.random(saltSize)) {
        self.salt = salt
        headers = AuthenticatedCipher(key: key.subkey(.journalHeader, salt: salt))
        records = AuthenticatedCipher(key: key.subkey(.journalRecords, salt: salt))
    }

    // MARK: Headers

    func slot(_ header: JournalHeader) -> [UInt8] {
        let body = header.encoded()
        var writer = ByteWriter()
        writer.bytes = JournalCipher.magic
        writer.append(UInt32(body.count))
        writer.append(UInt32(0))
        writer.bytes += salt + RealmKey.random(AuthenticatedCipher.envelopeSize) + body
        writer.bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            headers.seal(
                start + JournalCipher.bodyStart, body.count, to: start + JournalCipher.bodyStart,
                at: .init(kind: JournalCipher.headerKind, first: header.sequence & 1, second: UInt64(body.count)),
                envelope: start + JournalCipher.clearSize)
        }
        return writer.bytes
    }

    /// What a slot of a journal says.
    enum Slot {
        /// Never written, or by the journal of a realm that wasn't encrypted.
        case none
        case damaged
        case header(JournalHeader, JournalCipher)
    }

    static func read(slot: [UInt8], number: Int, _ key: RealmKey) -> Slot {
        guard slot.contains(where: { $0 != 0 }) else { return .none }
        if slot.withUnsafeBytes({ JournalHeader(slot: $0) }) != nil { return .none }
        guard slot.count > bodyStart, slot.starts(with: magic) else { return .damaged }
        let size = slot.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
        }
        guard size <= slot.count - bodyStart, slot[12..<16].allSatisfy({ $0 == 0 }),
            slot[(bodyStart + size)...].allSatisfy({ $0 == 0 })
        else { return .damaged }
        let cipher = JournalCipher(key, salt: Array(slot[16..<clearSize]))
        var body = [UInt8](repeating: 0, count: size)
        let isIntact = slot.withUnsafeBytes { slot in
            body.withUnsafeMutableBytes { body in
                guard let start = slot.baseAddress, let target = body.baseAddress else { return false }
                return cipher.headers.open(
                    start + bodyStart, size, to: target,
                    at: .init(kind: headerKind, first: UInt64(number), second: UInt64(size)),
                    envelope: start + clearSize)
            }
        }
        guard isIntact, let header = body.withUnsafeBytes({ JournalHeader(slot: $0) }) else { return .damaged }
        return .header(header, cipher)
    }

    // MARK: Records

    /// Bytes before what is encrypted: size of that, zero, epoch, number, tag.
    private static let clearRecordSize = 40
    /// Bytes of the durable version, before the record as a plain journal has it.
    private static let durableSize = 8

    /// Bytes that a record takes.
    static func size(of record: JournalRecord) -> Int {
        clearRecordSize + durableSize + record.size
    }

    private static func place(_ epoch: UInt64, _ number: UInt64, _ size: Int) -> AuthenticatedCipher.Place {
        .init(kind: recordKind, first: epoch, second: number, third: UInt64(size))
    }

    /// Appends the record, to be written to the area of an epoch. `durable`: the newest version that is known to be on
    /// disk.
    func encode(_ record: JournalRecord, epoch: UInt64, durable: UInt64, to target: inout [UInt8]) {
        let start = target.count
        let size = JournalCipher.durableSize + record.size
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { target.append(contentsOf: $0) }
        }
        append(UInt32(size))
        append(UInt32(0))
        append(epoch)
        append(count)
        append(UInt64(0))
        append(UInt64(0))
        append(durable)
        record.encode(epoch: epoch, to: &target)
        target.withUnsafeMutableBytes { target in
            guard let base = target.baseAddress.map({ $0 + start }) else { return }
            let body = base + JournalCipher.clearRecordSize
            withUnsafeTemporaryAllocation(byteCount: AuthenticatedCipher.envelopeSize, alignment: 8) { envelope in
                guard let envelope = envelope.baseAddress else { return }
                JournalCipher.nonce(epoch, count, to: envelope)
                records.seal(body, size, to: body, at: JournalCipher.place(epoch, count, size), envelope: envelope)
                (body - AuthenticatedCipher.tagSize).copyMemory(
                    from: envelope + AuthenticatedCipher.nonceSize, byteCount: AuthenticatedCipher.tagSize)
            }
        }
        count += 1
    }

    private static func nonce(_ epoch: UInt64, _ number: UInt64, to envelope: UnsafeMutableRawPointer) {
        memset(envelope, 0, AuthenticatedCipher.envelopeSize)
        envelope.storeBytes(of: epoch.littleEndian, as: UInt64.self)
        envelope.storeBytes(of: number.littleEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// A record that was read.
    struct Opened {
        var record: JournalRecord
        var durable: UInt64
        var size: Int
    }

    /// The record `offset` bytes into an area; nil unless it was written in this epoch, by this run.
    func open(_ area: UnsafeRawBufferPointer, epoch: UInt64, offset: Int) -> Opened? {
        guard area.count - offset >= JournalCipher.clearRecordSize + JournalCipher.durableSize,
            let base = area.baseAddress.map({ $0 + offset }),
            UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) == epoch,
            base.loadUnaligned(fromByteOffset: 4, as: UInt32.self) == 0
        else { return nil }
        let size = Int(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
        guard size >= JournalCipher.durableSize, size <= area.count - offset - JournalCipher.clearRecordSize else {
            return nil
        }
        let number = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        let sealed = base + JournalCipher.clearRecordSize
        var body = [UInt8](repeating: 0, count: size)
        let isIntact = withUnsafeTemporaryAllocation(byteCount: AuthenticatedCipher.envelopeSize, alignment: 8) {
            envelope in
            guard let envelope = envelope.baseAddress else { return false }
            JournalCipher.nonce(epoch, number, to: envelope)
            (envelope + AuthenticatedCipher.nonceSize).copyMemory(
                from: sealed - AuthenticatedCipher.tagSize, byteCount: AuthenticatedCipher.tagSize)
            return body.withUnsafeMutableBytes { body in
                body.baseAddress.map {
                    records.open(
                        sealed, size, to: $0, at: JournalCipher.place(epoch, number, size), envelope: envelope)
                } ?? false
            }
        }
        guard isIntact else { return nil }
        return body.withUnsafeBytes { body in
            let durable = UInt64(littleEndian: body.loadUnaligned(as: UInt64.self))
            let plain = UnsafeRawBufferPointer(rebasing: body[JournalCipher.durableSize...])
            return JournalRecord(plain, epoch: epoch).map {
                Opened(record: $0, durable: durable, size: JournalCipher.clearRecordSize + size)
            }
        }
    }
}
