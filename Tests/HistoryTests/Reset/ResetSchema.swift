import Model

/// The classes of the tests of client resets, and short words for instructions on them.
enum ResetSchema {
    static let all: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addTable(className: "Part", kind: .embedded, key: nil),
        column("Part", "s", .string), column("Part", "nums", .int, .list),
        column("Item", "n", .int), column("Item", "m", .int, nullable: true), column("Item", "s", .string),
        column("Item", "link", .link, target: "Item"), column("Item", "nums", .int, .list),
        column("Item", "links", .link, .list, target: "Item"), column("Item", "tags", .string, .set),
        column("Item", "circle", .link, .set, target: "Item"),
        column("Item", "dict", .string, .dictionary, nullable: true), column("Item", "any", .mixed, nullable: true),
        column("Item", "anys", .mixed, .list, nullable: true),
        column("Item", "map", .mixed, .dictionary, nullable: true),
        column("Item", "part", .link, target: "Part"), column("Item", "parts", .link, .list, target: "Part"),
        column("Item", "dparts", .link, .dictionary, target: "Part")
    ]

    static func column(
        _ className: String, _ name: String, _ type: ValueType, _ collection: CollectionKind = .single,
        nullable: Bool = false, target: String? = nil
    ) -> Instruction {
        .addColumn(
            className: className, property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable || type == .link && collection != .list && collection != .set,
                collection: collection, target: target,
                keyType: collection == .dictionary ? ValueType.string.rawValue : nil))
    }
}

func create(_ key: Int64) -> Instruction { .createObject(className: "Item", key: .int(key)) }

func erase(_ key: Int64) -> Instruction { .eraseObject(className: "Item", key: .int(key)) }

func at(_ key: Int64, _ property: String, _ rest: PathElement...) -> InstructionPath {
    InstructionPath("Item", .int(key), property, rest)
}

func set(_ path: InstructionPath, _ payload: Payload) -> Instruction { .update(path, payload, isDefault: false) }

func set(_ path: InstructionPath, _ number: Int64) -> Instruction { set(path, .value(.int(number))) }

func set(_ path: InstructionPath, _ text: String) -> Instruction { set(path, .value(.string(text))) }

func link(_ key: Int64) -> Payload { .value(.link(Link(className: "Item", key: .int(key)))) }

/// Inserts into a list that has `size` elements.
func insert(_ path: InstructionPath, _ payload: Payload, _ size: UInt32) -> Instruction {
    .arrayInsert(path, payload, priorSize: size)
}

func insert(_ path: InstructionPath, _ number: Int64, _ size: UInt32) -> Instruction {
    insert(path, .value(.int(number)), size)
}

/// Puts numbers into the empty list `nums` of an item.
func fill(_ key: Int64, _ numbers: Int64...) -> [Instruction] {
    numbers.enumerated().map { insert(at(key, "nums", .index(UInt32($0))), $1, UInt32($0)) }
}
