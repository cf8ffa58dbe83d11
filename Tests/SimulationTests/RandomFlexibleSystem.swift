import EventLoop
import History
import Lab
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Agent
@testable import Server

/// One run of flexible sync from a seed: devices write items with numbers and change which numbers they ask for, while
/// connections break, agents and the server die; then peace, and a look at who has what.
@LoopActor
struct RandomFlexibleSystem {
    private let seed: UInt64
    private var generator: SeededGenerator
    private var devices: [SubscribedDevice] = []
    /// What each device asks for at last.
    private var ranges: [[Range<Int64>]] = []
    /// Items that were created within the view, and that nobody has deleted.
    private var kept: Set<Int64> = []
    private var nextKey: Int64 = 1

    private static let numbers: Int64 = 100

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private mutating func range() -> Range<Int64> {
        let start = Int64(below(Int(Self.numbers) - 10))
        return start..<start + 5 + Int64(below(40))
    }

    mutating func run() throws {
        let comment = Comment(rawValue: "seed \(seed)")
        let world = try World()
        for _ in 0..<2 + below(2) {
            let device = try SubscribedDevice(world, skew: Int64(below(4_000)) - 2_000)
            devices.append(device)
            ranges.append([])
            try subscribe(devices.count - 1)
            device.logIn()
        }
        for _ in 0..<150 { try step(world) }
        try settle(world, comment)
        try check(world, comment)
    }

    private mutating func subscribe(_ place: Int) throws {
        ranges[place] = (0..<1 + below(2)).map { _ in range() }
        try devices[place].subscribe(ranges[place])
    }

    private mutating func step(_ world: World) throws {
        let place = below(devices.count)
        let device = devices[place]
        switch below(28) {
        case 0: world.cutAll()
        case 1: world.network.isReachable.toggle()
        case 2: for link in world.network.links where below(3) == 0 { link.isStalled.toggle() }
        case 3: try device.restart()
        case 4 where below(3) == 0: if world.isServerUp { world.stopServer() } else { try world.startServer() }
        case 5: world.time.advance(by: .seconds(below(6) == 0 ? 4_000 : 60))
        case 6..<11:
            let range = ranges[place][below(ranges[place].count)]
            kept.insert(nextKey)
            try create(device, range.lowerBound + Int64(below(range.count)))
        // Most of these are outside of the view, and undone.
        case 11: try create(device, Int64(below(Int(Self.numbers))))
        case 12..<16:
            guard let key = try randomItem(device) else { return }
            let path = InstructionPath("Item", .int(key), "n")
            let n = Int64(below(Int(Self.numbers)))
            try device.write([.update(path, .value(.int(n)), isDefault: false)])
        case 16:
            guard let key = try randomItem(device) else { return }
            kept.remove(key)
            try device.write([.eraseObject(className: "Item", key: .int(key))])
        case 17..<19: try subscribe(place)
        default: world.time.advance(by: .milliseconds(below(400)))
        }
    }

    private mutating func create(_ device: SubscribedDevice, _ n: Int64) throws {
        let key = PrimaryKey.int(nextKey)
        nextKey += 1
        // A few of these make a bootstrap of several parts.
        let text = below(2) == 0 ? String(repeating: "x", count: 80_000) : ""
        try device.write([
            .createObject(className: "Item", key: key),
            .update(InstructionPath("Item", key, "n"), .value(.int(n)), isDefault: false),
            .update(InstructionPath("Item", key, "text"), .value(.string(text)), isDefault: false)
        ])
    }

    private mutating func randomItem(_ device: SubscribedDevice) throws -> Int64? {
        let keys = try device.items.keys.sorted()
        return keys.isEmpty ? nil : keys[below(keys.count)]
    }

    /// Everything works again, and all have the time they need.
    private func settle(_ world: World, _ comment: Comment) throws {
        world.network.isReachable = true
        for link in world.network.links { link.isStalled = false }
        if !world.isServerUp { try world.startServer() }
        for device in devices where device.link == nil { device.logIn() }
        #expect(world.advance { devices.allSatisfy { $0.link != nil } }, comment)
        for isDownload in [false, true] {
            for device in devices {
                device.link?.reconnectNow()
                let done: @LoopActor (Bool) -> Void = { isDone in
                    #expect(isDone, comment)
                    counter.count -= 1
                }
                counter.count += 1
                if isDownload {
                    device.link?.awaitDownload(device.session, completion: done)
                } else {
                    device.link?.awaitUpload(device.session, completion: done)
                }
            }
            #expect(world.advance { counter.count == 0 }, comment)
            #expect(
                world.advance { devices.allSatisfy { $0.subscriptions.latest.state == .complete } }, comment)
        }
    }

    private let counter = Counter()

    @LoopActor
    private final class Counter {
        var count = 0
    }

    private func check(_ world: World, _ comment: Comment) throws {
        world.stopServer()
        #expect(world.faults == [], comment)
        let address = RealmAddress(appId: World.flexibleApp, partition: nil)
        let snapshot = try ServerRealm(path: world.directory.path + "/" + address.path).snapshot()
        #expect(snapshot.checkInvariants() == [], comment)
        let all = try SubscribedDevice.items(snapshot)
        for key in kept { #expect(all[key] != nil, "\(comment): \(key) is lost") }
        for (device, ranges) in zip(devices, ranges) {
            let wanted = all.filter { item in ranges.contains { $0.contains(item.value) } }
            #expect(try device.items == wanted, comment)
            #expect(try device.file.snapshot().checkInvariants() == [], comment)
            #expect(device.subscriptions.sets.count == 1, comment)
            #expect(device.resets == [], comment)
            #expect(device.reports.filter { $0.status != .compensatingWrite } == [], comment)
        }
    }
}
