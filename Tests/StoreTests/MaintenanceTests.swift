import CPlatform
import Foundation
import Model
import TestSupport
import Testing

@testable import Store

@Suite struct MaintenanceTests {
    private func filled(_ realm: TestRealm, _ count: Int64 = 3_000) throws -> RealmFile {
        let file = try realm.open()
        try file.ensure(dogs)
        try file.write(
            (0..<count).flatMap { [.create("Dog", $0), .set("Dog", $0, "name", .string("dog number \($0)"))] })
        return file
    }

    @Test func compactionGivesRoomBackAndKeepsOldSnapshotsReadable() throws {
        let realm = TestRealm()
        let file = try filled(realm)
        let old = try file.snapshot()
        try file.write((10..<3_000).map { .erase("Dog", $0) })
        let size = try file.fileSize()
        let version = file.version
        try file.compact()
        #expect(try file.fileSize() < size / 4)
        #expect(file.generation == 2 && file.version == version)
        let table = try #require(old.table(named: "Dog"))
        #expect(table.count == 3_000 && old.checkInvariants() == [])
        // The new generation is written while the old one is read.
        try file.write([.create("Dog", 5_000)])
        try file.makeDurable(through: file.version)
        #expect(old.checkInvariants() == [])
        #expect(try file.snapshot().table(named: "Dog")?.count == 11)
        #expect(try file.verify().findings == [])
        // What is remembered of former commits comes along.
        #expect(try file.snapshot().changes(after: version - 1) != nil)
        withExtendedLifetime(old) {}
    }

    @Test func aKillAfterCompactionLosesNothing() throws {
        let realm = TestRealm()
        do {
            let file = try filled(realm)
            try file.compact()
            try file.write([.create("Dog", 5_000)])
            try file.makeDurable(through: file.version)
        }
        let file = try realm.open { $0.bootId = "another" }
        #expect(file.generation == 2)
        #expect(try file.snapshot().table(named: "Dog")?.count == 3_001)
    }

    @Test func freePagesAreCounted() throws {
        let realm = TestRealm()
        let file = try filled(realm)
        let used = try file.usedBytes()
        #expect(used <= (try file.fileSize()))
        try file.write((0..<3_000).map { .erase("Dog", $0) })
        #expect(try file.usedBytes() < used)
        #expect(try !file.isCompactionDue())
    }

    @Test func aCopyIsARealmOfItsOwn() throws {
        // FI-01
        let realm = TestRealm()
        let other = TestRealm()
        let file = try filled(realm)
        let snapshot = try file.snapshot()
        try file.write([.create("Dog", 9_999)])
        try RealmFile.writeCopy(of: snapshot, to: other.path)
        let error = #expect(throws: StoreError.self) { try RealmFile.writeCopy(of: snapshot, to: other.path) }
        #expect(error?.code == .fileExists)
        let nowhere = #expect(throws: StoreError.self) {
            try RealmFile.writeCopy(of: snapshot, to: other.directory.path + "/no/where.realm")
        }
        #expect(nowhere?.code == .fileNotFound)
        let copy = try other.open()
        #expect(try copy.snapshot().table(named: "Dog")?.count == 3_000)
        #expect(try copy.verify().findings == [])
        try copy.write([.create("Dog", 7_777)])
        #expect(try file.snapshot().table(named: "Dog")?.count == 3_001)
        withExtendedLifetime(snapshot) {}
    }

    @Test func aCopyOfAnOpenTransactionHoldsItsChanges() throws {
        let realm = TestRealm()
        let other = TestRealm()
        let file = try filled(realm, 10)
        let transaction = try file.beginWrite()
        try Changeset.encode([.create("Dog", 50)]).withUnsafeBytes { try transaction.apply($0) }
        try RealmFile.writeCopy(of: try transaction.reader(), to: other.path)
        transaction.rollback()
        #expect(try other.open().snapshot().table(named: "Dog")?.count == 11)
    }

    @Test func readersThatNobodyPinnedGetAFileOfTheirOwn() throws {
        let realm = TestRealm()
        let reader: FileReader
        let snapshot: Snapshot
        do {
            let file = try filled(realm, 500)
            reader = try FileReader(descriptor: try file.duplicateReadOnlyDescriptor())
            snapshot = try reader.snapshot()
            // The agent dies here; its pins with it.
        }
        let file = try realm.open()
        #expect(file.generation == 1)
        for round in 0..<20 { try file.write((0..<500).map { .set("Dog", $0, "age", .int(Int64(round))) }) }
        #expect(file.generation == 2)
        #expect(snapshot.checkInvariants() == [])
        #expect(snapshot.table(named: "Dog")?.count == 500)
        withExtendedLifetime((reader, snapshot)) {}
    }

    @Test func verifyNamesWhatIsDamaged() throws {
        let seed = randomSeed
        var generator = SeededGenerator(seed: seed)
        let realm = TestRealm()
        do {
            let file = try filled(realm)
            try file.close()
        }
        let intact = try #require(FileManager.default.contents(atPath: realm.path))
        #expect(try RealmFile.verifyPages(path: realm.path).findings == [])
        var found = 0
        for _ in 0..<(60 * soakFactor) {
            var damaged = intact
            let page = Int.random(in: 2..<(damaged.count / 4_096), using: &generator) * 4_096
            for _ in 0..<16 {
                damaged[page + Int.random(in: 0..<64, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try damaged.write(to: URL(fileURLWithPath: realm.path))
            if try !RealmFile.verifyPages(path: realm.path).isClean { found += 1 }
        }
        // Pages of values and free pages have no structure of their own; the others do.
        #expect(found > 0, "seed \(seed)")
    }

    @Test func summariesAreDroppedBeyondTheLimit() throws {
        let realm = TestRealm()
        let file = try realm.open { $0.changeHistoryLimit = 100 }
        try file.ensure(dogs)
        let first = file.version
        for number in 0..<400 { try file.write([.create("Dog", Int64(number))]) }
        let snapshot = try file.snapshot()
        #expect(snapshot.changes(after: first) == nil)
        let table = try #require(snapshot.table(named: "Dog"))
        #expect(snapshot.changes(after: file.version - 100)?.tables[table.stored.id]?.insertions.count == 100)
        #expect(snapshot.checkInvariants() == [])
    }

    @Test func manySmallCommitsMakeFullClusters() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        for number in 0..<1_100 { try file.write([.create("Dog", Int64(number))]) }
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        #expect(table.cluster(at: 0).count == 1_000)
        #expect(table.clusterCount <= 4 && snapshot.checkInvariants() == [])
        let transaction = try file.beginWrite()
        try Changeset.encode((0..<10_000).map { .create("Dog", 10_000 + $0) }).withUnsafeBytes {
            try transaction.apply($0)
        }
        try transaction.commit(uid: nil)
        let after = try file.snapshot()
        #expect(after.table(named: "Dog").map { $0.clusterCount <= 15 } == true)
        #expect(after.checkInvariants() == [])
    }
}

@Suite struct MaintenanceOpeningTests {
    @Test func foreignFilesAreRefusedByName() throws {
        let realm = TestRealm()
        func refusal(_ bytes: [UInt8]) throws -> StoreError.Code? {
            try Data(bytes).write(to: URL(fileURLWithPath: realm.path))
            let error = #expect(throws: StoreError.self) { try realm.open() }
            return error?.code
        }
        #expect(try refusal(Array("not a realm".utf8)) == .notARealm)
        #expect(try refusal([UInt8](repeating: 0, count: 100_000)) == .notARealm)
        #expect(try refusal((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }) == .notARealm)
    }

    @Test func aNewerFormatIsRefusedNamingBoth() throws {
        let realm = TestRealm()
        try realm.open().close()
        let descriptor = try FileSystem.openFile(realm.path, O_RDWR)
        let newer = FileStamp(format: FileFormat.version + 1, identity: UUID(), generation: 1)
        try newer.write(to: descriptor, path: realm.path)
        Glibc.close(descriptor)
        let error = #expect(throws: StoreError.self) { try realm.open() }
        #expect(error?.code == .newerFormat)
        #expect(
            error?.message
                == "the file has format \(FileFormat.version + 1); this version reads formats up to \(FileFormat.version)"
        )
    }

    @Test func aTruncatedFileIsRefused() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            try file.write((0..<500).map { .create("Dog", $0) })
            try file.close()
        }
        let size = try #require(FileSystem.size(realm.path))
        for length in [size / 2, 8_192, 4_096, 1_500] {
            #expect(truncate(realm.path, off_t(length)) == 0)
            let error = #expect(throws: StoreError.self) { try realm.open() }
            #expect(
                error?.code == .corrupt || error?.code == .notARealm, "\(length) bytes: \(String(describing: error))")
        }
    }

    @Test func missingFilesDirectoriesAndEmptyFiles() throws {
        let realm = TestRealm()
        #expect(throws: StoreError.self) { try realm.open { $0.create = false } }
        #expect(!FileManager.default.fileExists(atPath: realm.path + ".lock"))
        let error = #expect(throws: StoreError.self) { try RealmFile(path: realm.directory.path + "/no/where.realm") }
        #expect(error?.code == .fileNotFound)
        let directory = #expect(throws: StoreError.self) { try RealmFile(path: realm.directory.path) }
        #expect(directory?.code == .isADirectory)
        // A file that somebody made and wrote nothing to is as good as none.
        try Data().write(to: URL(fileURLWithPath: realm.path))
        #expect(try realm.open().wasCreated)
    }

    @Test func creatorsRaceAndOneWins() throws {
        // R11
        for _ in 0..<(20 * soakFactor) {
            let realm = TestRealm()
            let outcomes = Lock<[Result<Bool, StoreError>]>([])
            let kept = Lock<[RealmFile]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    let file = try realm.open()
                    kept.withLock { $0.append(file) }
                    outcomes.withLock { $0.append(.success(file.wasCreated)) }
                } catch let error as StoreError {
                    outcomes.withLock { $0.append(.failure(error)) }
                } catch {
                    Issue.record(error)
                }
            }
            let all = outcomes.withLock { $0 }
            #expect(all.filter { (try? $0.get()) == true }.count == 1)
            #expect(all.allSatisfy { if case .failure(let error) = $0 { error.code == .locked } else { true } })
        }
    }

    @Test func realmsInMemoryLeaveNothing() throws {
        let realm = TestRealm()
        let file = try realm.open { $0.inMemory = true }
        try file.ensure(dogs)
        try file.write([.create("Dog", 1)])
        try file.makeDurable(through: file.version)
        try file.compact()
        #expect(try file.snapshot().table(named: "Dog")?.count == 1)
        try file.close()
        #expect(!FileManager.default.fileExists(atPath: realm.path))
        #expect(!FileManager.default.fileExists(atPath: realm.path + ".journal"))
    }
}
