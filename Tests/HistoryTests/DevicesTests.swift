import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Devices with realm files, the session machines of both ends, and a server realm in a file of its own.
@Suite struct DevicesTests {
    private static func realm(_ directory: TemporaryDirectory) throws -> ServerRealm {
        var options = HistoryOptions()
        // Whatever all devices have is compacted.
        options.compactionAge = 0
        return try ServerRealm(path: directory.path + "/server.realm", options: options)
    }

    /// Delivers everything until nobody has anything to say.
    private func settle(_ devices: [Device]) throws {
        for round in 0..<200 {
            for device in devices where !device.isConnected { try device.reconnect() }
            var isQuiet = true
            for device in devices {
                try device.historyGrew()
                while device.isBusy {
                    isQuiet = false
                    try device.deliverToServer()
                    try device.deliverToClient()
                }
            }
            if isQuiet, round > 3 { return }
        }
        Issue.record("the devices never get quiet")
    }

    private func expectSame(_ devices: [Device], _ realm: ServerRealm, _ comment: Comment) throws {
        let digest = try realm.snapshot().stateDigest()
        for device in devices {
            #expect(try device.file.snapshot().stateDigest() == digest, comment)
            #expect(try device.file.snapshot().checkInvariants() == [], comment)
            #expect(device.reports.filter(\.isFatal).map(\.message) == [], comment)
            #expect(device.serverFaults == [], comment)
        }
        #expect(try realm.snapshot().checkInvariants() == [], comment)
    }

    @Test func `what one device writes, the other has`() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory)
        let devices = try (0..<2).map { try Device($0, realm, clock: { 1_000 }) }
        try devices[0].write(RandomApp.schema)
        try devices[0].write([
            .createObject(className: "Dog", key: .int(1)),
            .update(InstructionPath("Dog", .int(1), "name"), .value(.string("Rex")), isDefault: false)
        ])
        try settle(devices)
        try expectSame(devices, realm, "")
        let table = try #require(devices[1].file.snapshot().table(named: "Dog"))
        #expect(table.count == 1)
    }

    @Test func `nothing is lost or doubled, and all end in the same state`() throws {
        let seed = randomSeed
        for round in 0..<UInt64(12 * soakFactor) {
            try run(seed: seed &+ round)
        }
    }

    private func run(seed: UInt64) throws {
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        let directory = TemporaryDirectory()
        var realm: ServerRealm! = try Self.realm(directory)
        let clock = Clock()
        let devices = try (0..<(2 + below(2))).map { number in
            let skew = UInt64(number * below(50))
            return try Device(number, #require(realm), clock: { clock.now + skew })
        }
        var apps = devices.indices.map { RandomApp(seed: seed &* 31 &+ UInt64($0)) }
        for device in devices { try device.write(RandomApp.schema) }
        for _ in 0..<150 {
            clock.now += UInt64(below(20))
            let place = below(devices.count)
            let device = devices[place]
            try device.befall(below(20)) { try apps[place].transaction(device.file.snapshot()) }
            if below(25) == 0 { try realm.compactHistory() }
            if below(60) == 0 {
                // The server dies; what it has acknowledged is in its file.
                for device in devices { device.move(to: nil) }
                try realm.close()
                realm = nil
                realm = try Self.realm(directory)
                for device in devices { device.move(to: realm) }
            }
        }
        try settle(devices)
        try expectSame(devices, realm, comment)
        try realm.compactHistory()
        let late = try Device(devices.count, realm, clock: { clock.now })
        try settle(devices + [late])
        try expectSame(devices + [late], realm, comment)
    }

    /// A clock that the test sets.
    private final class Clock: @unchecked Sendable {
        // One thread at a time sets and reads it.
        var now: UInt64 = 1_000_000
    }

    @Test func `an ident of another realm, a wrong salt and another user are told apart (P-50)`() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory)
        let ident = try realm.allocateIdent(user: "a")
        #expect(ident.number == 2)
        #expect(try realm.allocateIdent(user: "a").number == 3)
        func record(_ file: FileIdent, user: String) throws -> FileRecord? {
            try realm.record(
                of: ClientMessage.Ident(
                    session: 1, file: file, download: DownloadCursor(), latest: SaltedVersion(), query: nil),
                user: user)
        }
        #expect(try record(FileIdent(number: 9, salt: 1), user: "a") == nil)
        #expect(try record(FileIdent(number: 1, salt: 1), user: "a") == nil)
        let found = try #require(try record(ident, user: "a"))
        #expect(found.salt == ident.salt && found.isOwnedByUser && !found.isExpired)
        #expect(try record(ident, user: "b")?.isOwnedByUser == false)
    }

    @Test func `a file that was away for too long has expired (P-136)`() throws {
        let directory = TemporaryDirectory()
        let clock = Clock()
        var options = HistoryOptions()
        options.now = { clock.now }
        options.maximumOfflineTime = 100
        let realm = try ServerRealm(path: directory.path + "/server.realm", options: options)
        let ident = try realm.allocateIdent(user: "a")
        func isExpired() throws -> Bool? {
            try realm.record(
                of: ClientMessage.Ident(
                    session: 1, file: ident, download: DownloadCursor(), latest: SaltedVersion(), query: nil),
                user: "a")?.isExpired
        }
        clock.now += 100
        #expect(try isExpired() == false)
        // It was heard of just now.
        clock.now += 100
        #expect(try isExpired() == false)
        clock.now += 101
        #expect(try isExpired() == true)
        #expect(try isExpired() == true)
    }

    @Test func `clients can't take classes away (C-70), nor send rubbish (P-57)`() throws {
        let directory = TemporaryDirectory()
        let realm = try Self.realm(directory)
        let ident = try realm.allocateIdent(user: "a")
        func refusal(_ version: Int64, _ changeset: [UInt8], origin: Int64 = 0, server: Int64 = 0) -> SyncErrorCode? {
            let entry = UploadEntry(
                cursor: UploadCursor(client: version, server: server), timestamp: 5, originFile: origin,
                changeset: changeset)
            let upload = ClientMessage.Upload(
                session: 1, progress: entry.cursor, lockedServerVersion: 0, entries: [entry])
            do throws(SessionFailure) { try realm.integrate([upload], file: ident.number) } catch { return error.code }
            return nil
        }
        #expect(refusal(2, try Changeset.encode(RandomApp.schema)) == nil)
        #expect(refusal(3, try Changeset.encode([.eraseTable(className: "Dog")])) == .invalidSchemaChange)
        #expect(refusal(3, [0x3E]) == .badChangeset)
        #expect(refusal(3, try Changeset.encode([.createObject(className: "Cat", key: .int(1))])) == .badChangeset)
        #expect(refusal(3, [], origin: 7) == .badOriginFileIdent)
        #expect(refusal(3, [], server: 9) == .badServerVersion)
        #expect(realm.version == 1)
        // Nothing of what was refused is left, and what comes later is taken.
        #expect(refusal(3, try Changeset.encode([.createObject(className: "Dog", key: .int(1))])) == nil)
        #expect(realm.version == 2)
        // A second time it is passed over (P-56).
        #expect(refusal(3, try Changeset.encode([.createObject(className: "Dog", key: .int(1))])) == nil)
        #expect(realm.version == 2)
    }
}
