import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// The power fails while a checkpoint of an encrypted file is under way: before each sync, with any of the blocks
/// written since the last one on disk and others not.
@Suite struct EncryptionPowerLossTests {
    private struct Failures {
        /// What is on disk for certain.
        var synced: [UInt8] = []
        /// A file, its journal, and the version that was acknowledged before.
        var images: [(file: [UInt8], journal: [Int: [UInt8]], version: UInt64)] = []
        var acknowledged: UInt64 = 0
        var generator: SeededGenerator

        mutating func sample(_ now: [UInt8], _ journal: [Int: [UInt8]]) {
            if acknowledged > 0 {
                images.append((mixed(now), journal, acknowledged))
                images.append((now, journal, acknowledged))
                images.append((synced, journal, acknowledged))
            }
            synced = now
        }

        private mutating func mixed(_ now: [UInt8]) -> [UInt8] {
            var result = synced + [UInt8](repeating: 0, count: max(0, now.count - synced.count))
            for block in stride(from: 0, to: now.count, by: 4_096) where Bool.random(using: &generator) {
                let end = min(block + 4_096, now.count)
                result.replaceSubrange(block..<end, with: now[block..<end])
            }
            return result
        }
    }

    /// A checkpoint that was killed had made the file longer, for transactions that weren't acknowledged.
    @Test func whatACrashLeavesBehindTheEndGoesWithTheNextCheckpoint() throws {
        let realm = TestRealm()
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        try file.write([.create("Dog", 1)])
        try file.makeDurable(through: file.version)
        let crashed = TestRealm()
        crashed.put(realm.bytes + [UInt8](repeating: 0x5A, count: 300_000))
        crashed.putJournal(realm.journalParts)
        try file.close()

        let again = try crashed.openEncrypted()
        #expect(try again.verify().findings == [], "it may have been torn")
        try again.write([.create("Dog", 2)])
        try again.checkpoint()
        #expect(try again.verify().findings == [])
        #expect(crashed.bytes.count < 300_000)
        #expect(try again.snapshot().table(named: "Dog")?.count == 2)
        try again.close()
    }

    @Test func everySyncOfACheckpointMayBeTheLast() throws {
        let seed = randomSeed
        let realm = TestRealm()
        let failures = Lock(Failures(generator: SeededGenerator(seed: seed)))
        let file = try realm.openEncrypted {
            $0.syncFile = { _ in
                let (bytes, journal) = (realm.bytes, realm.journalParts)
                failures.withLock { $0.sample(bytes, journal) }
                return 0
            }
        }
        try file.ensure(dogs)
        for number in Int64(0)..<16 {
            try file.write([
                .create("Dog", number), .set("Dog", number, "name", .string("dog \(number)")),
                .set("Dog", number / 2, "photo", .binary(Data(repeating: UInt8(number), count: 9_000)))
            ])
            try file.makeDurable(through: file.version)
            let version = file.version
            failures.withLock { $0.acknowledged = version }
            if number % 4 == 3 { try file.checkpoint() }
        }
        let images = failures.withLock { $0.images }
        #expect(images.count > 12)
        let lost = TestRealm()
        for (number, image) in images.enumerated() {
            let comment = Comment(rawValue: "seed \(seed), image \(number)")
            lost.remove()
            lost.put(image.file)
            lost.putJournal(image.journal)
            // The second opening finds what the first made of it.
            for _ in 0..<2 { try expectWhole(lost, image.version, comment) }
        }
    }

    private func expectWhole(_ lost: TestRealm, _ version: UInt64, _ comment: Comment) throws {
        let file = try lost.openEncrypted()
        #expect(file.version >= version, comment)
        #expect(try file.verify().findings == [], comment)
        try file.write([.set("Dog", 0, "good", .bool(true))])
        try file.close()
    }

    @Test func whatAWriteThatFailedLeftBehindIsClearedByTheNextCheckpoint() throws {
        let realm = TestRealm()
        try useAfterFailure(realm)
        let file = try realm.openEncrypted()
        #expect(try file.verify().findings == [])
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
    }

    private func useAfterFailure(_ realm: TestRealm) throws {
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        try file.write([.create("Dog", 1)])
        try file.makeDurable(through: file.version)
        let stage = try #require(try file.environment().encrypted)
        // What a write that failed in the middle leaves.
        stage.state.withLock { $0.hasTornBlocks = true }
        var noise = [UInt8](repeating: 9, count: 4_096)
        let free = try #require((2..<200).first { !stage.state.withLock { $0.tree }.usedPages[$0] })
        pwrite(stage.descriptor, &noise, noise.count, off_t(BlockLayout.block(ofPage: free) * 4_096))
        try file.write([.set("Dog", 1, "age", .int(3))])
        try file.checkpoint()
        #expect(try file.verify().findings == [])
        try file.close()
    }
}
