import Model
import Store

extension Recovery {
    /// Assignment to a property or to a dictionary's key.
    func update(_ instruction: Instruction, _ path: InstructionPath, _ payload: Payload, isDefault: Bool) throws {
        guard case .name(let name)? = path.rest.last else {
            guard path.rest.isEmpty else { throw failure(instruction, "the path ends in an index") }
            return try updateProperty(instruction, path, payload, isDefault: isDefault)
        }
        guard let parent = try resolve(path.dropping(1), instruction) else { return }
        let spot: RecoverySpot
        switch parent.spot.content {
        case .object(let table, let key):
            guard let column = table.stored.column(named: name) else {
                throw failure(instruction, "the server has no property '\(name)' in it")
            }
            spot = RecoverySpot(table, key, column)
        case .dictionary(let dictionary):
            if case .erased = payload, dictionary.index(of: name) == nil {
                return discard(instruction, "the key was removed")
            }
            spot = parent.spot.entry(dictionary, name)
        default: return try checkMayBeGone(parent, instruction)
        }
        try assign(
            instruction,
            Resolved(
                spot: spot, path: parent.path.appending(.name(name)), place: parent.place.appending(name),
                outermost: parent.outermost),
            payload, isDefault: isDefault)
    }

    private func updateProperty(
        _ instruction: Instruction, _ path: InstructionPath, _ payload: Payload, isDefault: Bool
    ) throws {
        // The common case, without a look at the realm.
        if case .value(let value) = payload, !value.isLink,
            let property = sink.transaction.schema.table(named: path.className)?.column(named: path.property)?.property,
            property.collection == .single, property.type != .link,
            try exists(Link(className: path.className, key: path.key))
        {
            if property.type == .mixed { trackers.reset(ListPlace(path)) }
            return try carryOut(instruction)
        }
        guard let resolved = try resolve(path, instruction) else { return }
        try assign(instruction, resolved, payload, isDefault: isDefault)
    }

    private func assign(
        _ instruction: Instruction, _ target: Resolved, _ payload: Payload, isDefault: Bool
    ) throws {
        guard target.spot.isSingle else { throw failure(instruction, "the property is a collection by now") }
        var payload = payload
        if try isDeadLink(payload) {
            guard target.spot.allowsNull else { return discard(instruction, "the object that it links to was deleted") }
            payload = .value(.null)
        }
        if !keeps(target.spot, payload) { trackers.reset(target.place) }
        try carryOut(.update(target.path, payload, isDefault: isDefault))
    }

    /// Whether what is in a slot stays although it is assigned to.
    private func keeps(_ spot: RecoverySpot, _ payload: Payload) -> Bool {
        switch (spot.content, payload) {
        case (.list, .list), (.dictionary, .dictionary), (.object, .embeddedObject): true
        default: false
        }
    }

    func addInteger(_ instruction: Instruction, _ path: InstructionPath, _ amount: Int64) throws {
        guard let target = try resolve(path, instruction) else { return }
        guard target.spot.isSingle, target.spot.property.type == .int || target.spot.isMixed else {
            throw failure(instruction, "the property is no number by now")
        }
        guard case .value(.int) = target.spot.content else { return discard(instruction, "there is no number by now") }
        try carryOut(.addInteger(target.path, amount))
    }

    func clear(_ instruction: Instruction, _ path: InstructionPath, _ kind: CollectionKind) throws {
        guard let target = try resolveToClear(instruction, path) else { return }
        let spot = target.spot
        var kind = kind
        if spot.isMixed {
            switch (kind, spot.content) {
            case (.list, _), (.dictionary, _): break
            case (_, .list): kind = .list
            case (_, .dictionary): kind = .dictionary
            default: return discard(instruction, "there is something else by now")
            }
        } else {
            guard !spot.isSingle, kind == .single || kind == spot.property.collection else {
                throw failure(instruction, "the property is of another kind")
            }
        }
        trackers.reset(target.place)
        try carryOut(.clear(target.path, kind))
    }

    /// As `resolve`, but the last key of a dictionary needn't be there: clearing makes it.
    private func resolveToClear(_ instruction: Instruction, _ path: InstructionPath) throws -> Resolved? {
        guard case .name(let name)? = path.rest.last else { return try resolve(path, instruction) }
        guard var parent = try resolve(path.dropping(1), instruction) else { return nil }
        guard case .dictionary(let dictionary) = parent.spot.content, dictionary.index(of: name) == nil else {
            return try resolve(path, instruction)
        }
        parent.spot = parent.spot.entry(dictionary, name)
        parent.path = parent.path.appending(.name(name))
        parent.place = parent.place.appending(name)
        return parent
    }

    func changeSet(_ instruction: Instruction, _ path: InstructionPath) throws {
        guard let target = try resolve(path, instruction) else { return }
        guard case .set = target.spot.content else { return try checkMayBeGone(target, instruction) }
        switch instruction {
        case .setInsert(_, let payload):
            guard try !isDeadLink(payload) else {
                return discard(instruction, "the object that it links to was deleted")
            }
            try carryOut(.setInsert(target.path, payload))
        case .setErase(_, let payload): try carryOut(.setErase(target.path, payload))
        default: break
        }
    }
}

extension InstructionPath {
    func dropping(_ count: Int) -> InstructionPath {
        InstructionPath(className, key, property, Array(rest.dropLast(count)))
    }
}

extension Value {
    var isLink: Bool { if case .link = self { true } else { false } }
}
