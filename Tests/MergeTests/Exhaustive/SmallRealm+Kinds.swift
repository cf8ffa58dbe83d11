import Model

@testable import Merge

extension SmallRealm {
    /// At least one change of each kind of instruction, at each place where it can matter to another.
    func programs(number: Int64) -> [[Instruction]] {
        tables(number) + objects(number) + fields(number) + mixed(number) + collections(number)
            + listInstructions(number: number).map { [$0] }
    }

    private func tables(_ number: Int64) -> [[Instruction]] {
        let key = KeyColumn(name: "_id", type: .int, isNullable: false)
        return [
            [.addTable(className: "New", kind: .topLevel, key: key)],
            [
                .addTable(className: "New", kind: .topLevel, key: key), TestSchema.column("New", "a", .int),
                .createObject(className: "New", key: .int(1))
            ],
            [.addTable(className: "Item", kind: .topLevel, key: key)],
            [.eraseTable(className: "Free")], [.eraseTable(className: "Item")],
            [TestSchema.column("Item", "new", .string)],
            [TestSchema.column("Item", "new", .string), .update(Self.path("new"), Self.text(number), isDefault: false)],
            [TestSchema.column("Item", "free", .link, nullable: true, target: "Free")],
            [TestSchema.column("Free", "a", .int)],
            [.eraseColumn(className: "Item", property: "n")], [.eraseColumn(className: "Item", property: "l")],
            [.eraseColumn(className: "Item", property: "d")], [.eraseColumn(className: "Item", property: "any")],
            [.eraseColumn(className: "Item", property: "ss")]
        ]
    }

    private func objects(_ number: Int64) -> [[Instruction]] {
        [
            [.createObject(className: "Item", key: .int(3))], [.createObject(className: "Free", key: .int(1))],
            [
                .createObject(className: "Item", key: .int(3)),
                .update(Self.path("n", key: 3), .value(.int(number)), isDefault: true)
            ],
            [.eraseObject(className: "Item", key: .int(1))], [.eraseObject(className: "Item", key: .int(2))],
            [
                .eraseObject(className: "Item", key: .int(1)), .createObject(className: "Item", key: .int(1)),
                .update(Self.path("n"), .value(.int(number)), isDefault: false)
            ]
        ]
    }

    private func fields(_ number: Int64) -> [[Instruction]] {
        let emb = Self.path("emb")
        let inside = emb.below(.name("s"))
        return [
            [.update(Self.path("n"), .value(.int(number)), isDefault: false)],
            [.update(Self.path("n"), .value(.int(number)), isDefault: true)],
            [.update(Self.path("n"), .value(.null), isDefault: false)],
            [.addInteger(Self.path("n"), number)],
            [.update(Self.path("n", key: 2), .value(.int(number)), isDefault: false)],
            [.update(emb, .value(.null), isDefault: false)], [.update(emb, .embeddedObject, isDefault: false)],
            [
                .update(emb, .embeddedObject, isDefault: false),
                .update(inside, Self.text(number), isDefault: false),
                .arrayInsert(emb.below(.name("nums")).below(.index(0)), .value(.int(number)), priorSize: 0)
            ],
            [
                .update(emb, .value(.null), isDefault: false), .update(emb, .embeddedObject, isDefault: false),
                .update(inside, Self.text(number), isDefault: false)
            ]
        ]
    }

    private func mixed(_ number: Int64) -> [[Instruction]] {
        let (any, none) = (Self.path("any"), Self.path("none"))
        let value = Payload.value(.int(number))
        return [
            [.update(none, value, isDefault: false)], [.addInteger(none, number)],
            [.update(none, .list, isDefault: false)], [.update(none, .dictionary, isDefault: false)],
            [.update(none, .list, isDefault: false), .arrayInsert(none.below(.index(0)), value, priorSize: 0)],
            [.update(none, .dictionary, isDefault: false), .update(none.below(.name("k")), value, isDefault: false)],
            [.clear(any, .list)], [.clear(any, .list), .update(any, value, isDefault: false)],
            [.clear(any, .list), .update(any, .dictionary, isDefault: false)],
            [.update(any, .list, isDefault: false), .clear(any, .list)],
            [
                .update(any, .list, isDefault: false), .clear(any, .list),
                .arrayInsert(any.below(.index(0)), value, priorSize: 0)
            ],
            [.arrayInsert(any.below(.index(1)), value, priorSize: 1)], [.arrayErase(any.below(.index(0)), priorSize: 1)]
        ]
    }

    private func collections(_ number: Int64) -> [[Instruction]] {
        let (d, ss, mset) = (Self.path("d"), Self.path("ss"), Self.path("mset"))
        return [
            [.update(d.below(.name("a")), .value(.int(number)), isDefault: false)],
            [.update(d.below(.name("b")), .value(.int(number)), isDefault: false)],
            [.update(d.below(.name("a")), .erased, isDefault: false)], [.clear(d, .dictionary)],
            [.setInsert(ss, .value(.string("x")))], [.setInsert(ss, .value(.string("y")))],
            [.setErase(ss, .value(.string("x")))], [.clear(ss, .set)],
            [.setInsert(mset, .value(.double(1)))], [.setErase(mset, .value(.int(1)))],
            [.setErase(mset, .value(.int(1))), .setInsert(mset, .value(.double(1)))]
        ]
    }

    private static func text(_ number: Int64) -> Payload { .value(.string("\(number)")) }
}
