import Model
import Store
import Sync
import TestSupport
import Testing

@testable import History

/// Devices with subscriptions, and the server realm that they share (F-29 to F-63).
@Suite struct FlexibleSyncTests {
    static let schema: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        column("owner", .string, nullable: true), column("n", .int), column("tags", .string, .list),
        .addColumn(
            className: "Item", property: "next",
            ColumnDeclaration(
                type: ValueType.link.rawValue, isNullable: true, collection: .single, target: "Item", keyType: nil))
    ]

    static func column(
        _ name: String, _ type: ValueType, nullable: Bool = false, _ collection: CollectionKind = .single
    ) -> Instruction {
        .addColumn(
            className: "Item", property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable, collection: collection, target: nil, keyType: nil))
    }

    static func set(_ key: Int64, _ property: String, _ value: Value) -> Instruction {
        .update(InstructionPath("Item", .int(key), property), .value(value), isDefault: false)
    }

    static func make(_ key: Int64, owner: String, n: Int64 = 0) -> [Instruction] {
        [.createObject(className: "Item", key: .int(key)), set(key, "owner", .string(owner)), set(key, "n", .int(n))]
    }

    private func expectHealthy(_ yard: FlexibleYard) throws {
        for device in yard.devices {
            #expect(device.serverFaults == [])
            #expect(device.reports.filter(\.isFatal).map(\.message) == [])
            #expect(try device.file.snapshot().checkInvariants() == [])
        }
        #expect(try yard.realm.base.snapshot().checkInvariants() == [])
    }

    /// A device that has everything, and has written the schema.
    private func writer(_ yard: FlexibleYard) throws -> FlexibleDevice {
        let device = try yard.device("w")
        try device.write(Self.schema)
        try device.subscribe { $0.insert(className: "Item", query: "TRUEPREDICATE") }
        #expect(try yard.settle())
        return device
    }

    @Test func `a new file gets version 0 complete, with the schema (F-35)`() throws {
        let yard = try FlexibleYard()
        let device = try yard.device("a")
        #expect(try yard.settle())
        #expect(device.subscriptions.latest.state == .complete)
        _ = try writer(yard)
        let late = try yard.device("b")
        #expect(try yard.settle())
        #expect(late.subscriptions.latest.state == .complete)
        #expect(try late.file.snapshot().table(named: "Item")?.count == 0)
        #expect(try device.file.snapshot().table(named: "Item") != nil)
        try expectHealthy(yard)
    }

    @Test func `a device has what it subscribes to, and nothing else was sent to it`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        for key in 0..<6 { try all.write(Self.make(Int64(key), owner: key % 2 == 0 ? "a" : "b", n: Int64(key))) }
        #expect(try yard.settle())
        let device = try yard.device("a")
        try device.subscribe { $0.insert(name: "mine", className: "Item", query: "owner == \"a\"") }
        #expect(try yard.settle())
        #expect(device.subscriptions.latest.state == .complete)
        #expect(try device.numbers("Item") == [0, 2, 4])
        for download in device.downloads {
            for entry in download.entries {
                for name in try Changeset.decode(entry.changeset).compactMap(\.object) {
                    #expect([.int(0), .int(2), .int(4)].contains(name.key))
                }
            }
        }
        try expectHealthy(yard)
    }

    @Test func `objects come and go with their values and with the subscriptions (F-49, F-50, F-51)`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        for key in 0..<4 { try all.write(Self.make(Int64(key), owner: "a")) }
        let device = try yard.device("a")
        try device.subscribe { $0.insert(name: "mine", className: "Item", query: "owner == 'a'") }
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [0, 1, 2, 3])
        try all.write([Self.set(0, "owner", .string("b"))])
        try all.write(Self.make(7, owner: "b") + [Self.set(7, "owner", .string("a")), Self.set(7, "n", .int(3))])
        try all.write([.eraseObject(className: "Item", key: .int(1))])
        try all.write([Self.set(2, "n", .int(9))])
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [2, 3, 7])
        // Its own change moves an object out of its view, which is no deletion.
        try device.write([Self.set(2, "owner", .string("b"))])
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [3, 7])
        #expect(try all.numbers("Item") == [0, 2, 3, 7])
        #expect(device.reports == [])
        try device.subscribe { $0.insert(name: "mine", className: "Item", query: "owner == 'b'") }
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [0, 2])
        try device.subscribe { $0.removeAll() }
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [])
        #expect(try all.numbers("Item") == [0, 2, 3, 7])
        try expectHealthy(yard)
    }

    @Test func `links to objects outside of the view show when their targets come (F-30)`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        try all.write(
            Self.make(1, owner: "a") + Self.make(2, owner: "b")
                + [Self.set(1, "next", .link(Link(className: "Item", key: .int(2))))])
        let device = try yard.device("a")
        try device.subscribe { $0.insert(className: "Item", query: "owner == 'a'") }
        #expect(try yard.settle())
        func next() throws -> Value? { try device.value("Item", .int(1), "next") }
        #expect(try next() == .null)
        try all.write([Self.set(2, "owner", .string("a"))])
        #expect(try yard.settle())
        #expect(try next() == .link(Link(className: "Item", key: .int(2))))
        try expectHealthy(yard)
    }

    @Test func `bad queries are refused with class and reason, and the set before stays (F-8, F-10)`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        try all.write(Self.make(1, owner: "a"))
        let device = try yard.device("a")
        try device.subscribe { $0.insert(className: "Item", query: "owner == 'a'") }
        #expect(try yard.settle())
        for bad in [
            "owner == 'a' SORT(n ASC)", "next.n == 1", "@links.Item.next.@count > 1", "n +", "nothing == 1", "n == 'x'",
            "n * 2 == 4", "tags.@min == 1", "SUBQUERY(next, $x, $x.n > 1).@count > 0", "TRUEPREDICATE LIMIT(1)"
        ] {
            let set = try device.subscribe { edit in
                edit.removeAll()
                edit.insert(className: "Item", query: bad)
            }
            #expect(try yard.settle())
            let state = device.subscriptions[set.version]
            #expect(state?.state == .error, "\(bad)")
            #expect(state?.error?.hasPrefix("Invalid query: class \"Item\"") == true, "\(state?.error ?? "")")
            #expect(try device.numbers("Item") == [1])
        }
        for good in [
            "n BETWEEN {0, 2}", "owner BEGINSWITH 'a'", "owner IN {'a', 'b'} AND !(n == 7)", "ANY tags == 'x' OR n < 5",
            "tags.@size == 0", "_id == 1", "owner ==[c] 'A'"
        ] {
            let set = try device.subscribe { edit in
                edit.removeAll()
                edit.insert(className: "Item", query: good)
            }
            #expect(try yard.settle())
            #expect(device.subscriptions.state(of: set.version) == .complete, "\(good)")
            #expect(try device.numbers("Item") == [1], "\(good)")
        }
        try expectHealthy(yard)
    }

    @Test func `a bootstrap in many messages, interrupted at each of them (F-34, F-42)`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        for start in stride(from: 0, to: 2_000, by: 500) {
            try all.write((start..<start + 500).flatMap { Self.make(Int64($0), owner: "a", n: Int64($0)) })
        }
        #expect(try yard.settle())
        let device = try yard.device("a")
        device.disconnect()
        device.downloadBytes = 10_000
        #expect(try yard.settle())
        try device.subscribe { $0.insert(className: "Item", query: "n >= 0") }
        for cut in 0..<12 {
            try device.reconnect()
            for _ in 0...cut {
                try device.deliverToServer()
                try device.deliverToClient()
            }
            if cut % 3 == 0 { try device.restart() } else { device.disconnect() }
            try all.write([Self.set(Int64(cut), "n", .int(-1))])
        }
        #expect(try yard.settle())
        #expect(try device.numbers("Item").count == 2_000 - 12)
        #expect(device.subscriptions.latest.state == .complete)
        let parts = device.downloads.filter {
            if case .flexible(_, .moreToCome, _) = $0.contents { true } else { false }
        }
        #expect(parts.count > 3)
        try expectHealthy(yard)
    }

    @Test func `objects with long values come in parts of a bounded size (F-33)`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        let text = String(repeating: "x", count: 50_000)
        for key in 0..<40 { try all.write(Self.make(Int64(key), owner: text)) }
        #expect(try yard.settle())
        let device = try yard.device("a")
        device.downloadBytes = 10_000
        try device.subscribe { $0.insert(className: "Item", query: "n == 0") }
        #expect(try yard.settle())
        #expect(try device.numbers("Item").count == 40)
        let sizes = device.downloads.flatMap(\.entries).map(\.changeset.count)
        #expect(sizes.count > 20 && sizes.allSatisfy { $0 < 110_000 }, "\(sizes)")
        try expectHealthy(yard)
    }

    @Test func `writes outside of the view are undone and reported, F-56 a, b, h, and F-61`() throws {
        let yard = try FlexibleYard()
        let all = try writer(yard)
        try all.write(Self.make(1, owner: "a") + Self.make(2, owner: "b"))
        let device = try yard.device("a")
        #expect(try yard.settle())
        // Before any subscription.
        try device.write(Self.make(8, owner: "a"))
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [])
        try device.subscribe { $0.insert(className: "Item", query: "owner == 'a'") }
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [1])
        try device.write(Self.make(9, owner: "b") + [Self.set(1, "n", .int(5))])
        try device.write(Self.make(2, owner: "a"))
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [1])
        #expect(try all.numbers("Item") == [1, 2])
        let rejected = device.reports.flatMap(\.rejectedUpdates)
        #expect(device.reports.allSatisfy { $0.status == .compensatingWrite && !$0.isFatal })
        #expect(
            rejected.map(\.reason)
                == [8, 9, 2].map {
                    "write to \($0) in table \"Item\" not allowed; object is outside of the current query view"
                })
        #expect(rejected.map(\.key) == [.int(8), .int(9), .int(2)])
        // The rest of the changeset is there.
        #expect(try all.value("Item", .int(1), "n") == .int(5))
        try expectHealthy(yard)
    }

    @Test func `an undo is told again after a break, until the client has it (F-59)`() throws {
        let yard = try FlexibleYard()
        _ = try writer(yard)
        let device = try yard.device("a")
        try device.subscribe { $0.insert(className: "Item", query: "owner == 'a'") }
        #expect(try yard.settle())
        try device.write(Self.make(9, owner: "b"))
        // The server has it, its answer is lost.
        for _ in 0..<4 { try device.deliverToServer() }
        #expect(device.isBusy)
        device.disconnect()
        try yard.restartServer()
        #expect(try device.numbers("Item") == [9])
        #expect(try yard.settle())
        #expect(try device.numbers("Item") == [])
        #expect(device.reports.flatMap(\.rejectedUpdates).map(\.key) == [.int(9)])
        #expect(try yard.settle())
        device.disconnect()
        #expect(try yard.settle())
        #expect(device.reports.count == 1)
        try expectHealthy(yard)
    }
}
