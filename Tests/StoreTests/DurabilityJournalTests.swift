import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The journal's bytes, as `Sources/Store/FORMAT.md` describes them.
@Suite struct DurabilityJournalTests {
    private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    @Test func theChecksumIsCastagnolis() {
        #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum(of: []) == 0)
        let bytes = (0..<100).map { UInt8($0) }
        for cut in 0...100 {
            let parts = bytes.withUnsafeBytes { all in
                CRC32C.checksum(
                    of: UnsafeRawBufferPointer(rebasing: all[cut...]),
                    continuing: CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: all[..<cut])))
            }
            #expect(parts == CRC32C.checksum(of: bytes), "cut at \(cut)")
        }
    }

    private let record = JournalRecord(
        version: 0x0102, uid: TransactionUID(high: 0x0706_0504_0302_0100, low: 0x0F0E_0D0C_0B0A_0908),
        bytes: [0xAA, 0xBB, 0xCC])

    @Test func goldenRecord() throws {
        #expect(
            hexadecimal(record.encoded(epoch: 7))
                == "03000000" + "3f8705b2" + "0700000000000000" + "0201000000000000"
                + "000102030405060708090a0b0c0d0e0f" + "0100000000000000" + "aabbcc0000000000")
    }

    private let header = JournalHeader(
        sequence: 5, isClean: true, identity: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        generation: 3, bootId: "boot", version: 9, area: 1, epoch: 4, meta: [0xDE, 0xAD])

    @Test func goldenHeader() throws {
        #expect(
            hexadecimal(header.encoded())
                == "50000000" + "a0090d22" + "5256454a524e4c31" + "01000000" + "01000000" + "0500000000000000"
                + "0102030405060708090a0b0c0d0e0f10" + "0300000000000000" + "0900000000000000" + "01000000" + "02000000"
                + "0400000000000000" + "dead" + "0400" + "626f6f74")
    }

    @Test func recordsAndHeadersComeBack() throws {
        for record in [
            record, JournalRecord(version: 1, uid: nil, bytes: []),
            JournalRecord(version: 2, uid: nil, bytes: [1], sync: [2, 3]),
            JournalRecord(version: 3, uid: record.uid, bytes: [], sync: [4])
        ] {
            let back = record.encoded(epoch: 7).withUnsafeBytes { JournalRecord($0, epoch: 7) }
            #expect(back == record)
        }
        let back = header.encoded().withUnsafeBytes { JournalHeader(slot: $0) }
        #expect(back == header)
    }

    @Test func aTornRecordIsNone() {
        let bytes = record.encoded(epoch: 7)
        #expect(bytes.withUnsafeBytes { JournalRecord($0, epoch: 8) } == nil)
        for place in bytes.indices {
            var torn = bytes
            torn[place] ^= 0x40
            #expect(torn.withUnsafeBytes { JournalRecord($0, epoch: 7) } == nil, "byte \(place)")
            #expect(bytes[..<place].withUnsafeBytes { JournalRecord($0, epoch: 7) } == nil, "\(place) bytes")
        }
    }

    @Test func aTornHeaderIsNone() {
        let bytes = header.encoded()
        for place in bytes.indices {
            var torn = bytes
            torn[place] ^= 0x40
            #expect(torn.withUnsafeBytes { JournalHeader(slot: $0) } == nil, "byte \(place)")
            #expect(bytes[..<place].withUnsafeBytes { JournalHeader(slot: $0) } == nil, "\(place) bytes")
        }
    }

    @Test func aJournalOfNoiseIsIgnored() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            try file.close()
        }
        var generator = SeededGenerator(seed: 1)
        let noise = (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let isWritten = FileManager.default.createFile(atPath: realm.path + ".journal", contents: Data(noise))
        #expect(isWritten)
        let file = try realm.open()
        try file.write([.create("Dog", 2)])
        try file.makeDurable(through: file.version)
        #expect(try file.snapshot().table(named: "Dog")?.count == 2)
    }
}
