import Foundation
import Model
import TestSupport

@testable import Store

/// Random data of every type, as instructions.
struct NaiveSample {
    static let part = ClassSchema(
        "Part", kind: .embedded,
        [
            PropertySchema("text", .string, nullable: true), PropertySchema("int", .int),
            PropertySchema("ints", .int, collection: .list)
        ])
    static let thing = ClassSchema(
        "Thing", primaryKey: "id",
        [
            PropertySchema("id", .int), PropertySchema("int", .int, nullable: true), PropertySchema("small", .int),
            PropertySchema("text", .string, nullable: true), PropertySchema("name", .string),
            PropertySchema("double", .double, nullable: true), PropertySchema("float", .float),
            PropertySchema("decimal", .decimal, nullable: true), PropertySchema("flag", .bool, nullable: true),
            PropertySchema("date", .timestamp, nullable: true), PropertySchema("oid", .objectId, nullable: true),
            PropertySchema("uid", .uuid, nullable: true), PropertySchema("bytes", .binary, nullable: true),
            PropertySchema("other", .link, nullable: true, target: "Other"),
            PropertySchema("next", .link, nullable: true, target: "Thing"),
            PropertySchema("others", .link, collection: .list, target: "Other"),
            PropertySchema("things", .link, collection: .list, target: "Thing"),
            PropertySchema("ints", .int, nullable: true, collection: .list),
            PropertySchema("texts", .string, nullable: true, collection: .list),
            PropertySchema("doubles", .double, collection: .list),
            PropertySchema("decimals", .decimal, collection: .list),
            PropertySchema("intSet", .int, collection: .set), PropertySchema("textSet", .string, collection: .set),
            PropertySchema("otherSet", .link, collection: .set, target: "Other"),
            PropertySchema("intMap", .int, collection: .dictionary),
            PropertySchema("textMap", .string, nullable: true, collection: .dictionary),
            PropertySchema("otherMap", .link, nullable: true, collection: .dictionary, target: "Other"),
            PropertySchema("anyMap", .mixed, nullable: true, collection: .dictionary),
            PropertySchema("any", .mixed, nullable: true),
            PropertySchema("anys", .mixed, nullable: true, collection: .list),
            PropertySchema("part", .link, nullable: true, target: "Part"),
            PropertySchema("parts", .link, collection: .list, target: "Part")
        ])
    static let other = ClassSchema(
        "Other", primaryKey: "key",
        [
            PropertySchema("key", .string), PropertySchema("int", .int),
            PropertySchema("text", .string, nullable: true), PropertySchema("double", .double),
            PropertySchema("decimal", .decimal, nullable: true),
            PropertySchema("thing", .link, nullable: true, target: "Thing"),
            PropertySchema("things", .link, collection: .list, target: "Thing"),
            PropertySchema("ints", .int, collection: .list), PropertySchema("texts", .string, collection: .list),
            PropertySchema("intMap", .int, collection: .dictionary), PropertySchema("any", .mixed, nullable: true)
        ])
    static let schema = RealmSchema([part, other, thing])

    private var instructions: [Instruction] = []
    private var generator: SeededGenerator
    private let counts: [String: Int]

    /// Creates objects and fills them.
    static func make(_ generator: inout SeededGenerator) -> RecordedData {
        let things = Int.random(in: 0...40, using: &generator)
        let others = Int.random(in: 0...12, using: &generator)
        var sample = NaiveSample(generator: generator, counts: ["Thing": things, "Other": others])
        for owner in [other, thing] {
            for number in 0..<(sample.counts[owner.name] ?? 0) {
                sample.instructions.append(.createObject(className: owner.name, key: key(owner.name, number)))
            }
        }
        for owner in [other, thing] {
            for number in 0..<(sample.counts[owner.name] ?? 0) { sample.fill(owner, key(owner.name, number)) }
        }
        generator = sample.generator
        return RecordedData(schema: schema, instructions: sample.instructions)
    }

    private init(generator: SeededGenerator, counts: [String: Int]) {
        self.generator = generator
        self.counts = counts
    }

    static func key(_ className: String, _ number: Int) -> PrimaryKey {
        className == "Thing" ? .int(Int64(number * 3)) : .string("k\(number)")
    }

    // MARK: Filling

    private mutating func fill(_ owner: ClassSchema, _ key: PrimaryKey) {
        for property in owner.properties where property.name != owner.primaryKey {
            fill(property, InstructionPath(owner.name, key, property.name))
        }
    }

    private mutating func fill(_ property: PropertySchema, _ path: InstructionPath) {
        let isEmbedded = property.target == "Part"
        switch property.collection {
        case .single:
            // Some keep their default.
            if chance(6) { return }
            if isEmbedded { return fillPart(path, .update(path, .embeddedObject, isDefault: false)) }
            if property.type == .mixed { return fillMixed(path, depth: 2) { .update(path, $0, isDefault: false) } }
            if let value = value(property) { instructions.append(.update(path, .value(value), isDefault: false)) }
        case .list:
            for index in 0..<UInt32.random(in: 0...4, using: &generator) {
                var element = path
                element.rest.append(.index(index))
                if isEmbedded {
                    fillPart(element, .arrayInsert(element, .embeddedObject, priorSize: index))
                } else if property.type == .mixed {
                    fillMixed(element, depth: 1) { .arrayInsert(element, $0, priorSize: index) }
                } else {
                    guard let value = value(property), property.type != .link || value != .null else { return }
                    instructions.append(.arrayInsert(element, .value(value), priorSize: index))
                }
            }
        case .set:
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                guard let value = value(property), value != .null else { return }
                instructions.append(.setInsert(path, .value(value)))
            }
        case .dictionary:
            for key in ["a", "b", "ä", "int"] where chance(3) {
                var entry = path
                entry.rest.append(.name(key))
                if property.type == .mixed {
                    fillMixed(entry, depth: 1) { .update(entry, $0, isDefault: false) }
                } else if let value = value(property) {
                    instructions.append(.update(entry, .value(value), isDefault: false))
                }
            }
        }
    }

    private mutating func fillPart(_ path: InstructionPath, _ create: Instruction) {
        instructions.append(create)
        for property in Self.part.properties {
            var inner = path
            inner.rest.append(.name(property.name))
            fill(property, inner)
        }
    }

    /// A value of any type; a list or dictionary of such as long as `depth` allows.
    private mutating func fillMixed(_ path: InstructionPath, depth: Int, _ assign: (Payload) -> Instruction) {
        guard depth > 0, chance(3) else {
            let properties = Self.thing.properties.filter {
                $0.collection == .single && $0.type != .mixed && $0.target != "Part"
            }
            let property = properties[Int.random(in: 0..<properties.count, using: &generator)]
            instructions.append(assign(.value(value(property) ?? .int(0))))
            return
        }
        let isList = chance(2)
        instructions.append(assign(isList ? .list : .dictionary))
        if isList {
            for index in 0..<UInt32.random(in: 0...3, using: &generator) {
                var inner = path
                inner.rest.append(.index(index))
                // An element must be there, whatever becomes of it.
                instructions.append(.arrayInsert(inner, .value(.int(Int64(index))), priorSize: index))
                fillMixed(inner, depth: depth - 1) { .updateElement(inner, $0, priorSize: index + 1) }
            }
        } else {
            for key in ["a", "int", "text"] where chance(2) {
                var inner = path
                inner.rest.append(.name(key))
                fillMixed(inner, depth: depth - 1) { .update(inner, $0, isDefault: false) }
            }
        }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    /// Nil for a link to a class without objects.
    private mutating func value(_ property: PropertySchema) -> Value? {
        if property.isNullable, chance(5) { return .null }
        guard property.type == .link else { return RandomValue.of(property.type, &generator) }
        guard let target = property.target, let count = counts[target], count > 0 else { return nil }
        return .link(Link(className: target, key: Self.key(target, Int.random(in: 0..<count, using: &generator))))
    }
}

/// Values from so few that comparisons often hold.
enum RandomValue {
    static let texts = ["", "a", "ab", "Ab", "abc", "b", "éa", "Éa", "a*", "?", String(repeating: "ab", count: 300)]

    static func of(_ type: ValueType, _ generator: inout SeededGenerator) -> Value {
        let number = Int64.random(in: -5...5, using: &generator)
        switch type {
        case .int: return .int(number == 5 ? 1 << 40 : number)
        case .bool: return .bool(number > 0)
        case .string: return .string(texts.randomElement(using: &generator) ?? "")
        case .binary: return .binary(Data((texts.randomElement(using: &generator) ?? "").utf8))
        case .timestamp: return .timestamp(Timestamp(seconds: number, nanoseconds: number > 2 ? 5 : 0))
        case .float: return .float(number == 5 ? .nan : Float(number) / 2)
        case .double: return .double(number == 5 ? .nan : number == -5 ? -.infinity : Double(number) / 2)
        case .decimal: return .decimal(number == 5 ? .nan : Decimal128("\(number).50") ?? .zero)
        case .objectId: return .objectId(ObjectId(high: 7, low: UInt32(number + 5)))
        case .uuid: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, UInt8(number + 5))))
        case .mixed, .link: return .int(number)
        }
    }
}
