import Foundation
import Model
import Query
import TestSupport
import Testing

@testable import Store

/// Files whose pages are damaged: LMDB would end the process over them.
@Suite struct DamagedPageTests {
    private func filled(_ realm: TestRealm) throws {
        let file = try realm.open()
        try file.ensure(dogs)
        for start in stride(from: Int64(0), to: 2_000, by: 100) {
            try file.write(
                (start..<(start + 100)).flatMap { [.create("Dog", $0), .set("Dog", $0, "name", .string("dog \($0)"))] })
        }
        try file.close()
    }

    private func isMarked(_ path: String) throws -> Bool {
        let descriptor = try FileSystem.openFile(path, O_RDONLY)
        defer { Glibc.close(descriptor) }
        return SoundnessMark.holds(descriptor)
    }

    /// Breaks the header of every leaf and branch.
    private func breakPages(_ path: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for page in stride(from: 2 * 4_096, to: bytes.count, by: 4_096) { bytes[page + 10] ^= 0x20 }
        let descriptor = try FileSystem.openFile(path, O_RDWR)
        defer { Glibc.close(descriptor) }
        #expect(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
    }

    @Test func aDamagedFileEndsNoProcess() throws {
        let seed = randomSeed
        let realm = TestRealm()
        let child = try StoreChildProcess("write", realm.path)
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline, (FileSystem.size(realm.path) ?? 0) < 200_000 { usleep(20_000) }
        _ = child.kill()
        try realm.open().close()
        let rounds = 150 * soakFactor
        let damaged = try StoreChildProcess(
            "damaged", realm.path, environment: ["REEVE_SEED": "\(seed)", "REEVE_ROUNDS": "\(rounds)"])
        let lines = damaged.finish()
        let comment = Comment(rawValue: "seed \(seed), \(lines.last ?? "nothing was printed")")
        try #require(damaged.process.terminationReason == .exit && damaged.process.terminationStatus == 0, comment)
        let outcome = try #require(lines.last?.split(separator: " ").compactMap { Int($0) })
        #expect(outcome.count == 2 && outcome[0] > 0 && outcome[1] > 0, comment)
    }

    @Test func aDamagedFileIsRefusedEachTime() throws {
        let realm = TestRealm()
        try filled(realm)
        try breakPages(realm.path)
        for _ in 0..<3 {
            let error = #expect(throws: StoreError.self) { try realm.open() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("page") == true)
            // A file that is bundled with an app has no agent that would look at it.
            #expect(throws: StoreError.self) { try FileReader(path: realm.path) }
        }
    }

    @Test func whatWasClosedInOrderIsNotLookedAtAgain() throws {
        let realm = TestRealm()
        try filled(realm)
        #expect(try isMarked(realm.path))
        let modified = try FileManager.default.attributesOfItem(atPath: realm.path)[.modificationDate] as? Date
        // Opening and closing it without a write leaves it as it was.
        do {
            let file = try realm.open()
            #expect(try !isMarked(realm.path), "who dies over a file doesn't trust it again")
            try file.close()
        }
        #expect(try isMarked(realm.path))
        #expect(try FileManager.default.attributesOfItem(atPath: realm.path)[.modificationDate] as? Date == modified)
        // Any other write to it counts, as does another file in its place.
        let descriptor = try FileSystem.openFile(realm.path, O_RDWR)
        #expect(pwrite(descriptor, [0], 1, 4_000) == 1)
        Glibc.close(descriptor)
        #expect(try !isMarked(realm.path))
        try realm.open().close()
        #expect(try isMarked(realm.path))
        let copy = realm.directory.path + "/copied"
        try FileManager.default.copyItem(atPath: realm.path, toPath: copy)
        #expect(try !isMarked(copy))
        // A copy that the store makes is as good as one that it closed.
        let again = try realm.open()
        try RealmFile.writeCopy(of: try again.snapshot(), to: realm.directory.path + "/made.realm")
        #expect(try isMarked(realm.directory.path + "/made.realm"))
        try again.write([.create("Dog", 9_999)])
        try again.close()
        #expect(try isMarked(realm.path))
    }

    @Test func aMetaPageThatNamesCountlessPagesCostsNothing() throws {
        let realm = TestRealm()
        try filled(realm)
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: realm.path)))
        var meta = Array(bytes[..<MetaPage.usedSize])
        meta.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(1) << 27, toByteOffset: 136, as: UInt64.self) }
        bytes.withUnsafeBytes { mapping in
            guard let start = mapping.baseAddress else { return }
            var walk = UnsafePageWalk(mapping, meta: meta, start: start)
            walk.walk(meta)
            #expect(walk.usedPages + walk.freePages <= bytes.count / 4_096)
        }
    }

    @Test func aFileThatIsTruncatedWhileOpenEndsNoProcess() throws {
        let realm = TestRealm()
        try filled(realm)
        let file = try realm.open()
        let snapshot = try file.snapshot()
        #expect(snapshot.checkInvariants() == [])
        #expect(truncate(realm.path, 8_192) == 0)
        // Zeros are no records.
        #expect(snapshot.checkInvariants() != [])
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try file.snapshot() }
            #expect(error?.code == .corrupt)
            #expect(throws: StoreError.self) { try file.write([.create("Dog", 77_777)]) }
        }
        #expect(throws: StoreError.self) { try file.compact() }
        try? file.close()
        withExtendedLifetime(snapshot) {}
    }

    /// What is missing of the last page reads as zeros, without any signal.
    @Test(arguments: [100, 4_096, 200_000]) func readsOfATruncatedFileAreRefused(missing: Int) throws {
        let realm = TestRealm()
        try filled(realm)
        let file = try realm.open()
        let snapshot = try file.snapshot()
        let all = ClassQuery("Dog")
        let path = try #require(PropertyPath(keyPath: "age"))
        #expect(try snapshot.count(all) == 2_000)
        let size = try #require(FileSystem.size(realm.path))
        #expect(truncate(realm.path, off_t(size - missing)) == 0)
        let copy = realm.directory.path + "/copy.realm"
        for _ in 0..<2 {
            for read in [
                { _ = try snapshot.objects(all) }, { _ = try snapshot.objects(all, among: [ObjectKey(0)]) },
                { _ = try snapshot.count(all) }, { _ = try snapshot.plan(all) },
                { _ = try snapshot.aggregate(.sum, path, over: all) },
                { _ = try snapshot.aggregate(.sum, path, className: "Dog", keys: [ObjectKey(0)]) },
                { try snapshot.checkIntact() }, { _ = try file.snapshot() },
                { try RealmFile.writeCopy(of: snapshot, to: copy) }, { try file.compact() }
            ] as [() throws -> Void] {
                let error = #expect(throws: StoreError.self) { try read() }
                #expect(error?.code == .corrupt)
            }
            #expect(FileSystem.size(copy) == nil)
            // What was cut off is gone, also when the file is as long as before.
            #expect(truncate(realm.path, off_t(size)) == 0)
        }
        try? file.close()
    }

    /// An app's own mapping.
    @Test func aReaderRefusesATruncatedFile() throws {
        let realm = TestRealm()
        try filled(realm)
        let reader = try FileReader(path: realm.path)
        let snapshot = try reader.snapshot()
        let size = try #require(FileSystem.size(realm.path))
        #expect(truncate(realm.path, off_t(size - 4_096)) == 0)
        #expect(throws: StoreError.self) { try snapshot.count(ClassQuery("Dog")) }
        #expect(throws: StoreError.self) { try reader.snapshot() }
    }

    @Test func whoHandlesBusErrorsGoesOnToDoSo() throws {
        let realm = TestRealm()
        #expect(try StoreChildProcess("fault", realm.path).finish() == ["ok"])
    }

    @Test func aTruncatedFileIsNotWrittenTo() throws {
        let realm = TestRealm()
        try filled(realm)
        let file = try realm.open()
        try file.write([.create("Dog", 9_998)])
        let size = try #require(FileSystem.size(realm.path))
        // Nothing that was cut off has been read since.
        #expect(truncate(realm.path, off_t(size - 4_096)) == 0)
        let error = #expect(throws: StoreError.self) { try file.write([.create("Dog", 9_999)]) }
        #expect(error?.code == .corrupt)
        #expect(FileSystem.size(realm.path) == size - 4_096)
    }
}
