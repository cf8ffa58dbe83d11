import Model

@testable import Merge

/// A realm with an object of each kind of property, and all instructions of a kind that fit it.
struct SmallRealm {
    /// How many elements each list has.
    let size: Int
    let state: ReplicaState

    init(size: Int) throws {
        self.size = size
        var state = ReplicaState()
        try state.apply(Self.schema)
        try state.apply([.createObject(className: "Item", key: .int(1)), .createObject(className: "Item", key: .int(2))]
        )
        for index in 0..<UInt32(size) {
            try state.apply([
                .arrayInsert(Self.path("l", .index(index)), .value(.int(100 + Int64(index))), priorSize: index),
                .arrayInsert(Self.path("embs", .index(index)), .embeddedObject, priorSize: index),
                .arrayInsert(Self.path("anys", .index(index)), .list, priorSize: index),
                .arrayInsert(Self.path("anys", .index(index), .index(0)), .value(.int(Int64(index))), priorSize: 0)
            ])
        }
        try state.apply([
            .setInsert(Self.path("ss"), .value(.string("x"))), .setInsert(Self.path("mset"), .value(.int(1))),
            .update(Self.path("d", .name("a")), .value(.int(1)), isDefault: false),
            .update(Self.path("any"), .list, isDefault: false),
            .arrayInsert(Self.path("any", .index(0)), .value(.int(1)), priorSize: 0)
        ])
        self.state = state
    }

    static func path(_ property: String, _ rest: PathElement..., key: Int64 = 1) -> InstructionPath {
        InstructionPath("Item", .int(key), property, rest)
    }

    private static let schema: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addTable(className: "Free", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addTable(className: "Part", kind: .embedded, key: nil),
        TestSchema.column("Part", "s", .string), TestSchema.column("Part", "nums", .int, .list),
        TestSchema.column("Item", "n", .int, nullable: true), TestSchema.column("Item", "any", .mixed, nullable: true),
        TestSchema.column("Item", "none", .mixed, nullable: true), TestSchema.column("Item", "l", .int, .list),
        TestSchema.column("Item", "embs", .link, .list, target: "Part"),
        TestSchema.column("Item", "anys", .mixed, .list, nullable: true),
        TestSchema.column("Item", "emb", .link, nullable: true, target: "Part"),
        TestSchema.column("Item", "d", .int, .dictionary, nullable: true),
        TestSchema.column("Item", "ss", .string, .set), TestSchema.column("Item", "mset", .mixed, .set, nullable: true)
    ]
}

// MARK: - Lists

extension SmallRealm {
    /// Every instruction on a list of values; `number` makes those of two sides different.
    func listInstructions(_ property: String = "l", number: Int64) -> [Instruction] {
        let indexes = 0..<UInt32(size)
        let count = UInt32(size)
        func at(_ index: UInt32) -> InstructionPath { Self.path(property, .index(index)) }
        var all = (0...count).map { Instruction.arrayInsert(at($0), .value(.int(number)), priorSize: count) }
        all += indexes.map { .updateElement(at($0), .value(.int(number)), priorSize: count) }
        all += indexes.map { .arrayErase(at($0), priorSize: count) }
        for from in indexes {
            all += indexes.filter { $0 != from }.map { .arrayMove(at(from), to: $0, priorSize: count) }
        }
        return all + [.clear(Self.path(property), .list)]
    }

    /// Every instruction on a list of embedded objects, and some inside each of them.
    func embeddedInstructions(number: Int64) -> [Instruction] {
        var all = listInstructions("embs", number: number).compactMap { instruction -> Instruction? in
            switch instruction {
            // An embedded object has no value that could be assigned to its place.
            case .updateElement: nil
            case .arrayInsert(let path, _, let size): .arrayInsert(path, .embeddedObject, priorSize: size)
            default: instruction
            }
        }
        for index in 0..<UInt32(size) {
            let element = Self.path("embs", .index(index))
            all += [
                .update(element.below(.name("s")), .value(.string("\(number)")), isDefault: false),
                .arrayInsert(element.below(.name("nums")).below(.index(0)), .value(.int(number)), priorSize: 0),
                .clear(element.below(.name("nums")), .list)
            ]
        }
        return all
    }

    /// Every change to a list of lists, and some inside each of them. What holds a list is cleared before it is replaced
    /// (C-169).
    func nestedPrograms(number: Int64) -> [[Instruction]] {
        var all: [[Instruction]] = []
        for instruction in listInstructions("anys", number: number) {
            if case .updateElement(let path, _, _) = instruction {
                all.append([.clear(path, .list), instruction])
            } else {
                all.append([instruction])
            }
        }
        for index in 0..<UInt32(size) {
            let element = Self.path("anys", .index(index))
            let first = element.below(.index(0))
            all += [
                [.clear(element, .list)],
                [.arrayInsert(first, .value(.int(number)), priorSize: 1)],
                [.updateElement(first, .value(.int(number)), priorSize: 1)],
                [.arrayErase(first, priorSize: 1)],
                [.updateElement(element, .list, priorSize: UInt32(size))],
                [.clear(element, .list), .updateElement(element, .dictionary, priorSize: UInt32(size))]
            ]
        }
        return all
    }
}
