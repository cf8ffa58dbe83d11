import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Random subscriptions, permissions and writes over several devices, connections that break, and processes that die: at
/// quiet points each device has exactly what its subscriptions and its permissions allow, as the server has it.
@Suite struct RandomViewTests {
    @Test func `devices have exactly what they may and want, and were never sent anything else`() throws {
        let seed = randomSeed
        for round in 0..<UInt64(6 * soakFactor) { try Run(seed: seed &+ round).run() }
    }

    /// One run.
    private final class Run {
        let comment: Comment
        let isStrict: Bool
        var random: RandomViews
        var role = 0
        let yard: FlexibleYard
        /// The queries of each set of subscriptions, by device and version.
        var queries: [[Int64: [Int]]]

        init(seed: UInt64) throws {
            comment = Comment(rawValue: "seed \(seed)")
            random = RandomViews(seed: seed)
            // In some runs no object of another team may ever reach a device.
            isStrict = random.below(2) == 0
            yard = try FlexibleYard()
            queries = []
            for user in 0..<Int64(2 + random.below(2)) {
                let device = try yard.device(
                    RandomViews.name(user), customData: .object(["team": .int(user)]))
                device.downloadBytes = [300, 1_000, 1 << 20][random.below(3)]
                queries.append([0: []])
            }
            try yard.devices[0].write(RandomViews.schema)
            try expectQuiet()
            try changeRole()
        }

        func changeRole() throws {
            role = random.below(isStrict ? RandomViews.strictRoles : RandomViews.roles.count)
            var configuration = FlexibleConfiguration()
            configuration.defaultRoles = [RandomViews.roles[role].role]
            try yard.restartServer(configuration)
        }

        func run() throws {
            for _ in 0..<4 {
                for _ in 0..<70 { try step() }
                try expectQuiet()
                try expectExactViews()
            }
        }

        private func step() throws {
            yard.clock.now += UInt64(random.below(20))
            let place = random.below(yard.devices.count)
            let device = yard.devices[place]
            switch random.below(40) {
            case 0: device.disconnect()
            case 1, 2: try device.reconnect()
            case 3: try device.restart()
            case 4...6: try subscribe(place)
            case 7..<17:
                if device.subscriptions.latest.covers("Item") || random.below(6) == 0 {
                    try device.write(random.transaction(device.file.snapshot()))
                }
            case 17..<26: try device.deliverToServer()
            case 26, 27: try yard.wake()
            case 28: if random.below(4) == 0 { try changeRole() }
            case 29: if random.below(3) == 0 { try yard.restartServer() }
            default: try device.deliverToClient()
            }
        }

        private func subscribe(_ place: Int) throws {
            let chosen = (0..<random.below(3)).map { _ in random.below(RandomViews.queries.count) }
            let set = try yard.devices[place].subscribe { edit in
                edit.removeAll()
                for query in chosen { edit.insert(className: "Item", query: RandomViews.queries[query].text) }
            }
            queries[place][set.version] = chosen
        }

        // MARK: Quiet points

        func expectQuiet() throws {
            #expect(try yard.settle(), comment)
            for device in yard.devices {
                #expect(device.serverFaults == [], comment)
                #expect(device.reports.filter { $0.isFatal || $0.status != .compensatingWrite } == [], comment)
                #expect(device.subscriptions.latest.state == .complete, comment)
                #expect(try device.file.snapshot().checkInvariants() == [], comment)
            }
            #expect(try yard.realm.base.snapshot().checkInvariants() == [], comment)
        }

        private func expectExactViews() throws {
            let all = RandomViews.items(try yard.realm.base.snapshot())
            for (place, device) in yard.devices.enumerated() {
                let wanted = queries[place][device.subscriptions.latest.version] ?? []
                let expected = all.filter { _, entry in
                    wanted.contains { RandomViews.queries[$0].holds(entry.item) }
                        && RandomViews.roles[role].reads(Int64(place), entry.item)
                }
                let found = RandomViews.items(try device.file.snapshot())
                #expect(found.keys.sorted() == expected.keys.sorted(), "\(comment), device \(place), role \(role)")
                for (key, entry) in found {
                    #expect(entry.content == expected[key]?.content, "\(comment), device \(place), object \(key)")
                }
                if isStrict { try expectOnlyTeam(device, Int64(place)) }
            }
        }

        private func expectOnlyTeam(_ device: FlexibleDevice, _ team: Int64) throws {
            for entry in device.downloads.flatMap(\.entries) {
                for instruction in try Changeset.decode(entry.changeset) {
                    // That there is no such object may be told.
                    if case .eraseObject = instruction { continue }
                    guard case .int(let key)? = instruction.object?.key else { continue }
                    #expect(key % 3 == team, "\(comment): object \(key) of another team was sent")
                }
            }
        }
    }
}
