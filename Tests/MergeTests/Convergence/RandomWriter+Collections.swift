import Model

@testable import Merge

extension RandomWriter {
    /// Changes what is at a path, or something in it.
    mutating func change(_ path: InstructionPath, _ type: SlotType, depth: Int) throws(ApplyError) {
        guard let slot = state.slot(at: path) else { return }
        switch (type.collection, slot) {
        case (.list, .list(let elements)):
            try changeList(path, elements, type.element, isNested: false, depth: depth)
        case (.dictionary, .dictionary(let entries)):
            try changeDictionary(path, entries, type.element, isNested: false, depth: depth)
        case (.set, .set(let elements)): try changeSet(path, elements, type.element)
        default:
            if state.schema.isEmbedded(type) {
                try changeEmbedded(path, slot, type, depth: depth)
            } else if type.type == .mixed {
                try changeMixed(path, slot, isField: true, depth: depth)
            } else if type.type == .int, !slot.isNull, roll(2) == 0 {
                try emit(.addInteger(path, Int64(roll(9)) - 4))
            } else if let value = value(type) {
                try emit(.update(path, .value(value), isDefault: false))
            }
        }
    }

    // MARK: Lists

    mutating func changeList(
        _ path: InstructionPath, _ elements: [Slot], _ type: SlotType, isNested: Bool, depth: Int
    ) throws(ApplyError) {
        let size = elements.count
        let choice = roll(20)
        // A nested list is cleared even if it is empty (C-101).
        if size == 0, isNested, choice == 0 { return try emit(.clear(path, .list)) }
        // Lists stay short.
        if size == 0 || (choice < 7 && size < 6) { return try insert(path, size, at: roll(size + 1), type, depth) }
        let index = roll(size)
        let element = path.below(.index(UInt32(index)))
        switch choice {
        case ..<10 where size > 1:
            let destination = (index + 1 + roll(size - 1)) % size
            try emit(.arrayMove(element, to: UInt32(destination), priorSize: UInt32(size)))
        case 10 where size > 1 && index > 0:
            // A swap (C-97).
            let low = roll(index)
            try emit(.arrayMove(element, to: UInt32(low), priorSize: UInt32(size)))
            if index != low + 1 {
                let second = path.below(.index(UInt32(low + 1)))
                try emit(.arrayMove(second, to: UInt32(index), priorSize: UInt32(size)))
            }
        case 11...13: try emit(.arrayErase(element, priorSize: UInt32(size)))
        case 14: try emit(.clear(path, .list))
        case 15:
            // A whole list assigned (C-102).
            try emit(.clear(path, .list))
            for _ in 0..<roll(3) {
                guard case .list(let present) = state.slot(at: path) else { return }
                try insert(path, present.count, at: present.count, type, depth)
            }
        default:
            if state.schema.isEmbedded(type) {
                if roll(3) > 0 { return try descend(element, elements[index], depth: depth) }
                // Replaced (C-95).
                try emit(.arrayErase(element, priorSize: UInt32(size)))
                try insert(path, size - 1, at: index, type, depth)
            } else if type.type == .mixed {
                try changeMixed(element, elements[index], isField: false, depth: depth + 1)
            } else if let value = value(type) {
                try emit(.updateElement(element, .value(value), priorSize: UInt32(size)))
            }
        }
    }

    private mutating func insert(
        _ path: InstructionPath, _ size: Int, at index: Int, _ type: SlotType, _ depth: Int
    ) throws(ApplyError) {
        let element = path.below(.index(UInt32(index)))
        if state.schema.isEmbedded(type) {
            try emit(.arrayInsert(element, .embeddedObject, priorSize: UInt32(size)))
            return try fillEmbedded(element, type, depth: depth)
        }
        if type.type == .mixed, depth < 3, roll(4) == 0 {
            let isList = roll(2) == 0
            try emit(.arrayInsert(element, isList ? .list : .dictionary, priorSize: UInt32(size)))
            return try fillCollection(element, isList: isList, depth: depth)
        }
        guard let value = value(type) else { return }
        try emit(.arrayInsert(element, .value(value), priorSize: UInt32(size)))
    }

    // MARK: Dictionaries and sets

    mutating func changeDictionary(
        _ path: InstructionPath, _ entries: [Name: Slot], _ type: SlotType, isNested: Bool, depth: Int
    ) throws(ApplyError) {
        let key = Name(text: pick(["a", "b", "c"]) ?? "a")
        let value = path.below(.name(key.text))
        switch roll(12) {
        case 0:
            if isNested || !entries.isEmpty { try emit(.clear(path, .dictionary)) }
        case 1...3:
            guard let present = entries[key] else { return }
            if type.type == .mixed { try clearCollection(value, present) }
            try emit(.update(value, .erased, isDefault: false))
        default:
            if state.schema.isEmbedded(type) {
                if let present = entries[key], !present.isNull, roll(2) == 0 {
                    return try descend(value, present, depth: depth)
                }
                // Always erased first (C-116).
                try emit(.update(value, .erased, isDefault: false))
                try emit(.update(value, .embeddedObject, isDefault: false))
                try fillEmbedded(value, type, depth: depth)
            } else if type.type == .mixed {
                try changeMixed(value, entries[key] ?? .null, isField: false, depth: depth + 1)
            } else if let new = self.value(type) {
                try emit(.update(value, .value(new), isDefault: false))
            }
        }
    }

    private mutating func changeSet(
        _ path: InstructionPath, _ elements: [Value], _ type: SlotType
    ) throws(ApplyError) {
        switch roll(8) {
        case 0 where !elements.isEmpty: try emit(.clear(path, .set))
        case 1...3:
            if let element = pick(elements) { try emit(.setErase(path, .value(element))) }
        default:
            guard let value = value(type), !elements.contains(where: { $0.isSameElement(as: value) }) else { return }
            try emit(.setInsert(path, .value(value)))
        }
    }

    // MARK: Embedded objects

    private mutating func changeEmbedded(
        _ path: InstructionPath, _ slot: Slot, _ type: SlotType, depth: Int
    ) throws(ApplyError) {
        switch roll(6) {
        case 0: try emit(.update(path, .value(.null), isDefault: false))
        case 1, 2:
            // C-86, C-87
            if !slot.isNull { try emit(.update(path, .value(.null), isDefault: false)) }
            try emit(.update(path, .embeddedObject, isDefault: false))
            try fillEmbedded(path, type, depth: depth)
        default: try descend(path, slot, depth: depth)
        }
    }

    /// Changes a property of an embedded object.
    private mutating func descend(_ path: InstructionPath, _ slot: Slot, depth: Int) throws(ApplyError) {
        guard case .object(let className, _) = slot, let property = pick(properties(of: className)) else { return }
        try change(path.below(.name(property.text)), state.schema.column(property, of: className), depth: depth)
    }

    private mutating func fillEmbedded(_ path: InstructionPath, _ type: SlotType, depth: Int) throws(ApplyError) {
        guard let className = type.target else { return }
        for property in properties(of: className) where roll(2) == 0 {
            try fill(path.below(.name(property.text)), state.schema.column(property, of: className), depth: depth)
        }
    }
}

extension InstructionPath {
    func below(_ step: PathElement) -> InstructionPath {
        InstructionPath(className, key, property, rest + [step])
    }
}
