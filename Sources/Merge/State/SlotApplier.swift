import Model

/// Applies one instruction somewhere below a property (C-137 … C-146).
struct SlotApplier {
    let schema: ReplicaSchema
    let instruction: Instruction

    /// Goes down the path: `slot` is what its steps begin at.
    func apply(at steps: ArraySlice<PathElement>, to slot: inout Slot, _ type: SlotType) throws(ApplyError) {
        guard let step = steps.first else { return try applyField(&slot, type) }
        if steps.count == 1 {
            switch instruction {
            case .arrayInsert, .arrayMove, .arrayErase: return try applyList(&slot, type, step)
            default: break
            }
        }
        try open(&slot, type, step, steps.dropFirst())
    }

    /// Enters what a slot holds.
    private func open(
        _ slot: inout Slot, _ type: SlotType, _ step: PathElement, _ rest: ArraySlice<PathElement>
    ) throws(ApplyError) {
        // Taken out of the slot, so that it has no second owner while it changes.
        let held = slot
        slot = .null
        switch (held, step) {
        case (.object(let className, var fields), .name(let name)):
            let property = Name(text: name)
            let column = try schema.column(property, of: className)
            var field = fields[property] ?? column.initial
            fields[property] = nil
            try apply(at: rest, to: &field, column)
            fields[property] = field
            slot = .object(className: className, fields: fields)
        case (.dictionary(var entries), .name(let name)):
            let key = Name(text: name)
            if rest.isEmpty {
                try applyEntry(&entries, key, type.element)
            } else {
                guard var value = entries[key] else { throw ApplyError(rule: "C-130", "there is no key '\(name)'") }
                entries[key] = .null
                try apply(at: rest, to: &value, type.element)
                entries[key] = value
            }
            slot = .dictionary(entries)
        case (.list(var elements), .index(let index)):
            guard index < elements.count else {
                throw ApplyError(rule: "C-130", "index \(index) in a list of \(elements.count)")
            }
            if rest.isEmpty {
                try applyElement(&elements[Int(index)], type.element)
            } else {
                try apply(at: rest, to: &elements[Int(index)], type.element)
            }
            slot = .list(elements)
        default: throw ApplyError(rule: "C-130", "\(step) leads nowhere")
        }
    }

    // MARK: At the end of the path

    /// On a property, or what it holds as a whole.
    private func applyField(_ slot: inout Slot, _ type: SlotType) throws(ApplyError) {
        switch instruction {
        case .update(_, let payload, _):
            guard type.collection == .single else { throw misplaced("a collection can't be assigned to") }
            if case .embeddedObject = payload, !slot.isNull, schema.isEmbedded(type) { return }
            slot = try assigned(payload, to: slot, type)
        case .addInteger(_, let amount): try add(amount, to: &slot, type)
        case .clear(_, let kind): try clear(&slot, kind, type)
        case .setInsert(_, let payload):
            try changeSet(&slot, payload, type) { elements, value, place in
                if let place { elements[place] = value } else { elements.append(value) }
            }
        case .setErase(_, let payload):
            try changeSet(&slot, payload, type) { elements, _, place in
                if let place { elements.remove(at: place) }
            }
        default: throw misplaced("a property is no list element")
        }
    }

    /// On an element of a list.
    private func applyElement(_ slot: inout Slot, _ type: SlotType) throws(ApplyError) {
        switch instruction {
        case .updateElement(_, .embeddedObject, _) where schema.isEmbedded(type): break
        case .updateElement(_, let payload, _): slot = try assigned(payload, to: slot, type)
        case .clear(_, let kind): try clear(&slot, kind, type)
        default: throw misplaced("a list element is no property")
        }
    }

    /// On a key of a dictionary.
    private func applyEntry(_ entries: inout [Name: Slot], _ key: Name, _ type: SlotType) throws(ApplyError) {
        switch instruction {
        case .update(_, .erased, _): entries[key] = nil
        // Even over an object that is there (C-149).
        case .update(_, .embeddedObject, _) where schema.isEmbedded(type):
            entries[key] = try assigned(.embeddedObject, to: .null, type)
        case .update(_, let payload, _): entries[key] = try assigned(payload, to: entries[key] ?? .null, type)
        // A newer Clear brings back a key that an older removal has erased (C-150).
        case .clear(_, let kind):
            var value = entries[key] ?? .null
            try clear(&value, kind, type)
            entries[key] = value
        default: throw misplaced("a dictionary's value is no property")
        }
    }

    /// On a list, at one of its places (C-141 … C-143).
    private func applyList(_ slot: inout Slot, _ type: SlotType, _ step: PathElement) throws(ApplyError) {
        guard case .list(var elements) = slot, case .index(let index) = step else {
            throw ApplyError(rule: "C-130", "\(step) in what is no list")
        }
        slot = .null
        let place = Int(index)
        func check(_ priorSize: UInt32, _ isInside: Bool) throws(ApplyError) {
            guard Int(priorSize) == elements.count, isInside else {
                throw misplaced("\(place) in a list of \(elements.count), which should be one of \(priorSize)")
            }
        }
        switch instruction {
        case .arrayInsert(_, let payload, let priorSize):
            try check(priorSize, place <= elements.count)
            elements.insert(try assigned(payload, to: .null, type.element), at: place)
        case .arrayMove(_, let destination, let priorSize):
            try check(priorSize, place < elements.count && destination < elements.count && index != destination)
            elements.insert(elements.remove(at: place), at: Int(destination))
        case .arrayErase(_, let priorSize):
            try check(priorSize, place < elements.count)
            elements.remove(at: place)
        default: throw misplaced("not a list instruction")
        }
        slot = .list(elements)
    }

    func misplaced(_ what: String) -> ApplyError { ApplyError(rule: "C-127", what) }
}
