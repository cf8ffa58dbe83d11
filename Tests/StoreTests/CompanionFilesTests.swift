import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Whose the files beside a realm are.
@Suite struct CompanionFilesTests {
    private func exists(_ path: String) -> Bool { FileIdentity(path: path) != nil }

    private func make(_ path: String, _ text: String = "the user's own") throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    private func names(_ realm: TestRealm) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: realm.directory.path))
    }

    @Test func aRealmThatWasReplacedLeavesItsSuccessorsFilesAlone() throws {
        let realm = TestRealm()
        let first = try realm.open()
        try first.ensure(dogs)
        try first.write([.create("Dog", 1)])
        unlink(realm.path)
        #expect(!first.isInPlace)
        first.leavePath()
        let second = try realm.open { $0.bootId = "before" }
        #expect(second.wasCreated && second.isInPlace)
        try second.ensure(dogs)
        try second.write([.create("Dog", 2)])
        try second.makeDurable(through: second.version)
        let journal = try #require(FileIdentity(path: realm.path + ".journal"))
        try first.close()
        #expect(FileIdentity(path: realm.path + ".journal") == journal)
        #expect(exists(realm.path + "-lock"))
        #expect(second.isInPlace)
    }

    @Test func theReaderTableHasItsRoomOnDiskBeforeItIsMapped() throws {
        let realm = TestRealm()
        let file = try realm.open()
        var status = stat()
        #expect(stat(realm.path + "-lock", &status) == 0)
        #expect(status.st_size > 0 && status.st_blocks * 512 >= status.st_size)
        try file.close()
    }

    @Test func aClosedRealmLeavesNothingButItsLock() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        try file.compact()
        try file.close()
        #expect(try names(realm) == ["default.realm", "default.realm.lock"])
    }

    @Test func filesOfTheUserAreNobodysLeftovers() throws {
        let realm = TestRealm()
        let own = [".new", ".compact", ".new-0123456", ".new-0123456G", ".new-01234567.txt", "x.new-01234567"]
        for suffix in own { try make(realm.path + suffix) }
        let file = try realm.open()
        try file.ensure(dogs)
        try file.compact()
        try RealmFile.writeCopy(of: try file.snapshot(), to: realm.directory.path + "/copy.realm")
        try file.close()
        for suffix in own {
            #expect(try String(contentsOfFile: realm.path + suffix, encoding: .utf8) == "the user's own", "\(suffix)")
        }
    }

    @Test func whatAKilledProcessWasMakingIsRemoved() throws {
        let realm = TestRealm()
        try make(realm.path + ".new-0123abcd")
        let atWork = try TemporaryFile(for: realm.path)
        do {
            let file = try realm.open()
            #expect(!exists(realm.path + ".new-0123abcd"))
            // Somebody is still at the other one.
            #expect(exists(atWork.path))
            try file.ensure(dogs)
            try make(realm.path + ".new-00000000")
            // Not closed: as after a kill.
        }
        let file = try realm.open()
        #expect(!exists(realm.path + ".new-00000000") && exists(atWork.path))
        try file.close()
        withExtendedLifetime(atWork) {}
    }

    @Test func namesThatCompanionsHaveAreReserved() {
        for name in ["a.lock", "a-lock", "a.journal", ".lock", "a.new-01234567", "a.realm.new-89abcdef"] {
            #expect(CompanionFiles.isReserved(name), "\(name)")
        }
        for name in ["a", "a.realm", "a.new", "a.compact", "lock", "a.new-0123456", "a.new-0123456X", "a.new-012345678"]
        {
            #expect(!CompanionFiles.isReserved(name), "\(name)")
        }
        #expect(CompanionFiles.isReserved((CompanionFiles.temporary(for: "/a/b") as NSString).lastPathComponent))
    }

    @Test func copiesToOneDestinationDontMeet() throws {
        for _ in 0..<(5 * soakFactor) {
            let realm = TestRealm()
            let file = try realm.open()
            try file.ensure(dogs)
            try file.write((0..<2_000).map { .create("Dog", $0) })
            let snapshot = try file.snapshot()
            let target = realm.directory.path + "/copy.realm"
            let outcomes = Lock<[StoreError.Code?]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    try RealmFile.writeCopy(of: snapshot, to: target)
                    outcomes.withLock { $0.append(nil) }
                } catch {
                    outcomes.withLock { $0.append((error as? StoreError)?.code ?? .inputOutput) }
                }
            }
            let all = outcomes.withLock { $0 }
            #expect(all.filter { $0 == nil }.count == 1 && all.filter { $0 == .fileExists }.count == 3)
            let copy = try RealmFile(path: target)
            #expect(try copy.snapshot().table(named: "Dog")?.count == 2_000)
            #expect(try copy.verify().findings == [])
            try copy.close()
            #expect(try !names(realm).contains { $0.contains(".new-") })
        }
    }

    @Test func oneFileUnderTwoNamesHasOneWriter() throws {
        let realm = TestRealm()
        let other = realm.directory.path + "/other.realm"
        let file = try realm.open()
        try file.ensure(dogs)
        #expect(link(realm.path, other) == 0)
        let error = #expect(throws: StoreError.self) { try RealmFile(path: other) }
        #expect(error?.code == .locked)
        // A new generation is another file, and the former one is free as soon as nobody reads it.
        let snapshot = try file.snapshot()
        try file.compact()
        #expect(throws: StoreError.self) { try RealmFile(path: other) }
        withExtendedLifetime(snapshot) {}
    }

    @Test func aRenamedFileIsStillItsWriters() throws {
        let realm = TestRealm()
        let other = realm.directory.path + "/other.realm"
        let file = try realm.open()
        try file.ensure(dogs)
        let snapshot = try file.snapshot()
        #expect(rename(realm.path, other) == 0)
        file.leavePath()
        let successor = try realm.open()
        try file.close()
        // The snapshot is read without a writer that would keep its pages.
        let error = #expect(throws: StoreError.self) { try RealmFile(path: other) }
        #expect(error?.code == .locked)
        #expect(snapshot.checkInvariants() == [])
        try successor.close()
    }

    @Test func whoWaitsIsToldWhenTheLastSnapshotIsGone() throws {
        let realm = TestRealm()
        let released = Lock(false)
        var snapshot: Snapshot?
        do {
            let file = try realm.open()
            snapshot = try file.snapshot()
            file.whenReleased { released.withLock { $0 = true } }
            try file.close()
        }
        #expect(snapshot?.version == 1 && !released.withLock { $0 })
        snapshot = nil
        #expect(released.withLock { $0 })
        #expect(try realm.open().version == 1)
    }

    @Test func linksInThePlacesOfCompanionsAreNotFollowed() throws {
        // R84
        for suffix in [".lock", ".journal"] {
            let realm = TestRealm()
            let victim = realm.directory.path + "/victim"
            try make(victim)
            #expect(symlink(victim, realm.path + suffix) == 0)
            let error = #expect(throws: StoreError.self) { try realm.open() }
            #expect(error?.code == .permissionDenied, "\(suffix)")
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "the user's own")
        }
    }

    @Test func aFileThatCameDuringACompactionIsNotReplaced() throws {
        let realm = TestRealm()
        let file = try realm.open()
        try file.ensure(dogs)
        unlink(realm.path)
        try make(realm.path)
        let error = #expect(throws: StoreError.self) { try file.compact() }
        #expect(error?.code == .fileNotFound)
        #expect(try String(contentsOfFile: realm.path, encoding: .utf8) == "the user's own")
    }
}
