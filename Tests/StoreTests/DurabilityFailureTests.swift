import Foundation
import Model
import TestSupport
import Testing

@testable import Store

/// Disks that fail, journals that belong to something else.
@Suite struct DurabilityFailureTests {
    private func header(_ realm: TestRealm) throws -> JournalHeader {
        try #require(try Journal.header(of: realm.path))
    }

    private func ids(_ file: RealmFile) throws -> [Int64] {
        let snapshot = try file.snapshot()
        let table = try #require(snapshot.table(named: "Dog"))
        let id = try #require(table.stored.column(named: "id"))
        return (0..<table.count).compactMap {
            guard case .int(let value) = table.value(table.key(at: $0), id) else { return nil }
            return value
        }
    }

    @Test func whatAKilledProcessHadntSyncedIsSyncedByTheNext() throws {
        let realm = TestRealm()
        let syncs = Lock(0)
        do {
            let file = try realm.open()
            try file.ensure(dogs)
            try file.makeDurable(through: file.version)
            try file.write([.create("Dog", 1)])
            // Nobody waited for the disk; killed.
        }
        let checkpoint = try header(realm).version
        let file = try realm.open {
            $0.syncFile = { descriptor in
                syncs.withLock { $0 += 1 }
                return fdatasync(descriptor)
            }
        }
        // Who asks for the outcome of that commit is told that it is there: a power failure may not take it back.
        #expect(file.version > checkpoint)
        #expect(try header(realm).version == file.version)
        #expect(syncs.withLock { $0 } == 1)
        try file.makeDurable(through: file.version)
        #expect(syncs.withLock { $0 } == 1)
    }

    @Test func aSyncThatSucceedsAfterOneThatFailedPromisesNothing() throws {
        let realm = TestRealm()
        let isBroken = Lock(false)
        do {
            let file = try realm.open {
                $0.bootId = "boot"
                $0.syncFile = { descriptor in
                    if isBroken.withLock({ $0 }) {
                        errno = EIO
                        return -1
                    }
                    return fdatasync(descriptor)
                }
            }
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            try file.makeDurable(through: file.version)
            try file.checkpoint()
            try file.write([.create("Dog", 2)])
            try file.makeDurable(through: file.version)
            isBroken.withLock { $0 = true }
            #expect(throws: StoreError.self) { try file.checkpoint() }
            isBroken.withLock { $0 = false }
            let error = #expect(throws: StoreError.self) { try file.checkpoint() }
            #expect(error?.code == .inputOutput)
            #expect(throws: StoreError.self) { try file.compact() }
            #expect(file.generation == 1)
            try file.write([.create("Dog", 3)])
            #expect(throws: StoreError.self) { try file.makeDurable(through: file.version) }
            #expect(throws: StoreError.self) { try file.close() }
        }
        let left = try header(realm)
        #expect(!left.isClean && left.bootId.isEmpty && left.version == 3)
        // The page cache isn't trusted, though it is the same boot: back to the checkpoint, and on with the journal.
        let file = try realm.open { $0.bootId = "boot" }
        #expect(try ids(file).starts(with: [1, 2]))
        #expect(try file.verify().findings == [])
        try file.write([.create("Dog", 4)])
        try file.makeDurable(through: file.version)
        try file.close()
    }

    @Test func aFileThatMustBeRecoveredIsNotChangedUnderItsReaders() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open { $0.bootId = "" }
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
        }
        let descriptor = try FileSystem.openFile(realm.path, O_RDONLY)
        let reader = try FileReader(descriptor: descriptor)
        Glibc.close(descriptor)
        let snapshot = try reader.snapshot()
        let error = #expect(throws: StoreError.self) { try realm.open { $0.bootId = "" } }
        #expect(error?.code == .locked)
        #expect(snapshot.table(named: "Dog")?.count == 1)
        withExtendedLifetime(reader) {}
    }

    @Test func aBackupIsNotRecoveredWithTheJournalOfAYoungerFile() throws {
        let realm = TestRealm()
        let backup = realm.directory.path + "/backup"
        do {
            let file = try realm.open { $0.bootId = "before" }
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            try file.close()
        }
        try FileManager.default.copyItem(atPath: realm.path, toPath: backup)
        do {
            let file = try realm.open { $0.bootId = "before" }
            for number in Int64(0)..<50 {
                try file.write((Int64(0)..<100).map { .create("Dog", number * 100 + $0 + 2) })
            }
            try file.checkpoint()
            try file.write([.create("Dog", 9_999)])
            try file.makeDurable(through: file.version)
        }
        // The power fails; the user puts the backup in the file's place. Same identity, same generation.
        unlink(realm.path)
        try FileManager.default.copyItem(atPath: backup, toPath: realm.path)
        let file = try realm.open { $0.bootId = "after" }
        #expect(try file.verify().findings == [])
        #expect(try ids(file) == [1])
        try file.write([.create("Dog", 2)])
        try file.makeDurable(through: file.version)
        #expect(try ids(file) == [1, 2])
        try file.close()
    }

    @Test func aJournalThatCantBeReadIsNotTakenForNone() throws {
        let realm = TestRealm()
        do {
            let file = try realm.open { $0.bootId = "before" }
            try file.ensure(dogs)
            try file.write([.create("Dog", 1)])
            try file.makeDurable(through: file.version)
        }
        let journal = realm.path + ".journal"
        let aside = journal + ".aside"
        #expect(rename(journal, aside) == 0)
        // Leads to itself: opening it fails, as it would for lack of descriptors or rights.
        #expect(symlink(journal, journal) == 0)
        #expect(throws: StoreError.self) { try realm.open { $0.bootId = "after" } }
        unlink(journal)
        #expect(rename(aside, journal) == 0)
        let file = try realm.open { $0.bootId = "after" }
        #expect(try ids(file) == [1])
    }
}
