import EventLoop
import History
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// Devices that write, lose their connection and die at random while their app goes to flexible sync and back.
@Suite("Random migrations")
struct RandomMigrationTests {
    @LoopActor
    private final class Yard {
        let yard: SyncYard
        private var generator: SeededGenerator
        private var devices: [MigratingDevice] = []
        private var isFlexible = false
        private var lastId: Int64 = 0
        private var present: Set<Int64> = []

        init(_ seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            yard = try SyncYard.quick()
            for _ in 0..<3 {
                let device = try MigratingDevice(yard, .string("a"))
                try device.start()
                try device.write(Dogs.schema)
                #expect(device.settle())
                devices.append(device)
            }
        }

        func step() throws {
            let index = Int.random(in: 0..<devices.count, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0: devices[index].cut()
            case 1: try MigratingDevice.next(after: &devices[index])
            case 2: yard.settle()
            case 3: if devices[index].isStopped { try MigratingDevice.next(after: &devices[index]) }
            case 4:
                devices[index].stop()
                try MigratingDevice.writeOffline(&devices[index], change(index))
                devices[index].stop()
            case 5 where Int.random(in: 0..<3, using: &generator) == 0: try migrate()
            default: if !devices[index].isStopped { try devices[index].write(change(index)) }
            }
        }

        /// Makes, names or erases a dog. Each device erases only what it has made: nobody else brings that back.
        private func change(_ index: Int) throws -> [Instruction] {
            let known = devices[index].isStopped ? [] : try devices[index].dogs().keys.sorted()
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                guard
                    let id = known.filter({ $0 % 3 == Int64(index) && present.contains($0) })
                        .randomElement(using: &generator)
                else { break }
                present.remove(id)
                return [.eraseObject(className: "Dog", key: .int(id))]
            case 1, 2:
                guard let id = known.randomElement(using: &generator) else { break }
                let name = Value.string("name \(generator.next() % 1_000)")
                return [.update(InstructionPath("Dog", .int(id), "name"), .value(name), isDefault: false)]
            default: break
            }
            lastId += 1
            let id = lastId * 3 + Int64(index)
            present.insert(id)
            return Dogs.put(id)
        }

        private func migrate() throws {
            isFlexible.toggle()
            let answer = try yard.administer(
                "app.migrate",
                [
                    "name": "shop", "to": .string(isFlexible ? "flexible" : "partition"),
                    "partitionKey": "realm_id:string"
                ])
            #expect(answer["migrated"] == .bool(true))
        }

        /// All have what was written and not erased, and the same names.
        func check(_ seed: UInt64) throws {
            for index in devices.indices where devices[index].isStopped {
                try MigratingDevice.next(after: &devices[index])
            }
            for device in devices + devices { #expect(device.settle(), "seed \(seed)") }
            let dogs = try devices[0].dogs()
            #expect(Set(dogs.keys) == present, "seed \(seed)")
            for device in devices {
                #expect(try device.dogs() == dogs, "seed \(seed)")
                #expect(device.failures == [], "seed \(seed)")
                #expect(device.reports.filter(\.isFatal) == [], "seed \(seed)")
                #expect(device.reports.filter { !$0.rejectedUpdates.isEmpty } == [], "seed \(seed)")
            }
        }
    }

    @Test func `nothing is lost, nothing comes back, and all agree`() throws {
        let first = randomSeed
        try onServerLoop {
            for seed in first..<first + 2 * UInt64(soakFactor) {
                let yard = try Yard(seed)
                for _ in 0..<3 {
                    for _ in 0..<30 { try yard.step() }
                    try yard.check(seed)
                }
            }
        }
    }
}
