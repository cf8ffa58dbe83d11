import Model
import Store

/// Writes random transactions that fit what a realm holds.
package struct RandomApp {
    private var generator: SeededGenerator
    private static let words = ["", "rex", "fido", "Ärmel", "🐶"]

    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// What an app's schema declares when it first opens the realm.
    package static let schema: [Instruction] = [
        .addTable(
            className: "Dog", kind: .topLevel, key: KeyColumn(name: "_id", type: .int, isNullable: false)),
        column("age", .int), column("name", .string, nullable: true), column("scores", .int, .list),
        column("tags", .string, .set), column("notes", .string, nullable: true, .dictionary),
        .addColumn(
            className: "Dog", property: "friend",
            ColumnDeclaration(
                type: ValueType.link.rawValue, isNullable: true, collection: .single, target: "Dog", keyType: nil)),
        .addColumn(
            className: "Dog", property: "friends",
            ColumnDeclaration(
                type: ValueType.link.rawValue, isNullable: false, collection: .list, target: "Dog", keyType: nil)),
        column("any", .mixed, nullable: true)
    ]

    private static func column(
        _ name: String, _ type: ValueType, nullable: Bool = false, _ collection: CollectionKind = .single
    ) -> Instruction {
        .addColumn(
            className: "Dog", property: name,
            ColumnDeclaration(
                type: type.rawValue, isNullable: nullable, collection: collection, target: nil,
                keyType: collection == .dictionary ? ValueType.string.rawValue : nil))
    }

    /// One to four changes, each of another object, so that each fits the state before the transaction.
    package mutating func transaction(_ snapshot: Snapshot) throws -> [Instruction] {
        guard let table = snapshot.table(named: "Dog") else { return RandomApp.schema }
        var instructions: [Instruction] = []
        for key in (0..<Int64(6)).shuffled(using: &generator).prefix(1 + below(4)) {
            if let object = table.find(.int(key)) {
                instructions.append(change(table, object, .int(key)))
            } else {
                instructions.append(.createObject(className: "Dog", key: .int(key)))
                instructions.append(.update(path(.int(key), "age"), .value(.int(0)), isDefault: true))
            }
        }
        return instructions
    }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    private func path(_ key: PrimaryKey, _ property: String, _ rest: [PathElement] = []) -> InstructionPath {
        InstructionPath("Dog", key, property, rest)
    }

    private mutating func dog() -> Value { .link(Link(className: "Dog", key: .int(Int64(below(6))))) }

    private mutating func word() -> String { RandomApp.words[below(RandomApp.words.count)] }

    private mutating func change(_ table: Table, _ object: ObjectKey, _ key: PrimaryKey) -> Instruction {
        switch below(12) {
        case 0: return .eraseObject(className: "Dog", key: key)
        case 1: return .update(path(key, "name"), .value(below(4) == 0 ? .null : .string(word())), isDefault: false)
        case 2: return .addInteger(path(key, "age"), Int64(below(5)) - 2)
        case 3: return .update(path(key, "friend"), .value(below(3) == 0 ? .null : dog()), isDefault: false)
        case 4: return .setInsert(path(key, "tags"), .value(.string(word())))
        case 5: return .setErase(path(key, "tags"), .value(.string(word())))
        case 6: return .update(path(key, "notes", [.name(word())]), .value(.string(word())), isDefault: false)
        case 7: return .update(path(key, "notes", [.name(word())]), .erased, isDefault: false)
        case 8:
            return .update(path(key, "any"), .value(below(2) == 0 ? dog() : .int(Int64(below(9)))), isDefault: false)
        case 9: return element(table, object, key, "friends", dog())
        default: return element(table, object, key, "scores", .int(Int64(below(100))))
        }
    }

    private mutating func element(
        _ table: Table, _ object: ObjectKey, _ key: PrimaryKey, _ property: String, _ value: Value
    ) -> Instruction {
        let count = table.stored.column(named: property).map { table.list(object, $0).count } ?? 0
        let size = UInt32(count)
        guard count > 0, below(5) > 1 else {
            return .arrayInsert(path(key, property, [.index(UInt32(below(count + 1)))]), .value(value), priorSize: size)
        }
        let place = path(key, property, [.index(UInt32(below(count)))])
        switch below(4) {
        case 0: return .updateElement(place, .value(value), priorSize: size)
        case 1 where count > 1:
            guard case .index(let from)? = place.rest.first else { break }
            let to = (from + 1 + UInt32(below(count - 1))) % size
            return .arrayMove(place, to: to, priorSize: size)
        case 2: return .clear(path(key, property), .list)
        default: break
        }
        return .arrayErase(place, priorSize: size)
    }
}
