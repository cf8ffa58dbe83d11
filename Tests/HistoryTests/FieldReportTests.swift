import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Reports from the field about histories, each with what is right.
@Suite struct FieldReportTests {
    private let directory = TemporaryDirectory()

    @Test func `R63: reads never go back in time on a flaky network`() throws {
        let seed = randomSeed
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let server = try ServerRealm(path: directory.path("server.realm"), file: ResetCase.options)
        let devices = try (0..<3).map { try Device($0, server, clock: { 1_000 }) }
        for device in devices { try device.write(ResetSchema.all) }
        try devices[0].write([create(1), set(at(1, "n"), 0)])
        for device in devices.dropFirst() {
            for _ in 0..<20 {
                if !device.isConnected { try device.reconnect() }
                try devices[0].deliverToServer()
                try device.historyGrew()
                try device.deliverToServer()
                try device.deliverToClient()
            }
        }
        var seen = [Int64](repeating: 0, count: devices.count)
        var written: Int64 = 0
        for _ in 0..<(400 * soakFactor) {
            let place = Int.random(in: 0..<devices.count, using: &generator)
            let device = devices[place]
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: device.disconnect()
            case 1, 2: try device.reconnect()
            case 3 where place == 0:
                written += 1
                try device.write([set(at(1, "n"), written)])
            case 3 where place > 0: try device.write([create(Int64(place) + 10), set(at(Int64(place) + 10, "n"), 1)])
            case 4..<7: try device.deliverToServer()
            case 7: try device.historyGrew()
            default: try device.deliverToClient()
            }
            for (place, device) in devices.enumerated() {
                let snapshot = try device.file.snapshot()
                guard let table = snapshot.table(named: "Item"), let object = table.find(.int(1)),
                    let column = table.stored.column(named: "n"), case .int(let value) = table.value(object, column)
                else {
                    #expect(seen[place] == 0, comment)
                    continue
                }
                try #require(value >= seen[place], comment)
                // Who writes reads what was written.
                if place == 0 { try #require(value == written, comment) }
                seen[place] = value
            }
        }
    }

    @Test func `R64: no device stays 'downloading' for ever, however often it is killed`() throws {
        let seed = randomSeed
        let comment = Comment(rawValue: "seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let server = try ServerRealm(path: directory.path("server.realm"), file: ResetCase.options)
        let devices = try (0..<2).map { try Device($0, server, clock: { 1_000 }) }
        var apps = devices.indices.map { RandomApp(seed: seed &* 31 &+ UInt64($0)) }
        for device in devices { try device.write(RandomApp.schema) }
        for round in 0..<(10 * soakFactor) {
            for (place, device) in devices.enumerated() {
                try device.write(try apps[place].transaction(device.file.snapshot()))
                if !device.isConnected { try device.reconnect() }
                for _ in 0..<Int.random(in: 0..<8, using: &generator) {
                    try device.deliverToServer()
                    try device.deliverToClient()
                }
                try device.restart()
            }
            for device in devices { try device.awaitDownload(Int64(round) + 100) }
            for _ in 0..<60 {
                for device in devices {
                    if !device.isConnected { try device.reconnect() }
                    try device.historyGrew()
                    try device.deliverToServer()
                    try device.deliverToClient()
                }
            }
            let digest = try server.snapshot().stateDigest()
            for device in devices {
                #expect(device.completed.contains(Int64(round) + 100), comment)
                #expect(try device.history.unsent().transactions == 0, comment)
                #expect(try device.file.snapshot().stateDigest() == digest, comment)
            }
        }
    }

    @Test func `R67: what is still unsent, by object, also after a restart`() throws {
        let test = try ResetCase(ResetSchema.all + (1...4).map { create($0) })
        func unsent() throws -> Set<PrimaryKey> {
            Set(try test.history.unsent(naming: 10).objects.map(\.object.key))
        }
        #expect(try unsent() == [])
        var versions: [Int64] = []
        for key in [Int64(1), 2, 3, 2] {
            try test.write([set(at(key, "s"), "mine"), .addInteger(at(key, "n"), 1)])
            versions.append(test.history.clientFile.newestVersion)
        }
        #expect(try unsent() == [.int(1), .int(2), .int(3)])
        try test.reopenHistory()
        #expect(try unsent() == [.int(1), .int(2), .int(3)])
        #expect(try test.history.unsent().transactions == 4)
        let left: [Set<PrimaryKey>] = [[.int(2), .int(3)], [.int(2), .int(3)], [.int(2)], []]
        for (place, expected) in left.enumerated() {
            try test.acknowledge(versions[place])
            #expect(try unsent() == expected)
            #expect(try test.history.unsent().transactions == 3 - place)
        }
        #expect(try test.history.unsent().bytes == 0)
    }
}
