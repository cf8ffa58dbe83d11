import Model

@testable import Merge

/// The classes of the random tests: every type, every kind of collection, embedded objects in each place.
enum TestSchema {
    /// What every replica begins with.
    static let base: [Instruction] = tables + columns

    /// What replicas add while they run, each perhaps at the same time as others.
    static let late: [[Instruction]] = [
        [column("Item", "extra", .int)],
        [column("Item", "extras", .string, .list)],
        [column("Item", "other", .link, nullable: true, target: "Other"), column("Other", "size", .double)],
        [
            .addTable(
                className: "Late", kind: .topLevel, key: KeyColumn(name: "_id", type: .objectId, isNullable: true)),
            column("Late", "a", .int), column("Late", "item", .link, nullable: true, target: "Item")
        ],
        [.addTable(className: "Slip", kind: .embedded, key: nil), column("Slip", "s", .string)],
        [column("Part", "more", .mixed, nullable: true)]
    ]

    private static let tables: [Instruction] = [
        .addTable(className: "Item", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        .addTable(className: "Leaf", kind: .embedded, key: nil),
        .addTable(className: "Loose", kind: .topLevel, key: KeyColumn(name: "", type: nil, isNullable: false)),
        .addTable(className: "Other", kind: .topLevel, key: KeyColumn(name: "id", type: .string, isNullable: true)),
        .addTable(className: "Part", kind: .embedded, key: nil)
    ]

    private static let columns: [Instruction] = [
        column("Item", "n", .int, nullable: true), column("Item", "count", .int), column("Item", "flag", .bool),
        column("Item", "s", .string), column("Item", "bytes", .binary, nullable: true),
        column("Item", "when", .timestamp, nullable: true), column("Item", "f", .float), column("Item", "x", .double),
        column("Item", "dec", .decimal, nullable: true), column("Item", "oid", .objectId, nullable: true),
        column("Item", "uid", .uuid), column("Item", "link", .link, nullable: true, target: "Item"),
        column("Item", "any", .mixed, nullable: true),
        column("Item", "l", .int, .list), column("Item", "ls", .string, .list, nullable: true),
        column("Item", "links", .link, .list, target: "Item"), column("Item", "anys", .mixed, .list, nullable: true),
        column("Item", "d", .int, .dictionary, nullable: true),
        column("Item", "dlinks", .link, .dictionary, nullable: true, target: "Other"),
        column("Item", "danys", .mixed, .dictionary, nullable: true),
        column("Item", "ss", .string, .set), column("Item", "mset", .mixed, .set, nullable: true),
        column("Item", "slinks", .link, .set, target: "Item"),
        column("Item", "emb", .link, nullable: true, target: "Part"),
        column("Item", "embs", .link, .list, target: "Part"),
        column("Item", "dembs", .link, .dictionary, nullable: true, target: "Part"),
        column("Loose", "a", .int), column("Loose", "any", .mixed, nullable: true),
        column("Other", "name", .string), column("Other", "item", .link, nullable: true, target: "Item"),
        column("Part", "s", .string), column("Part", "n", .int), column("Part", "nums", .int, .list),
        column("Part", "any", .mixed, nullable: true), column("Part", "leaf", .link, nullable: true, target: "Leaf"),
        column("Leaf", "v", .int), column("Leaf", "tags", .string, .dictionary)
    ]

    static func column(
        _ className: String, _ name: String, _ type: ValueType, _ collection: CollectionKind = .single,
        nullable: Bool = false, target: String? = nil
    ) -> Instruction {
        .addColumn(
            className: className, property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable, collection: collection, target: target,
                keyType: collection == .dictionary ? ValueType.string.rawValue : nil))
    }
}

extension TestSchema {
    /// The properties that a run's focus is chosen from.
    static let itemProperties: [String] = base.compactMap { instruction in
        guard case .addColumn("Item", let property, _) = instruction else { return nil }
        return property
    }
}

extension TestSchema {
    /// Those with something inside.
    static let intricateProperties = ["any", "anys", "danys", "emb", "embs", "dembs", "links", "mset"]
}
