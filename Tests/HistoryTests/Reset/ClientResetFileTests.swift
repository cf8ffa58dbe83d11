import Foundation
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// The files of a client reset: the fresh one, the backup, and what a killed process leaves.
@Suite struct ClientResetFileTests {
    private func made(options: RealmFileOptions = ResetCase.options) throws -> ResetCase {
        let test = try ResetCase(ResetSchema.all + [create(1)], options: options)
        try test.write([set(at(1, "s"), "mine")])
        test.remote([set(at(1, "n"), 3)])
        return test
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    // MARK: The fresh file

    @Test func `R-14, R-15: what is written while the fresh file is filled is recovered, and the file goes`() throws {
        let test = try made()
        let reset = try test.begin()
        try test.download(for: reset)
        #expect(exists(test.freshPath))
        try test.write([set(at(1, "s"), "later")])
        #expect(try reset.perform().recoveredChanges == 2)
        #expect(try test.text(1, "s") == "later")
        #expect(try test.text(1, "n") == "3")
        #expect(!exists(test.freshPath) && !exists(test.freshPath + ".lock") && !exists(test.freshPath + ".journal"))
    }

    @Test func `R-14: the fresh file goes when the reset fails, too`() throws {
        let test = try made()
        test.replaceServer([])
        #expect(throws: ClientResetFailure.self) { try test.reset() }
        #expect(!exists(test.freshPath))
    }

    @Test func `R-16, R-17, R-76: what an abandoned attempt has downloaded is used by the next`() throws {
        let test = try made()
        let first = try test.begin()
        try test.download(for: first)
        first.abandon()
        #expect(try test.text(1, "s") == "mine")
        #expect(try test.history.pendingReset == nil)
        let second = try test.begin()
        #expect(try second.begin().history?.state.ident == ResetCase.newIdent)
        #expect(try second.perform().didRecover)
        #expect(try test.text(1, "n") == "3")
    }

    @Test func `R-17: what isn't a realm any more, or is another's, is made anew`() throws {
        let test = try made()
        try Data("rubbish".utf8).write(to: URL(fileURLWithPath: test.freshPath))
        #expect(try test.reset().didRecover)
        // One with another key.
        var options = ResetCase.options
        options.key = RealmKey((0..<64).map { UInt8($0) })
        try RealmFile(path: test.freshPath, options: options).close()
        try test.history.confirm(#require(try test.history.pendingReset))
        #expect(try test.reset().didRecover)
    }

    @Test func `R-17: a fresh file that was used is not used again`() throws {
        let test = try made()
        let reset = try test.begin()
        try test.download(for: reset)
        reset.abandon()
        let copy = test.directory.path("copy")
        try FileManager.default.copyItem(atPath: test.freshPath, toPath: copy)
        let next = try test.begin()
        _ = try next.begin()
        _ = try next.perform()
        // As if the process had been killed before it went.
        try FileManager.default.moveItem(atPath: copy, toPath: test.freshPath)
        #expect(try test.begin().begin().history?.state.ident == nil)
    }

    @Test func `R-17: where no file can be made the reset fails`() throws {
        let test = try made()
        try FileManager.default.createDirectory(
            atPath: test.freshPath + "/in the way", withIntermediateDirectories: true)
        let failure = #expect(throws: ClientResetFailure.self) { try test.reset() }
        #expect(failure?.code == .noFreshFile)
        #expect(try test.text(1, "s") == "mine")
    }

    @Test func `without a complete fresh file nothing happens`() throws {
        let test = try made()
        let reset = try test.begin()
        let none = #expect(throws: ClientResetFailure.self) { try reset.perform() }
        #expect(none?.code == .noFreshFile)
        _ = try reset.begin()
        let empty = #expect(throws: ClientResetFailure.self) { try reset.perform() }
        #expect(empty?.code == .noFreshFile)
        #expect(try test.history.pendingReset == nil)
    }

    @Test func `R-23, R-71: a file that never was on the server is given the server's state`() throws {
        let test = try ResetCase([])
        let fresh = TemporaryDirectory()
        let history = try ClientHistory(RealmFile(path: fresh.path("new.realm"), options: ResetCase.options))
        let reset = try ClientReset(
            history, mode: .recoverUnsyncedChanges, action: .clientReset,
            report: SyncReport(.clientResetRequired, "", isFatal: true))
        test.replaceServer([ResetSchema.all, [create(1)]])
        try test.download(for: reset)
        let outcome = try reset.perform()
        #expect(outcome.clientFile.ident == ResetCase.newIdent)
        #expect(try history.file.snapshot().table(named: "Item")?.count == 1)
    }

    @Test func `R-67: the fresh file is encrypted with the realm's key`() throws {
        var options = ResetCase.options
        options.key = RealmKey((0..<64).map { UInt8($0) })
        let test = try made(options: options)
        let reset = try test.begin()
        try test.download(for: reset)
        let open = try #require(FileManager.default.contents(atPath: test.freshPath))
        #expect(open.range(of: Data("Item".utf8)) == nil)
        _ = try reset.perform()
        #expect(try test.text(1, "s") == "mine")
        #expect(try test.text(1, "n") == "3")
    }

    // MARK: Merged changes

    @Test func `R-32: what was downloaded since is part of what is replayed`() throws {
        let test = try ResetCase(ResetSchema.all + [create(1)] + fill(1, 1, 2))
        try test.write([insert(at(1, "nums", .index(2)), 10, 2)])
        // The client's element is at 3 by now, and so it will be.
        try test.download([insert(at(1, "nums", .index(0)), 0, 2)])
        #expect(try test.text(1, "nums") == "[0 1 2 10]")
        try test.reset()
        #expect(try test.unsynced() == [[insert(at(1, "nums", .index(3)), 10, 3)]])
        #expect(try test.text(1, "nums") == "[0 1 2 10]")
        #expect(try test.digest() == test.serverDigest())
    }

    // MARK: Backups

    @Test func `R-11: a backup's path, and that nobody else gets it`() throws {
        let directory = TemporaryDirectory()
        let place = ResetBackup.directory(base: directory.path, appId: "app-x")
        #expect(place == directory.path + "/mongodb-realm/app-x/recovered-realms")
        #expect(ResetBackup.directory(base: "b", appId: "a", name: "mine") == "b/mongodb-realm/a/mine")
        let utc = try #require(TimeZone(identifier: "UTC"))
        let path = try ResetBackup.reserve(in: place, now: Date(timeIntervalSince1970: 1_700_000_000), timeZone: utc)
        let name = try #require(path.split(separator: "/").last)
        #expect(name.wholeMatch(of: /recovered_realm-20231114-221320-[0-9A-Za-z]{8}/) != nil)
        #expect(exists(path))
        #expect(try ResetBackup.reserve(in: place) != path)
        #expect(throws: (any Error).self) { try ResetBackup.reserve(in: "/proc/none") }
    }

    @Test(arguments: [false, true])
    func `R-12, R-67: a realm is copied, encrypted as it is, and removed`(isEncrypted: Bool) throws {
        let directory = TemporaryDirectory()
        let path = directory.path("a.realm")
        var options = ResetCase.options
        if isEncrypted { options.key = RealmKey((0..<64).map { UInt8($0) }) }
        do {
            let file = try RealmFile(path: path, options: options)
            let history = try ClientHistory(file)
            try history.write { try $0.putSync(HistoryKey.state, ClientState().encoded) }
            let backup = try ResetBackup.reserve(in: directory.path)
            // Somebody has it open.
            #expect(try !ResetBackup.backUpThenDelete(path, key: options.key, to: backup))
            #expect(try !ResetBackup.delete(path))
            try file.close()
        }
        let backup = try ResetBackup.reserve(in: directory.path)
        try RealmFile(path: FreshRealm.path(of: path), options: options).close()
        #expect(try ResetBackup.backUpThenDelete(path, key: options.key, to: backup))
        #expect(!exists(path) && !exists(path + ".journal") && !exists(FreshRealm.path(of: path)))
        options.create = false
        let copy = try RealmFile(path: backup, options: options)
        // A local realm: opening it must not send what it holds.
        #expect(try copy.snapshot().syncRecord(HistoryKey.state) == nil)
        try copy.close()
        // Once more does no harm.
        #expect(try ResetBackup.backUpThenDelete(path, key: options.key, to: backup))
    }

    @Test func `R-12: if the copy fails nothing is deleted`() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("a.realm")
        try RealmFile(path: path, options: ResetCase.options).close()
        #expect(throws: (any Error).self) {
            try ResetBackup.backUpThenDelete(path, key: nil, to: directory.path("none/backup"))
        }
        #expect(exists(path))
        #expect(throws: (any Error).self) {
            try ResetBackup.backUpThenDelete(path, key: RealmKey((0..<64).map { UInt8($0) }), to: directory.path("b"))
        }
        #expect(exists(path))
    }
}
