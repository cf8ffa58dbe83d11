import Model
import TestSupport
import Testing

@testable import Merge

/// What users of the original reported, on a simulated server and clients.
struct FieldReportTests {
    /// A server and clients that all have an object with a list.
    private struct Devices {
        var server: SimulatedServer
        var clients: [SimulatedClient]

        static let list = InstructionPath("Item", .int(1), "l")
        static let x = InstructionPath("Item", .int(1), "count")

        init(_ count: Int, elements: [Int64]) throws {
            var base = try SimulatedSystem.base.applying([.createObject(className: "Item", key: .int(1))])
            for (index, element) in elements.enumerated() {
                try base.apply([
                    .arrayInsert(
                        Self.list.below(.index(UInt32(index))), .value(.int(element)), priorSize: UInt32(index))
                ])
            }
            server = SimulatedServer(base)
            clients = (0..<count).map { SimulatedClient(base, fileIdent: UInt64($0) + 2) }
            for client in clients { server.add(client.fileIdent) }
        }

        mutating func write(_ client: Int, at time: UInt64, _ instructions: Instruction...) throws {
            try clients[client].commit(instructions, clients[client].state.applying(instructions), at: time)
        }

        mutating func sync(_ client: Int) throws {
            let known = server.uploaded(by: clients[client].fileIdent)
            try server.upload(
                clients[client].queue.filter { $0.version > known }, from: clients[client].fileIdent)
            let (messages, cursor) = server.download(
                after: clients[client].cursor, limit: .max, for: clients[client].fileIdent)
            try clients[client].download(messages, cursor: cursor)
        }

        mutating func settle() throws {
            for _ in 0..<2 { for client in clients.indices { try sync(client) } }
        }

        func values(_ path: InstructionPath) -> [Slot?] {
            clients.map { $0.state.slot(at: path) } + [server.state.slot(at: path)]
        }
    }

    @Test func `a list that two devices reorder ends in one order, complete (R49)`() throws {
        for seed in 0..<UInt64(100) {
            var generator = SeededGenerator(seed: seed)
            var devices = try Devices(3, elements: Array(1...10))
            for client in 0...1 {
                for move in 0..<20 as Range<UInt64> {
                    let from = UInt32.random(in: 0..<10, using: &generator)
                    let to = (from + UInt32.random(in: 1..<10, using: &generator)) % 10
                    try devices.write(
                        client, at: 1_000 + move,
                        .arrayMove(Devices.list.below(.index(from)), to: to, priorSize: 10))
                    if client == 0 { try devices.sync(0) }
                }
            }
            try devices.settle()
            let lists = devices.values(Devices.list)
            #expect(Set(lists.map { "\($0 ?? .null)" }).count == 1, "seed \(seed): \(lists)")
            guard case .list(let elements)?? = lists.first else {
                Issue.record("no list")
                return
            }
            let numbers = elements.compactMap { element -> Int64? in
                if case .value(.int(let number)) = element { number } else { nil }
            }
            #expect(numbers.sorted() == Array(1...10), "seed \(seed)")
        }
    }

    @Test func `what was written after the other was seen wins, whatever the clocks say (R51)`() throws {
        var devices = try Devices(2, elements: [])
        func set(_ value: Int64) -> Instruction { .update(Devices.x, .value(.int(value)), isDefault: false) }
        // A's clock is a day ahead.
        try devices.write(0, at: 1_000_000 + 86_400_000, set(1))
        try devices.settle()
        try devices.write(1, at: 1_000_000, set(2))
        try devices.settle()
        #expect(devices.values(Devices.x) == Array(repeating: .value(.int(2)), count: 3))
        // Then it is at the beginning of time.
        try devices.write(0, at: 0, set(3))
        try devices.settle()
        #expect(devices.values(Devices.x) == Array(repeating: .value(.int(3)), count: 3))
        // At the same time, the later clock wins on all.
        try devices.write(0, at: 50, set(4))
        try devices.write(1, at: 49, set(5))
        try devices.settle()
        #expect(devices.values(Devices.x) == Array(repeating: .value(.int(4)), count: 3))
    }

    @Test func `of two insertions at the head, the older comes first (R52, M-67)`() throws {
        var devices = try Devices(2, elements: [])
        func insert(_ value: Int64) -> Instruction {
            .arrayInsert(Devices.list.below(.index(0)), .value(.int(value)), priorSize: 0)
        }
        try devices.write(0, at: 1_000, insert(1))
        try devices.sync(0)
        try devices.write(1, at: 2_000, insert(2))
        try devices.settle()
        #expect(
            devices.values(Devices.list)
                == Array(repeating: .list([.value(.int(1)), .value(.int(2))]), count: 3))
    }

    @Test func `three devices that insert at the head agree, in whatever order they meet (R52)`() throws {
        for seed in 0..<UInt64(300) {
            var generator = SeededGenerator(seed: seed)
            var devices = try Devices(3, elements: [])
            for step in 0..<9 as Range<UInt64> {
                let client = Int.random(in: 0..<3, using: &generator)
                guard case .list(let elements)? = devices.clients[client].state.slot(at: Devices.list) else { continue }
                try devices.write(
                    client, at: 1_000 + step,
                    .arrayInsert(
                        Devices.list.below(.index(0)), .value(.int(Int64(step))), priorSize: UInt32(elements.count)))
                if Bool.random(using: &generator) { try devices.sync(Int.random(in: 0..<3, using: &generator)) }
            }
            try devices.settle()
            let lists = devices.values(Devices.list)
            #expect(Set(lists.map { "\($0 ?? .null)" }).count == 1, "seed \(seed): \(lists)")
            if case .list(let elements)?? = lists.first { #expect(elements.count == 9, "seed \(seed)") }
        }
    }
}
