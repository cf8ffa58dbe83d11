import Foundation
import Model
import Query

/// The data of the worked examples: three objects of class P, two of class Dog.
package enum WorkedExamples {
    package static let schema = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .string), PropertySchema("age", .int),
                PropertySchema("s", .string, nullable: true), PropertySchema("ns", .int, collection: .list)
            ]),
        ClassSchema(
            "P", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("n", .int), PropertySchema("on", .int, nullable: true),
                PropertySchema("s", .string, nullable: true), PropertySchema("d", .double),
                PropertySchema("f", .float), PropertySchema("dec", .decimal, nullable: true),
                PropertySchema("b", .bool, nullable: true), PropertySchema("t", .timestamp, nullable: true),
                PropertySchema("oid", .objectId, nullable: true),
                PropertySchema("dog", .link, nullable: true, target: "Dog"),
                PropertySchema("dogs", .link, collection: .list, target: "Dog"),
                PropertySchema("dset", .link, collection: .set, target: "Dog"),
                PropertySchema("self", .link, nullable: true, target: "P"),
                PropertySchema("selfs", .link, collection: .list, target: "P"),
                PropertySchema("l", .int, collection: .list),
                PropertySchema("ol", .int, nullable: true, collection: .list),
                PropertySchema("si", .int, collection: .set),
                PropertySchema("sl", .string, nullable: true, collection: .list),
                PropertySchema("ml", .mixed, nullable: true, collection: .list),
                PropertySchema("di", .mixed, nullable: true, collection: .dictionary),
                PropertySchema("dii", .int, collection: .dictionary),
                PropertySchema("bin", .binary, nullable: true), PropertySchema("m", .mixed, nullable: true)
            ])
    ])

    /// `$0` to `$4`.
    package static let arguments: [QueryArgument] = [
        .value(.int(5)), .value(.string("a")), .value(fido), .value(.timestamp(Timestamp(seconds: 10, nanoseconds: 5))),
        .value(.null)
    ]

    package static let fido = Value.link(Link(className: "Dog", key: .string("fido")))
    private static let rex = Value.link(Link(className: "Dog", key: .string("rex")))

    private static func p(_ key: Int64) -> Value { .link(Link(className: "P", key: .int(key))) }

    /// What makes the data in an empty realm.
    package static var instructions: [Instruction] {
        var all = schema.declaration
        for name in ["fido", "rex"] { all.append(.createObject(className: "Dog", key: .string(name))) }
        for number in 1...3 as ClosedRange<Int64> { all.append(.createObject(className: "P", key: .int(number))) }
        return all + dogs + first + second + third
    }

    private static var dogs: [Instruction] {
        let fido = Place("Dog", .string("fido"))
        let rex = Place("Dog", .string("rex"))
        return [fido.set("age", .int(3)), rex.set("age", .int(5))]
            + fido.list("ns", [.int(1), .int(4)]) + rex.list("ns", [.int(9)])
    }

    private static var first: [Instruction] {
        let p1 = Place("P", .int(1))
        var all = [
            p1.set("n", .int(5)), p1.set("s", .string("abc")), p1.set("d", .double(5.5)), p1.set("f", .float(1.5)),
            p1.set("dec", .decimal(Decimal128("1.1") ?? .zero)), p1.set("b", .bool(true)), p1.set("dog", fido),
            p1.set("bin", .binary(Data("abc".utf8)))
        ]
        all += p1.list("dogs", [fido, rex]) + p1.list("l", [.int(1), .int(2)])
        all += [.setInsert(p1.path("si"), .value(.int(1))), .setInsert(p1.path("si"), .value(.int(2)))]
        all += p1.list("sl", [.string("x"), .string("yy")]) + p1.list("ml", [.int(1), .string("a"), fido])
        all += [p1.set("dii", at: ["a"], .int(1)), p1.set("dii", at: ["b"], .int(2))]
        all.append(.update(p1.path("m"), .dictionary, isDefault: false))
        all += [p1.set("m", at: ["k"], .int(1)), p1.set("m", at: ["name"], .string("Bo"))]
        all.append(.update(p1.path("m", [.name("list")]), .list, isDefault: false))
        all += p1.list("m", at: [.name("list")], [.int(7), .string("z")])
        let third: [PathElement] = [.name("list"), .index(2)]
        all.append(.arrayInsert(p1.path("m", third), .dictionary, priorSize: 2))
        all.append(.update(p1.path("m", third + [.name("q")]), .value(.int(8)), isDefault: false))
        return all + [p1.set("m", at: ["dog"], fido)]
    }

    private static var second: [Instruction] {
        let p2 = Place("P", .int(2))
        var all = [
            p2.set("n", .int(-1)), p2.set("on", .int(7)), p2.set("s", .string("ABC")), p2.set("d", .double(.nan)),
            p2.set("b", .bool(false)), p2.set("t", .timestamp(Timestamp(seconds: 10, nanoseconds: 5))),
            p2.set("self", p(1))
        ]
        all += p2.list("dogs", [rex]) + p2.list("selfs", [p(1), p(1)]) + p2.list("l", [.int(2), .int(2)])
        all += p2.list("ol", [.null, .int(4)]) + p2.list("sl", [.string("x"), .null])
        all.append(.update(p2.path("m"), .list, isDefault: false))
        all += p2.list("m", [.int(1), .int(2)])
        all.append(.arrayInsert(p2.path("m", [.index(2)]), .list, priorSize: 2))
        return all + p2.list("m", at: [.index(2)], [.int(3)])
    }

    private static var third: [Instruction] {
        let p3 = Place("P", .int(3))
        return [
            p3.set("n", .int(10)), p3.set("d", .double(-3)),
            p3.set("t", .timestamp(Timestamp(seconds: -10, nanoseconds: -5))), p3.set("dog", rex),
            p3.set("di", at: ["k"], .int(1)), p3.set("di", at: ["dog"], fido), p3.set("m", .double(5))
        ]
    }

    /// An object whose properties are set.
    private struct Place {
        let className: String
        let key: PrimaryKey

        init(_ className: String, _ key: PrimaryKey) {
            self.className = className
            self.key = key
        }

        func path(_ property: String, _ rest: [PathElement] = []) -> InstructionPath {
            InstructionPath(className, key, property, rest)
        }

        func set(_ property: String, at names: [String] = [], _ value: Value) -> Instruction {
            .update(path(property, names.map { .name($0) }), .value(value), isDefault: false)
        }

        func list(_ property: String, at rest: [PathElement] = [], _ values: [Value]) -> [Instruction] {
            values.enumerated().map { position, value in
                let index = UInt32(position)
                return .arrayInsert(path(property, rest + [.index(index)]), .value(value), priorSize: index)
            }
        }
    }
}
