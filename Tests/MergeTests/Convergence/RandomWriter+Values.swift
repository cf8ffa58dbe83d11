import Foundation
import Model

@testable import Merge

extension RandomWriter {
    // MARK: Mixed

    /// Changes a Mixed: assigns something else, or changes the collection in it. A dictionary's value may be missing.
    mutating func changeMixed(
        _ path: InstructionPath, _ slot: Slot, isField: Bool, depth: Int
    ) throws(ApplyError) {
        let choice = roll(10)
        switch slot {
        case .list(let elements) where choice < 6:
            return try changeList(path, elements, .mixed, isNested: true, depth: depth + 1)
        case .dictionary(let entries) where choice < 6:
            return try changeDictionary(path, entries, .mixed, isNested: true, depth: depth + 1)
        case .value(.int) where isField && choice < 3: return try emit(.addInteger(path, Int64(roll(9)) - 4))
        default: break
        }
        if depth < 3, choice < 8 {
            try assignCollection(path, slot, isList: roll(2) == 0, depth: depth)
        } else if let value = value(.mixed) {
            try clearCollection(path, slot)
            try assign(path, .value(value))
        }
    }

    /// C-117
    private mutating func assignCollection(
        _ path: InstructionPath, _ slot: Slot, isList: Bool, depth: Int
    ) throws(ApplyError) {
        var isSameKind = false
        switch (slot, isList) {
        case (.list, true), (.dictionary, false): isSameKind = true
        default: try clearCollection(path, slot)
        }
        try assign(path, isList ? .list : .dictionary)
        if isSameKind { try emit(.clear(path, isList ? .list : .dictionary)) }
        try fillCollection(path, isList: isList, depth: depth)
    }

    mutating func fillCollection(_ path: InstructionPath, isList: Bool, depth: Int) throws(ApplyError) {
        for _ in 0..<roll(3) {
            guard let slot = state.slot(at: path) else { return }
            switch slot {
            case .list(let elements):
                let element = path.below(.index(UInt32(elements.count)))
                guard let value = value(.mixed) else { continue }
                try emit(.arrayInsert(element, .value(value), priorSize: UInt32(elements.count)))
            case .dictionary(let entries):
                let key = pick(["a", "b", "c"]) ?? "a"
                let present = entries[Name(text: key)] ?? .null
                try changeMixed(path.below(.name(key)), present, isField: false, depth: depth + 1)
            default: return
            }
        }
    }

    /// What holds a collection is cleared before something else takes its place (C-169).
    mutating func clearCollection(_ path: InstructionPath, _ slot: Slot) throws(ApplyError) {
        switch slot {
        case .list: try emit(.clear(path, .list))
        case .dictionary: try emit(.clear(path, .dictionary))
        default: break
        }
    }

    /// An assignment to a field, list element or key.
    private mutating func assign(_ path: InstructionPath, _ payload: Payload) throws(ApplyError) {
        guard case .index = path.rest.last else { return try emit(.update(path, payload, isDefault: false)) }
        let list = InstructionPath(path.className, path.key, path.property, path.rest.dropLast())
        guard case .list(let elements) = state.slot(at: list) else { return }
        try emit(.updateElement(path, payload, priorSize: UInt32(elements.count)))
    }

    // MARK: Values

    /// A value that a slot can hold; few different ones. Nil if there is none, as for links where there are no objects.
    mutating func value(_ type: SlotType) -> Value? {
        if type.type != .mixed, type.isNullable, roll(4) == 0 { return .null }
        switch type.type {
        case .int: return .int(Int64(roll(10)))
        case .bool: return .bool(roll(2) == 0)
        case .string: return .string(pick(["", "x", "y", "é", "zz"]) ?? "")
        case .binary: return .binary(Data((0..<roll(3)).map { UInt8($0) }))
        case .timestamp: return .timestamp(Timestamp(seconds: Int64(roll(3)) - 1, nanoseconds: 0))
        case .float: return .float([0, -0.0, 1, 1.5, .nan][roll(5)])
        case .double: return .double([0, -0.0, 1, 1.5, .nan][roll(5)])
        case .decimal: return Decimal128(["0", "1", "1.00", "1.5", "NaN"][roll(5)]).map { .decimal($0) }
        case .objectId: return .objectId(ObjectId(high: 1, low: UInt32(roll(3))))
        case .uuid: return .uuid(UUID(high: 1, low: UInt64(roll(3))))
        case .link: return type.target.flatMap { link(to: $0) }
        case .mixed:
            let types: [ValueType] = [.int, .int, .string, .bool, .double, .decimal, .float, .link, .timestamp]
            let choice = roll(types.count + 1)
            if choice == types.count { return .null }
            if types[choice] == .link { return link(to: pick(classNames) ?? Name(text: "Item")) }
            return value(SlotType(type: types[choice], isNullable: false, collection: .single))
        }
    }

    private mutating func link(to className: Name) -> Value? {
        pick(keys(of: className)).map { .link(Link(className: className.text, key: $0)) }
    }
}
