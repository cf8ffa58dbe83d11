import Foundation
import Model
import TestSupport
import Testing

@testable import Store

@Suite struct EncryptionDamageTests {
    /// A realm closed in order, with pages that are free and nodes of older checkpoints.
    private func closedRealm(dogs count: Int64) throws -> TestRealm {
        let realm = TestRealm()
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        for number in 0..<count {
            try file.write([.create("Dog", number), .set("Dog", number, "name", .string("dog \(number)"))])
            if number % 7 == 0 { try file.checkpoint() }
        }
        try file.close()
        return realm
    }

    /// Reads without LMDB: the file's own findings are those of opening and verifying it.
    private func isDetected(_ realm: TestRealm) -> Bool {
        do {
            let descriptor = try FileSystem.openFile(realm.path, O_RDONLY)
            let opened = try EncryptedFile.open(descriptor, realm.path, testKey())
            return try !opened.file.findings().isEmpty
        } catch {
            return true
        }
    }

    @Test func everyFlippedByteOfASmallFileIsDetected() throws {
        let realm = try closedRealm(dogs: 2)
        #expect(!isDetected(realm))
        let bytes = realm.bytes
        let descriptor = try FileSystem.openFile(realm.path, O_RDWR)
        defer { close(descriptor) }
        var generator = SeededGenerator(seed: randomSeed)
        // In the middle of blocks one byte is as good as another; every one of the headers, and every 37th.
        for place in bytes.indices where place < 8_192 ? place % 4_096 < 540 || place % 53 == 0 : place % 499 == 0 {
            var byte = bytes[place] ^ UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            pwrite(descriptor, &byte, 1, off_t(place))
            #expect(isDetected(realm), "byte \(place)")
            byte = bytes[place]
            pwrite(descriptor, &byte, 1, off_t(place))
        }
        #expect(!isDetected(realm))
    }

    @Test func flippedBitsOfALargerFileAreDetectedByOpeningOrVerifyingIt() throws {
        let seed = randomSeed
        var generator = SeededGenerator(seed: seed)
        let realm = try closedRealm(dogs: 80)
        let bytes = realm.bytes
        for round in 0..<(40 * soakFactor) {
            var damaged = bytes
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            realm.put(damaged)
            realm.remove()
            let fault = try realm.fault()
            #expect(fault == .corrupt || fault == .newerFormat, "seed \(seed), round \(round), byte \(place)")
        }
    }

    @Test func aTruncatedOrExtendedFileIsDetected() throws {
        let realm = try closedRealm(dogs: 20)
        let bytes = realm.bytes
        for length in [0, 100, 512, 4_096, 5_000, 9_000, bytes.count / 2, bytes.count - 4_096, bytes.count - 1] {
            realm.put(Array(bytes[..<length]))
            realm.remove()
            // A file of no bytes counts as none.
            let expected: [StoreError.Code?] =
                length == 0 ? [nil] : length < 5_000 ? [.corrupt, .notARealm] : [.corrupt]
            #expect(expected.contains(try realm.fault()), "\(length) bytes")
        }
        realm.put(bytes + [0])
        #expect(isDetected(realm))
    }

    @Test func blocksThatChangedPlacesAreDetected() throws {
        let realm = try closedRealm(dogs: 40)
        let bytes = realm.bytes
        var (a, b) = (BlockLayout.block(ofPage: 3) * 4_096, BlockLayout.block(ofPage: 4) * 4_096)
        for _ in 0..<3 {
            var swapped = bytes
            swapped.replaceSubrange(a..<(a + 4_096), with: bytes[b..<(b + 4_096)])
            swapped.replaceSubrange(b..<(b + 4_096), with: bytes[a..<(a + 4_096)])
            realm.put(swapped)
            #expect(isDetected(realm))
            (a, b) = (a + 4_096, b + 4_096)
        }
        // An older page in the place of the newer.
        realm.put(bytes)
        let file = try realm.openEncrypted()
        for _ in 0..<20 {
            try file.write([.set("Dog", 1, "age", .int(5))])
            try file.checkpoint()
        }
        try file.close()
        let newer = realm.bytes
        var isOlderTried = false
        for page in 2..<20 {
            let block = BlockLayout.block(ofPage: page) * 4_096
            guard newer[block..<(block + 4_096)] != bytes[block..<(block + 4_096)] else { continue }
            var mixed = newer
            mixed.replaceSubrange(block..<(block + 4_096), with: bytes[block..<(block + 4_096)])
            realm.put(mixed)
            #expect(isDetected(realm), "page \(page)")
            isOlderTried = true
        }
        #expect(isOlderTried)
    }

    // MARK: The journal

    /// A realm as a killed process leaves it: `count` transactions in the journal, all acknowledged one by one.
    private func killedRealm(_ count: Int64) throws -> TestRealm {
        let realm = TestRealm()
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        try file.makeDurable(through: file.version)
        for number in 0..<count {
            try file.write([.create("Dog", number), .set("Dog", number, "name", .string("dog \(number)"))])
            try file.makeDurable(through: file.version)
        }
        return realm
    }

    @Test func damagedRecordsOfTheJournalAreDetectedButForATornEnd() throws {
        let realm = try killedRealm(12)
        let (bytes, journal) = (realm.bytes, realm.journal)
        let starts = journal.indices.filter { $0 >= 8_192 }
        let end = try #require(starts.last { journal[$0] != 0 })
        var whole = 0
        for place in Array(stride(from: 8_192, through: end, by: 97)) + Array(stride(from: 0, to: 8_192, by: 149)) {
            var damaged = journal
            damaged[place] ^= 4
            realm.remove()
            realm.put(bytes)
            realm.put(damaged, ".journal")
            do {
                let file = try realm.openEncrypted()
                // Only what nothing after it calls acknowledged may be missing: the last record.
                let count = try file.snapshot().table(named: "Dog")?.count ?? 0
                #expect(count >= 10 && place > 8_192, "byte \(place): \(count)")
                whole += 1
            } catch let error as StoreError {
                #expect(error.code == .corrupt, "byte \(place)")
            }
        }
        #expect(whole > 0)
    }

    @Test func droppedAndReorderedRecordsAreDetected() throws {
        let realm = try killedRealm(6)
        let (bytes, journal) = (realm.bytes, realm.journal)
        var sizes: [Int] = []
        let start = try #require([16_785_408, 8_192].first { $0 < journal.count && journal[$0] != 0 })
        var at = start
        while at + 4 < journal.count {
            let count = Int(journal[at]) | Int(journal[at + 1]) << 8
            guard count > 0 else { break }
            sizes.append(40 + count)
            at += sizes.last ?? 0
        }
        try #require(sizes.count >= 6)
        func opened(_ records: [UInt8]) throws -> StoreError.Code? {
            var changed = Array(journal[..<start]) + records
            changed += [UInt8](repeating: 0, count: journal.count - changed.count)
            realm.remove()
            realm.put(bytes)
            realm.put(changed, ".journal")
            return try realm.fault()
        }
        #expect(try opened(Array(journal[start...])) == nil)
        // Without the second record.
        let second = start + sizes[0]
        let third = second + sizes[1]
        #expect(try opened(Array(journal[start..<second] + journal[third...])) == .corrupt)
        // In another order.
        #expect(
            try opened(
                Array(journal[start..<second] + journal[third..<(third + sizes[2])])
                    + Array(journal[second..<third] + journal[(third + sizes[2])...])) == .corrupt)
        // Its room left empty.
        #expect(
            try opened(
                Array(journal[start..<second]) + [UInt8](repeating: 0, count: sizes[1]) + Array(journal[third...]))
                == .corrupt)
    }
}
