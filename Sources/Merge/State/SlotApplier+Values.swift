import Model

extension SlotApplier {
    /// What a slot holds after an assignment (C-148 … C-151).
    func assigned(_ payload: Payload, to slot: Slot, _ type: SlotType) throws(ApplyError) -> Slot {
        switch payload {
        case .value(let value):
            try check(value, type)
            return .value(value)
        case .embeddedObject:
            guard schema.isEmbedded(type), let target = type.target, let embedded = schema[target] else {
                throw misplaced("an embedded object in a slot of another type")
            }
            return .object(className: target, fields: embedded.columns.mapValues(\.initial))
        case .list:
            guard type.type == .mixed else { throw misplaced("a list in a slot that is no Mixed") }
            if case .list = slot { return slot }
            return .list([])
        case .dictionary:
            guard type.type == .mixed else { throw misplaced("a dictionary in a slot that is no Mixed") }
            if case .dictionary = slot { return slot }
            return .dictionary([:])
        case .erased: throw misplaced("only keys of dictionaries can be removed")
        case .set: throw misplaced("a Mixed can't hold a set")
        }
    }

    /// That a slot can hold the value.
    private func check(_ value: Value, _ type: SlotType) throws(ApplyError) {
        let isMixed = type.type == .mixed
        switch value {
        case .null:
            guard isMixed || type.isNullable else { throw misplaced("null in a slot that is required") }
        case .link(let link):
            let target = Name(text: link.className)
            guard isMixed || (type.type == .link && type.target == target) else {
                throw misplaced("a link to '\(link.className)' in a slot of another type")
            }
            guard try schema.known(target).kind == .topLevel else {
                throw misplaced("a link to '\(link.className)', which can't be linked to")
            }
        case .malformedString: throw ApplyError(rule: "C-26", "a string that is not UTF-8")
        default:
            if case .timestamp(let instant) = value, !instant.isValid {
                throw ApplyError(rule: "C-41", "\(instant.seconds) s and \(instant.nanoseconds) ns are no instant")
            }
            guard isMixed || value.type == type.type else { throw misplaced("\(value) in a slot of type \(type.type)") }
        }
    }

    /// C-140
    func add(_ amount: Int64, to slot: inout Slot, _ type: SlotType) throws(ApplyError) {
        guard type.collection == .single, type.type == .int || type.type == .mixed else {
            throw ApplyError(rule: "C-140", "an increment of what is no number")
        }
        switch slot {
        case .value(.null): break
        case .value(.int(let value)): slot = .value(.int(value &+ amount))
        default: throw ApplyError(rule: "C-140", "an increment of what is no Int")
        }
    }

    /// C-144, C-150
    func clear(_ slot: inout Slot, _ kind: CollectionKind, _ type: SlotType) throws(ApplyError) {
        if type.collection != .single {
            guard kind == .single || kind == type.collection else {
                throw ApplyError(rule: "C-144", "a Clear of a \(kind), which is a \(type.collection)")
            }
            slot = type.initial
            return
        }
        guard type.type == .mixed else { throw ApplyError(rule: "C-144", "a Clear of a single value") }
        switch kind {
        case .list: slot = .list([])
        case .dictionary: slot = .dictionary([:])
        case .single, .set: throw ApplyError(rule: "C-150", "a Clear that makes a Mixed a \(kind)")
        }
    }

    /// C-145, C-146. Gives the place of the equal element (C-167).
    func changeSet(
        _ slot: inout Slot, _ payload: Payload, _ type: SlotType,
        _ change: (inout [Value], Value, Int?) -> Void
    ) throws(ApplyError) {
        guard case .set(var elements) = slot, case .value(let value) = payload else {
            throw misplaced("a set instruction on what is no set")
        }
        try check(value, type.element)
        slot = .null
        change(&elements, value, elements.firstIndex { $0.isSameElement(as: value) })
        slot = .set(elements)
    }
}

extension Value {
    /// The type of properties that hold it; nil for null and malformed strings.
    fileprivate var type: ValueType? {
        switch self {
        case .null, .malformedString: nil
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .binary: .binary
        case .timestamp: .timestamp
        case .float: .float
        case .double: .double
        case .decimal: .decimal
        case .link: .link
        case .objectId: .objectId
        case .uuid: .uuid
        }
    }
}
