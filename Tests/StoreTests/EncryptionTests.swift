import Foundation
import Model
import TestSupport
import Testing

@testable import Store

@Suite struct EncryptionTests {
    private static let marker = "a marked text that nobody may find"

    private func marked(_ number: Int64) -> [Instruction] {
        [.create("Dog", number), .set("Dog", number, "name", .string("\(Self.marker) \(number)"))]
    }

    @Test func anEncryptedRealmHoldsWhatWasWrittenWhenItIsOpenedAgain() throws {
        let realm = TestRealm()
        for run in Int64(0)..<4 {
            try useEncrypted(realm, run)
            #expect(try realm.fault() == nil)
        }
    }

    private func useEncrypted(_ realm: TestRealm, _ run: Int64) throws {
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        #expect(try count(file) == Int(run * 50))
        for number in 0..<50 {
            try file.write(marked(run * 50 + Int64(number)))
            if number % 10 == 3 { try file.checkpoint() }
            if number % 10 == 7 { try file.makeDurable(through: file.version) }
        }
        if run == 2 { try file.compact() }
        #expect(try file.verify().findings == [])
        try file.close()
    }

    private func count(_ file: RealmFile) throws -> Int? {
        try file.snapshot().table(named: "Dog")?.count
    }

    @Test func nothingReadableIsInTheFileNorBesideIt() throws {
        let realm = TestRealm()
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        for number in Int64(0)..<200 { try file.write(marked(number)) }
        try file.makeDurable(through: file.version)
        for suffix in ["", ".journal"] {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: realm.path + suffix)))
            #expect(bytes.count > 4_096)
            // Six bytes at least: a million random ones hold any three of them once in twenty times.
            for text in ["marked", "scores"] { #expect(!bytes.contains(text), "\(text) in \(suffix)") }
        }
        try file.compact()
        try file.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: realm.directory.path)
        #expect(names.contains("default.realm"))
        for name in names {
            #expect(
                !(FileManager.default.contents(atPath: realm.directory.path + "/" + name).map { [UInt8]($0) } ?? [])
                    .contains("marked"))
        }
    }

    @Test func aKeyThatDoesNotFitIsATypedError() throws {
        let realm = TestRealm()
        let plain = TestRealm()
        try realm.openEncrypted().close()
        try plain.open().close()
        #expect(try realm.fault(testKey(8)) == .keyWrong)
        #expect(try realm.fault(nil) == .keyMissing)
        #expect(try plain.fault(testKey()) == .keySuperfluous)
        #expect(try realm.fault() == nil)
        #expect(try plain.fault(nil) == nil)
        #expect(#expect(throws: StoreError.self) { try FileReader(path: realm.path) }?.code == .keyMissing)
        #expect(
            #expect(throws: StoreError.self) { try FileReader(path: realm.path, key: testKey(9)) }?.code == .keyWrong)
        #expect(
            #expect(throws: StoreError.self) { try FileReader(path: plain.path, key: testKey()) }?.code
                == .keySuperfluous)
        plain.put([UInt8]("no realm at all".utf8))
        #expect(try plain.fault(testKey()) == .notARealm)
        #expect(RealmKey([UInt8](repeating: 1, count: 63)) == nil)
        #expect(RealmKey([UInt8](repeating: 1, count: 65)) == nil)
        #expect(testKey().matches(testKey()))
        #expect(!testKey().matches(testKey(8)))
    }

    @Test func copiesAreEncryptedAsIsAskedFor() throws {
        let realm = TestRealm()
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        try file.write(marked(1))
        for (key, isReadable) in [(testKey(1), false), (nil, true)] {
            let copy = TestRealm()
            try RealmFile.writeCopy(of: try file.snapshot(), to: copy.path, key: key)
            #expect(copy.bytes.contains("marked") == isReadable)
            #expect(try copy.fault(key) == nil)
            let reader = try FileReader(path: copy.path, key: key)
            #expect(try reader.snapshot().table(named: "Dog")?.count == 1)
            // And back.
            let other = try copy.open { $0.key = key }
            let again = TestRealm()
            try RealmFile.writeCopy(of: try other.snapshot(), to: again.path, key: testKey(3))
            #expect(try again.fault(testKey(3)) == nil)
            #expect(!again.bytes.contains("marked"))
            try other.close()
        }
        try file.close()
    }

    /// Readers have memory of their own; it outlives the writer.
    @Test func whoReadsAnOlderGenerationIsUnharmed() throws {
        let realm = TestRealm()
        var file: RealmFile? = try realm.openEncrypted()
        try file?.ensure(dogs)
        for number in Int64(0)..<20 { try file?.write(marked(number)) }
        let descriptor = try #require(try file?.duplicateReadOnlyDescriptor())
        let reader = try FileReader(descriptor: descriptor)
        let snapshot = try reader.snapshot()
        try file?.compact()
        for number in Int64(20)..<40 { try file?.write(marked(number)) }
        try file?.makeDurable(through: file?.version ?? 0)
        // As after `kill -9`.
        file = nil
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.table(named: "Dog")?.count == 20)
        let again = try realm.openEncrypted()
        #expect(try again.snapshot().table(named: "Dog")?.count == 40)
        close(descriptor)
    }

    @Test func realmsInMemoryAreNotReadableOnDiskEither() throws {
        let realm = TestRealm()
        let file = try realm.openEncrypted { $0.inMemory = true }
        try file.ensure(dogs)
        try file.write(marked(1))
        try file.compact()
        #expect(!realm.bytes.contains("marked"))
        #expect(try file.verify().findings == [])
        try file.close()
        #expect(!FileManager.default.fileExists(atPath: realm.path))
    }

    @Test func theFilesOfLargeRealmsHaveSeveralLevelsOfNodes() throws {
        let realm = TestRealm()
        try growLarge(realm)
        let again = try realm.openEncrypted()
        #expect(try count(again) == 60)
        #expect(try again.verify().findings == [])
    }

    private func growLarge(_ realm: TestRealm) throws {
        let file = try realm.openEncrypted()
        try file.ensure(dogs)
        let photo = Value.binary(Data(repeating: 5, count: 1 << 20))
        for number in Int64(0)..<60 {
            try file.write(marked(number) + [.set("Dog", number, "photo", photo)])
            if number % 15 == 7 { try file.checkpoint() }
        }
        try file.checkpoint()
        let height = try #require(try file.environment().encrypted?.state.withLock { $0.tree.height })
        #expect(height == 3)
        #expect(try file.verify().findings == [])
        try file.close()
    }
}
