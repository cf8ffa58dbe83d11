import Model

/// Says in instructions what turns one value into another, and nothing that is the same in both.
struct ValueDifference {
    /// The classes of both: properties that it doesn't know are left alone.
    let schema: RealmSchema
    /// Takes each instruction.
    let emit: (Instruction) throws -> Void

    /// Where a value is: its property, or an element of it.
    struct Slot {
        let property: PropertySchema
        /// Of the embedded class that it can hold.
        let embedded: ClassSchema?
        /// Whether it is one of many, so that the property's own collection is behind it.
        var isElement = false

        var collection: CollectionKind { isElement ? .single : property.collection }
        var element: Slot { Slot(property: property, embedded: embedded, isElement: true) }
    }

    func slot(_ property: PropertySchema) -> Slot {
        let target = property.target.flatMap { schema.classSchema($0) }
        return Slot(property: property, embedded: target?.kind == .embedded ? target : nil)
    }

    /// Changes what is at a path from one value to another.
    func change(_ path: InstructionPath, _ slot: Slot, from old: StateValue, to new: StateValue) throws {
        switch (old, new) {
        case (.object(let old), .object(let new)): try changeObject(path, slot, from: old, to: new)
        case (.list(let old), .list(let new)): try changeList(path, slot.element, from: old, to: new)
        case (.dictionary(let old), .dictionary(let new)): try changeEntries(path, slot.element, from: old, to: new)
        case (.set(let old), .set(let new)): try changeSet(path, from: old, to: new)
        default:
            guard !old.isSame(as: new) else { return }
            try emit(.update(path, new.payload, isDefault: false))
            try change(path, slot, from: new.emptied, to: new)
        }
    }

    /// Gives a new object's property its value.
    func fill(_ path: InstructionPath, _ property: PropertySchema, with value: StateValue) throws {
        let old: StateValue =
            switch property.collection {
            case .list: .list([])
            case .set: .set([])
            case .dictionary: .dictionary([])
            case .single: .value(.null)
            }
        // What a new object holds there is some zero; to write it once more does no harm.
        try change(path, slot(property), from: old, to: value)
    }

    private func changeObject(
        _ path: InstructionPath, _ slot: Slot, from old: [(name: String, value: StateValue)],
        to new: [(name: String, value: StateValue)]
    ) throws {
        for property in new {
            guard let schema = slot.embedded?.property(property.name) else { continue }
            let below = path.appending(.name(property.name))
            if let old = old.first(where: { $0.name.utf8.elementsEqual(property.name.utf8) })?.value {
                try change(below, self.slot(schema), from: old, to: property.value)
            } else {
                try fill(below, schema, with: property.value)
            }
        }
    }

    // MARK: Lists

    private func changeList(
        _ path: InstructionPath, _ slot: Slot, from old: [StateValue], to new: [StateValue]
    ) throws {
        var start = 0
        var oldEnd = old.count
        var newEnd = new.count
        // Embedded objects are matched by position, since nothing else tells which is which.
        if slot.embedded == nil {
            while start < min(oldEnd, newEnd), old[start].isSame(as: new[start]) { start += 1 }
            while oldEnd > start, newEnd > start, old[oldEnd - 1].isSame(as: new[newEnd - 1]) {
                oldEnd -= 1
                newEnd -= 1
            }
        }
        let common = min(oldEnd, newEnd)
        for index in start..<max(start, common) {
            try changeElement(
                path.appending(.index(UInt32(index))), slot, size: old.count, from: old[index], to: new[index])
        }
        var size = old.count
        for index in common..<max(common, newEnd) {
            let place = path.appending(.index(UInt32(index)))
            try emit(.arrayInsert(place, new[index].payload, priorSize: UInt32(size)))
            size += 1
            try change(place, slot, from: new[index].emptied, to: new[index])
        }
        for index in (common..<max(common, oldEnd)).reversed() {
            try emit(.arrayErase(path.appending(.index(UInt32(index))), priorSize: UInt32(size)))
            size -= 1
        }
    }

    private func changeElement(
        _ path: InstructionPath, _ slot: Slot, size: Int, from old: StateValue, to new: StateValue
    ) throws {
        switch (old, new) {
        case (.object, .object), (.list, .list), (.dictionary, .dictionary):
            try change(path, slot, from: old, to: new)
        default:
            guard !old.isSame(as: new) else { return }
            try emit(.updateElement(path, new.payload, priorSize: UInt32(size)))
            try change(path, slot, from: new.emptied, to: new)
        }
    }

    // MARK: Sets and dictionaries

    private func changeSet(_ path: InstructionPath, from old: [Value], to new: [Value]) throws {
        guard old != new else { return }
        let kept = Set(new)
        let known = Set(old)
        // Numbers of different types can be the same element: what goes makes room first.
        for value in old where !kept.contains(value) { try emit(.setErase(path, .value(value))) }
        for value in new where !known.contains(value) { try emit(.setInsert(path, .value(value))) }
    }

    private func changeEntries(
        _ path: InstructionPath, _ slot: Slot, from old: [(key: String, value: StateValue)],
        to new: [(key: String, value: StateValue)]
    ) throws {
        let known = Dictionary(
            old.map { (PathElement.name($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
        let kept = Set(new.map { PathElement.name($0.key) })
        for entry in old where !kept.contains(.name(entry.key)) {
            try emit(.update(path.appending(.name(entry.key)), .erased, isDefault: false))
        }
        for entry in new {
            let place = path.appending(.name(entry.key))
            if let before = known[.name(entry.key)] {
                try change(place, slot, from: before, to: entry.value)
            } else {
                try emit(.update(place, entry.value.payload, isDefault: false))
                try change(place, slot, from: entry.value.emptied, to: entry.value)
            }
        }
    }
}

extension InstructionPath {
    func appending(_ step: PathElement) -> InstructionPath {
        InstructionPath(className, key, property, rest + [step])
    }
}
