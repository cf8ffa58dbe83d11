import Foundation
import Model
import TestSupport

@testable import Store

/// What a realm must hold, kept in dictionaries: applies the same instructions as the file under test.
struct Oracle {
    struct Object {
        var values: [String: Value] = [:]
        var lists: [String: [Value]] = [:]
    }

    let schema: RealmSchema
    var objects: [String: [PrimaryKey: Object]] = [:]

    init(_ schema: RealmSchema) {
        self.schema = schema
    }

    func exists(_ link: Link) -> Bool { objects[link.className]?[link.key] != nil }

    mutating func apply(_ instruction: Instruction) {
        switch instruction {
        case .createObject(let name, let key):
            guard objects[name]?[key] == nil, let stored = schema.classSchema(name) else { return }
            var object = Object()
            for property in stored.properties where property.collection == .single && property.name != stored.primaryKey
            {
                object.values[property.name] = property.isNullable ? .null : Oracle.zero(property.type)
            }
            if let primaryKey = stored.primaryKey { object.values[primaryKey] = Value(key) }
            objects[name, default: [:]][key] = object
        case .eraseObject(let name, let key): objects[name]?[key] = nil
        case .update(let path, .value(let value), _): objects[path.className]?[path.key]?.values[path.property] = value
        case .addInteger(let path, let amount):
            if case .int(let value)? = objects[path.className]?[path.key]?.values[path.property] {
                objects[path.className]?[path.key]?.values[path.property] = .int(value &+ amount)
            }
        case .updateElement(let path, .value(let value), _): edit(path) { $0[$1] = value }
        case .arrayInsert(let path, .value(let value), _): edit(path) { $0.insert(value, at: $1) }
        case .arrayErase(let path, _): edit(path) { $0.remove(at: $1) }
        case .arrayMove(let path, let to, _):
            edit(path) { list, from in
                let value = list.remove(at: from)
                list.insert(value, at: Int(to))
            }
        case .clear(let path, _): objects[path.className]?[path.key]?.lists[path.property] = []
        default: break
        }
    }

    private mutating func edit(_ path: InstructionPath, _ body: (inout [Value], Int) -> Void) {
        guard case .index(let index)? = path.rest.last else { return }
        body(
            &objects[path.className, default: [:]][path.key, default: Object()].lists[path.property, default: []],
            Int(index))
    }

    static func zero(_ type: ValueType) -> Value {
        switch type {
        case .int: .int(0)
        case .bool: .bool(false)
        case .string: .string("")
        case .binary: .binary(Data())
        case .timestamp: .timestamp(Timestamp(seconds: 0))
        case .float: .float(0)
        case .double: .double(0)
        case .decimal: .decimal(Decimal128(low: 0, high: 0x3040_0000_0000_0000))
        case .objectId: .objectId(ObjectId())
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .link, .mixed: .null
        }
    }

    /// Where a snapshot differs; nil when it doesn't.
    func difference(_ snapshot: Snapshot) -> String? {
        for stored in schema.classes {
            let expected = objects[stored.name] ?? [:]
            guard let table = snapshot.table(named: stored.name) else { return "no class \(stored.name)" }
            if table.count != expected.count { return "\(table.count) of \(stored.name) for \(expected.count)" }
            for (key, object) in expected {
                guard let found = table.find(key) else { return "\(stored.name) \(key) is missing" }
                if table.primaryKey(of: found) != key { return "\(stored.name) \(key) has another key" }
                for property in stored.properties {
                    guard let column = table.stored.column(named: property.name) else { return "no \(property.name)" }
                    if property.collection == .list {
                        let want = (object.lists[property.name] ?? []).map(visible)
                        let got = table.list(found, column).values
                        if want != got {
                            return "\(stored.name) \(key).\(property.name): \(got.count) elements for \(want.count): "
                                + "\(got.prefix(5)) for \(want.prefix(5))"
                        }
                    } else {
                        let want = visible(object.values[property.name] ?? .null)
                        let got = table.value(found, column)
                        if want != got { return "\(stored.name) \(key).\(property.name): \(got) for \(want)" }
                    }
                }
            }
        }
        return nil
    }

    private func visible(_ value: Value) -> Value {
        if case .link(let link) = value, !exists(link) { return .null }
        return value
    }
}

extension Value {
    init(_ key: PrimaryKey) {
        switch key {
        case .null, .global: self = .null
        case .int(let value): self = .int(value)
        case .string(let value): self = .string(value)
        case .objectId(let value): self = .objectId(value)
        case .uuid(let value): self = .uuid(value)
        }
    }
}

/// Makes valid random instructions for an oracle's state.
struct InstructionMaker {
    var generator: SeededGenerator
    private var nextGlobal: UInt64 = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &generator) }

    mutating func value(_ type: ValueType, nullable: Bool, target: String?, _ oracle: Oracle) -> Value {
        if nullable, below(4) == 0 { return .null }
        switch type {
        case .int: return .int(below(3) == 0 ? .random(in: .min ... .max, using: &generator) : Int64(below(300)) - 100)
        case .bool: return .bool(below(2) == 0)
        case .string: return .string(string())
        case .binary:
            return .binary(Data((0..<below(below(10) == 0 ? 3_000 : 20)).map { UInt8(truncatingIfNeeded: $0) }))
        case .timestamp:
            let seconds = Int64(below(1_000_000)) - 500_000
            let nanoseconds = below(2) == 0 ? 0 : Int32(below(999_999_999) + 1)
            return .timestamp(Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds))
        case .float: return .float(Float(below(100)) / 8)
        case .double: return .double(Double(below(1_000)) / 7 - 50)
        case .decimal: return .decimal(Decimal128(low: UInt64(below(1_000)), high: 0x303C_0000_0000_0000))
        case .objectId:
            return .objectId(ObjectId(high: .random(in: 0 ... .max, using: &generator), low: UInt32(below(9))))
        case .uuid:
            let high = UInt64.random(in: 0 ... .max, using: &generator)
            return .uuid(withUnsafeBytes(of: (high, high)) { UUID(uuid: $0.load(as: uuid_t.self)) })
        case .link: return .link(Link(className: target ?? "", key: key(target ?? "", oracle, existing: below(8) != 0)))
        case .mixed: return .null
        }
    }

    mutating func string() -> String {
        let words = ["", "rex", "Ärmel", "fido\u{0}", "🐶", "bello", "a long name that is longer than sixteen bytes"]
        let word = words[below(words.count)]
        switch below(30) {
        case 0: return String(repeating: word.isEmpty ? "x" : word, count: 200)
        case 1: return String(repeating: "y", count: 512 + below(2))
        default: return word + "\(below(50))"
        }
    }

    /// The key of an object of a class, or one that need not exist.
    mutating func key(_ name: String, _ oracle: Oracle, existing: Bool) -> PrimaryKey {
        if existing, let keys = oracle.objects[name]?.keys, !keys.isEmpty {
            // The order of a dictionary isn't the same in every run.
            let sorted = sortedKeys(name, oracle)
            return sorted[below(sorted.count)]
        }
        switch name {
        case "Dog": return .int(Int64(below(4_000)))
        case "Person": return .string(below(6) == 0 ? String(repeating: "p", count: 440 + below(20)) : "p\(below(200))")
        default:
            defer { nextGlobal += 1 }
            return below(10) == 0 ? .global(high: 7, low: UInt64(below(50))) : .global(high: 0, low: nextGlobal)
        }
    }

    private var sortCache: [String: (count: Int, keys: [PrimaryKey])] = [:]

    private mutating func sortedKeys(_ name: String, _ oracle: Oracle) -> [PrimaryKey] {
        let keys = oracle.objects[name]?.keys.map { $0 } ?? []
        if let cached = sortCache[name], cached.count == keys.count,
            cached.keys.allSatisfy({ oracle.objects[name]?[$0] != nil })
        {
            return cached.keys
        }
        let sorted = keys.sorted { "\($0)" < "\($1)" }
        sortCache[name] = (sorted.count, sorted)
        return sorted
    }

    mutating func instruction(_ oracle: Oracle) -> Instruction {
        let names = oracle.schema.classes.map(\.name)
        let name = names[below(names.count)]
        guard let stored = oracle.schema.classSchema(name), below(100) >= 25, oracle.objects[name]?.isEmpty == false
        else {
            return .createObject(className: name, key: key(name, oracle, existing: false))
        }
        let key = key(name, oracle, existing: true)
        if below(100) < 12 { return .eraseObject(className: name, key: key) }
        let properties = stored.properties.filter { $0.name != stored.primaryKey }
        let property = properties[below(properties.count)]
        if property.collection == .list {
            return listInstruction(name, key, property, oracle)
        }
        let path = InstructionPath(name, key, property.name)
        if property.type == .int, below(5) == 0 { return .addInteger(path, Int64(below(20)) - 10) }
        return .update(
            path, .value(value(property.type, nullable: property.isNullable, target: property.target, oracle)),
            isDefault: below(2) == 0)
    }

    private mutating func listInstruction(
        _ name: String, _ key: PrimaryKey, _ property: PropertySchema, _ oracle: Oracle
    ) -> Instruction {
        let count = oracle.objects[name]?[key]?.lists[property.name]?.count ?? 0
        func path(_ index: Int) -> InstructionPath {
            InstructionPath(name, key, property.name, [.index(UInt32(index))])
        }
        let prior = UInt32(count)
        let element = value(property.type, nullable: property.isNullable, target: property.target, oracle)
        switch below(20) {
        case 0: return .clear(InstructionPath(name, key, property.name), .list)
        case 1...3 where count > 0: return .arrayErase(path(below(count)), priorSize: prior)
        case 4...6 where count > 1:
            let from = below(count)
            return .arrayMove(path(from), to: UInt32((from + 1 + below(count - 1)) % count), priorSize: prior)
        case 7...9 where count > 0: return .updateElement(path(below(count)), .value(element), priorSize: prior)
        default: return .arrayInsert(path(below(count + 1)), .value(element), priorSize: prior)
        }
    }
}
