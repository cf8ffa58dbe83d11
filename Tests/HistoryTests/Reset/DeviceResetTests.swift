import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Client resets as an agent drives them: sessions, a server that lost its history, and processes that die.
@Suite struct DeviceResetTests {
    private let directory = TemporaryDirectory()

    private func realm(_ name: String) throws -> ServerRealm {
        try ServerRealm(path: directory.path(name), file: ResetCase.options)
    }

    /// A server that has the data of another, and none of its history and files.
    private func begunAgain(_ old: ServerRealm, _ name: String) throws -> (ServerRealm, FileIdent) {
        let new = try realm(name)
        let ident = try new.allocateIdent(user: "importer")
        var all: [Instruction] = []
        try StateTransfer(from: old.snapshot(), to: new.snapshot()) { all.append($0) }.run()
        try upload(all, to: new, from: ident)
        return (new, ident)
    }

    private func upload(_ instructions: [Instruction], to realm: ServerRealm, from ident: FileIdent) throws {
        let entry = UploadEntry(
            cursor: UploadCursor(client: realm.version + 1, server: realm.version), timestamp: 900,
            changeset: try Changeset.encode(instructions))
        try realm.integrate(
            [ClientMessage.Upload(session: 1, progress: entry.cursor, lockedServerVersion: 0, entries: [entry])],
            file: ident.number)
    }

    private func settle(_ devices: [Device], restarting: (Device) throws -> Void = { _ in }) throws {
        for round in 0..<300 {
            for device in devices where !device.isConnected { try device.reconnect() }
            var isQuiet = true
            for device in devices {
                try device.historyGrew()
                while device.isBusy {
                    isQuiet = false
                    try device.deliverToServer()
                    try device.deliverToClient()
                }
                try restarting(device)
            }
            if isQuiet, round > 3 { return }
        }
        Issue.record("the devices never get quiet")
    }

    @Test(arguments: [
        ClientResetMode.recoverUnsyncedChanges, .recoverOrDiscardUnsyncedChanges, .discardUnsyncedChanges
    ])
    func `R-14, R-81: a server that lost its history gets along with its clients again`(mode: ClientResetMode) throws {
        let old = try realm("old.realm")
        let device = try Device(0, old, clock: { 1_000 })
        device.resetting.mode = mode
        try device.write(ResetSchema.all + [create(1), set(at(1, "s"), "agreed")])
        try settle([device])
        let identBefore = device.history.clientFile.ident
        device.disconnect()
        try device.write([set(at(1, "s"), "mine"), insert(at(1, "nums", .index(0)), 1, 0)])
        let (new, importer) = try begunAgain(old, "new.realm")
        try upload([set(at(1, "n"), 7), insert(at(1, "nums", .index(0)), 2, 0)], to: new, from: importer)
        device.move(to: new)
        // Written when the fresh file is there already.
        device.resetting.willPerform = { [unowned device] in try device.writeLocally([set(at(1, "m"), 5)]) }
        try settle([device])
        #expect(device.resetting.failures == [])
        let outcome = try #require(device.resetting.outcomes.first)
        #expect(device.resetting.outcomes.count == 1)
        #expect(outcome.didRecover == (mode != .discardUnsyncedChanges))
        #expect(outcome.recoveredChanges == (outcome.didRecover ? 2 : 0))
        #expect(device.history.clientFile.ident != identBefore)
        // Both sides have everything: the reset has proved itself.
        #expect(try device.history.pendingReset == nil)
        #expect(try device.file.snapshot().stateDigest() == new.snapshot().stateDigest())
        let table = try #require(device.file.snapshot().table(named: "Item"))
        let object = try #require(table.find(.int(1)))
        let numbers = try #require(table.stored.column(named: "nums"))
        let expected: [Value] = outcome.didRecover ? [.int(1), .int(2)] : [.int(2)]
        #expect(table.list(object, numbers).values == expected)
        // And it goes on as any other.
        try device.write([set(at(1, "s"), "after")])
        try settle([device])
        #expect(try device.file.snapshot().stateDigest() == new.snapshot().stateDigest())
        #expect(device.serverFaults == [])
    }

    @Test func `R-18: a fresh file that the server doesn't take either is made anew by the next attempt`() throws {
        let old = try realm("old.realm")
        let device = try Device(0, old, clock: { 1_000 })
        device.resetting.mode = .recoverUnsyncedChanges
        try device.write(ResetSchema.all + [create(1)])
        try settle([device])
        device.disconnect()
        try device.write([set(at(1, "s"), "mine")])
        // The history is lost once more while the fresh file is being filled.
        device.move(to: try begunAgain(old, "second.realm").0)
        try device.reconnect()
        for _ in 0..<100 where device.freshIdent == nil {
            try device.deliverToServer()
            try device.deliverToClient()
        }
        #expect(device.freshIdent != nil)
        let (third, _) = try begunAgain(old, "third.realm")
        device.move(to: third)
        try settle([device])
        #expect(device.resetting.failures.map(\.code) == [.noFreshFile])
        // The next process tries again.
        device.resetting.forgetFailures()
        try device.restart()
        try settle([device])
        #expect(device.resetting.failures == [])
        #expect(try device.file.snapshot().stateDigest() == third.snapshot().stateDigest())
        #expect(try device.history.pendingReset == nil)
    }

    @Test func `R-10: in manual mode the session stops, and the file is as it was`() throws {
        let old = try realm("old.realm")
        let device = try Device(0, old, clock: { 1_000 })
        try device.write(ResetSchema.all + [create(1)])
        try settle([device])
        device.disconnect()
        try device.write([set(at(1, "s"), "mine")])
        let digest = try device.file.snapshot().stateDigest()
        device.move(to: try begunAgain(old, "new.realm").0)
        try settle([device])
        #expect(device.resetting.failures.map(\.code) == [.recoveryNotAllowed])
        #expect(try device.file.snapshot().stateDigest() == digest)
    }

    @Test func `a client that was away for too long is reset, and goes on (R-3, R-5, R-6)`() throws {
        var options = HistoryOptions()
        let clock = Lock<UInt64>(1_000_000)
        options.now = { clock.withLock { $0 } }
        options.maximumOfflineTime = 1_000
        let server = try ServerRealm(path: directory.path("a.realm"), file: ResetCase.options, options: options)
        let device = try Device(0, server, clock: { clock.withLock { $0 } })
        device.resetting.mode = .recoverUnsyncedChanges
        try device.write(ResetSchema.all + [create(1)])
        try settle([device])
        device.disconnect()
        try device.write([set(at(1, "s"), "mine")])
        clock.withLock { $0 += 2_000 }
        try settle([device])
        #expect(device.resetting.outcomes.count == 1)
        #expect(device.reports.contains { $0.code == .clientFileExpired } || device.resetting.failures.isEmpty)
        #expect(try device.file.snapshot().stateDigest() == server.snapshot().stateDigest())
        let table = try #require(server.snapshot().table(named: "Item"))
        let object = try #require(table.find(.int(1)))
        let column = try #require(table.stored.column(named: "s"))
        #expect(table.value(object, column) == .string("mine"))
    }

    // MARK: Under fire

    @Test func `under fire: histories are lost, networks break and processes die`() throws {
        let seed = randomSeed
        for round in 0..<UInt64(5 * soakFactor) { try run(seed: seed &+ round) }
    }

    private func run(seed: UInt64) throws {
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
        var server = try realm("server-\(seed)-0.realm")
        let modes: [ClientResetMode] = [
            .recoverUnsyncedChanges, .recoverOrDiscardUnsyncedChanges, .discardUnsyncedChanges
        ]
        let devices = try (0..<3).map { number in
            let device = try Device(number, server, clock: { 1_000 })
            device.resetting.mode = modes[number]
            return device
        }
        var apps = devices.indices.map { RandomApp(seed: seed &* 31 &+ UInt64($0)) }
        for device in devices { try device.write(RandomApp.schema) }
        try settle(devices)
        for loss in 1...2 {
            for _ in 0..<60 {
                let place = below(devices.count)
                let device = devices[place]
                try device.befall(below(20)) { try apps[place].transaction(device.file.snapshot()) }
            }
            let (next, _) = try begunAgain(server, "server-\(seed)-\(loss).realm")
            server = next
            for device in devices { device.move(to: server) }
            // A process that dies during a reset begins another, which R-64 may refuse: not here, where each is confirmed.
            try settle(devices) { device in
                if below(8) == 0, try device.history.pendingReset == nil { try device.restart() }
            }
            let digest = try server.snapshot().stateDigest()
            for device in devices {
                #expect(device.resetting.failures == [], comment)
                #expect(try device.file.snapshot().stateDigest() == digest, comment)
                #expect(try device.file.snapshot().checkInvariants() == [], comment)
                #expect(try device.history.pendingReset == nil, comment)
                #expect(device.serverFaults == [], comment)
            }
        }
    }
}
