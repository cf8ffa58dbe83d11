import Foundation
import Model
import TestSupport

/// Makes valid random instructions for the state of a plain realm. Classes have int keys.
struct PlainInstructionMaker {
    private var maker: InstructionMaker

    init(seed: UInt64) {
        maker = InstructionMaker(seed: seed)
    }

    mutating func below(_ limit: Int) -> Int { maker.below(limit) }

    mutating func key(_ name: String, _ realm: PlainRealm, existing: Bool) -> PrimaryKey {
        let keys = (realm.objects[name] ?? [:]).keys
        if existing, !keys.isEmpty {
            // The order of a dictionary isn't the same in every run.
            let sorted = keys.sorted { $0.compareForSort($1) == .orderedAscending }
            return sorted[below(sorted.count)]
        }
        return .int(Int64(below(60)))
    }

    mutating func value(_ property: PropertySchema, nullable: Bool, _ realm: PlainRealm) -> Value {
        let target = property.target
        switch property.type {
        case .link:
            if nullable, below(4) == 0 { return .null }
            return .link(
                Link(className: target ?? "", key: key(target ?? "", realm, existing: below(8) != 0)))
        case .mixed: return mixed(realm)
        default:
            return maker.value(property.type, nullable: nullable, target: nil, Oracle(realm.schema))
        }
    }

    private mutating func mixed(_ realm: PlainRealm) -> Value {
        if below(5) == 0 { return .null }
        if below(5) == 0 {
            let names = realm.schema.classes.filter { $0.kind == .topLevel }.map(\.name)
            let name = names[below(names.count)]
            return .link(Link(className: name, key: key(name, realm, existing: below(6) != 0)))
        }
        let types = ValueType.allCases.filter { $0 != .mixed && $0 != .link }
        return maker.value(types[below(types.count)], nullable: false, target: nil, Oracle(realm.schema))
    }

    mutating func dictionaryKey() -> String {
        let keys = ["", "a", "b", "ä", "a\u{308}", "$x", "a.b", "k\u{0}", String(repeating: "long ", count: 150)]
        return below(3) == 0 ? keys[below(keys.count)] : "k\(below(12))"
    }

    mutating func instruction(_ realm: PlainRealm) -> Instruction {
        let names = realm.schema.classes.filter { $0.kind == .topLevel }.map(\.name)
        let name = names[below(names.count)]
        guard let stored = realm.schema.classSchema(name), below(100) >= 12, realm.objects[name]?.isEmpty == false
        else {
            return .createObject(className: name, key: key(name, realm, existing: false))
        }
        let key = key(name, realm, existing: true)
        if below(100) < 6 { return .eraseObject(className: name, key: key) }
        let properties = stored.properties.filter { $0.name != stored.primaryKey }
        let property = properties[below(properties.count)]
        return instruction(InstructionPath(name, key, property.name), property, isElement: false, realm)
    }

    /// An instruction at a path or somewhere below it.
    private mutating func instruction(
        _ path: InstructionPath, _ property: PropertySchema, isElement: Bool, _ realm: PlainRealm
    ) -> Instruction {
        let node = realm.node(path) ?? .null
        if case .object(let child) = node, below(3) != 0 || !isElement && property.collection != .single {
            return below(path, child, property, realm)
        }
        let isMixed = property.type == .mixed
        switch node {
        case .list(let elements) where !isElement && property.collection == .list || isMixed && below(4) != 0:
            return listInstruction(path, elements, property, realm)
        case .dictionary(let entries)
        where !isElement && property.collection == .dictionary || isMixed && below(4) != 0:
            return dictionaryInstruction(path, entries, property, realm)
        case .set(let elements): return setInstruction(path, elements, property, realm)
        default: break
        }
        if property.type == .int, !property.isNullable, path.rest.isEmpty, below(4) == 0 {
            return .addInteger(path, Int64(below(20)) - 10)
        }
        let nullable = property.isNullable || property.type == .link
        return .update(path, payload(property, nullable: nullable, realm, path), isDefault: below(2) == 0)
    }

    private mutating func below(
        _ path: InstructionPath, _ child: [String: Node], _ property: PropertySchema, _ realm: PlainRealm
    ) -> Instruction {
        let properties = property.target.flatMap { realm.schema.classSchema($0) }?.properties ?? []
        let next = properties[below(properties.count)]
        return instruction(path.appending(.name(next.name)), next, isElement: false, realm)
    }

    private mutating func payload(
        _ property: PropertySchema, nullable: Bool, _ realm: PlainRealm, _ path: InstructionPath
    ) -> Payload {
        if isEmbedded(property, realm) { return nullable && below(3) == 0 ? .value(.null) : .embeddedObject }
        if property.type == .mixed, path.rest.count < 6 {
            switch below(5) {
            case 0: return .list
            case 1: return .dictionary
            default: break
            }
        }
        return .value(value(property, nullable: nullable, realm))
    }

    private func isEmbedded(_ property: PropertySchema, _ realm: PlainRealm) -> Bool {
        property.type == .link && property.target.flatMap { realm.schema.classSchema($0) }?.kind == .embedded
    }

    private mutating func listInstruction(
        _ path: InstructionPath, _ elements: [Node], _ property: PropertySchema, _ realm: PlainRealm
    ) -> Instruction {
        let count = elements.count
        let prior = UInt32(count)
        func at(_ index: Int) -> InstructionPath { path.appending(.index(UInt32(index))) }
        let nullable = property.isNullable && property.type != .link
        switch below(24) {
        case 0: return .clear(path, .list)
        case 1...3 where count > 0: return .arrayErase(at(below(count)), priorSize: prior)
        case 4...6 where count > 1:
            let from = below(count)
            return .arrayMove(at(from), to: UInt32((from + 1 + below(count - 1)) % count), priorSize: prior)
        case 7...8 where count > 0:
            let place = at(below(count))
            return .updateElement(place, payload(property, nullable: nullable, realm, place), priorSize: prior)
        case 9...16 where count > 0:
            let place = at(below(count))
            switch realm.node(place) {
            case .object(let child)?: return below(place, child, property, realm)
            case .list?, .dictionary?: return instruction(place, property, isElement: true, realm).asElement(prior)
            default: break
            }
            return .updateElement(place, payload(property, nullable: nullable, realm, place), priorSize: prior)
        default:
            let place = at(below(count + 1))
            return .arrayInsert(place, payload(property, nullable: nullable, realm, place), priorSize: prior)
        }
    }

    private mutating func dictionaryInstruction(
        _ path: InstructionPath, _ entries: [Node.Entry], _ property: PropertySchema, _ realm: PlainRealm
    ) -> Instruction {
        let existing =
            entries.isEmpty ? nil : String(decoding: entries[below(entries.count)].key, as: UTF8.self)
        let nullable = property.isNullable || property.type == .link
        switch (below(20), existing) {
        case (0, _): return .clear(path, .dictionary)
        case (1...3, let key?): return .update(path.appending(.name(key)), .erased, isDefault: false)
        case (4, _): return .update(path.appending(.name(dictionaryKey())), .erased, isDefault: false)
        case (5...10, let key?):
            return instruction(path.appending(.name(key)), property, isElement: true, realm)
        default:
            let place = path.appending(.name(dictionaryKey()))
            return .update(place, payload(property, nullable: nullable, realm, place), isDefault: false)
        }
    }

    private mutating func setInstruction(
        _ path: InstructionPath, _ elements: [Value], _ property: PropertySchema, _ realm: PlainRealm
    ) -> Instruction {
        let nullable = property.isNullable && property.type != .link
        switch below(20) {
        case 0: return .clear(path, .set)
        case 1...4 where !elements.isEmpty: return .setErase(path, .value(elements[below(elements.count)]))
        case 5: return .setErase(path, .value(value(property, nullable: nullable, realm)))
        default: return .setInsert(path, .value(value(property, nullable: nullable, realm)))
        }
    }
}

extension InstructionPath {
    fileprivate func appending(_ step: PathElement) -> InstructionPath {
        InstructionPath(className, key, property, rest + [step])
    }
}

extension Instruction {
    /// An assignment as that of a list's element, if its path ends in an index.
    fileprivate func asElement(_ prior: UInt32) -> Instruction {
        guard case .update(let path, let payload, _) = self, case .index? = path.rest.last else { return self }
        return .updateElement(path, payload, priorSize: prior)
    }
}
