import Model
import Store

extension Recovery {
    /// An instruction whose path ends in an index of a list.
    func changeList(_ instruction: Instruction) throws {
        guard let path = instruction.elementPath, case .index(let step)? = path.rest.last else {
            throw failure(instruction, "the path doesn't end in an index")
        }
        guard let target = try resolve(path.dropping(1), instruction) else { return }
        guard case .list(let list) = target.spot.content else { return try checkMayBeGone(target, instruction) }
        guard !trackers[target.place].needsCopy else {
            return discard(instruction, "the list becomes what it is on this device")
        }
        let index = Int(step)
        switch instruction {
        case .arrayInsert(_, let payload, _): try insert(instruction, payload, at: index, list.count, target)
        case .updateElement(_, let payload, _): try setElement(instruction, payload, at: index, list, target)
        case .arrayErase: try erase(instruction, at: index, list.count, target)
        case .arrayMove(_, let goal, _): try move(instruction, from: index, to: Int(goal), list.count, target)
        default: break
        }
    }

    private func insert(
        _ instruction: Instruction, _ payload: Payload, at index: Int, _ size: Int, _ target: Resolved
    ) throws {
        if try isDeadLink(payload) {
            trackers[target.place].skipInsert(index)
            return discard(instruction, "the object that it links to was deleted")
        }
        let place = trackers[target.place].insert(index, size: size, ident: nextIdent())
        try carryOut(
            .arrayInsert(target.path.appending(.index(UInt32(place))), payload, priorSize: UInt32(size)))
    }

    private func setElement(
        _ instruction: Instruction, _ payload: Payload, at index: Int, _ list: ListView, _ target: Resolved
    ) throws {
        guard let pair = element(index, of: list, target, instruction) else { return }
        let spot = target.spot.element(list, pair.remote)
        var payload = payload
        if try isDeadLink(payload) {
            guard spot.allowsNull else { return discard(instruction, "the object that it links to was deleted") }
            payload = .value(.null)
        }
        switch (spot.content, payload) {
        case (.list, .list), (.dictionary, .dictionary), (.object, .embeddedObject): break
        default: trackers.reset(target.place.appending(.element(pair.ident)))
        }
        try carryOut(
            .updateElement(
                target.path.appending(.index(UInt32(pair.remote))), payload, priorSize: UInt32(list.count)))
    }

    private func erase(_ instruction: Instruction, at index: Int, _ size: Int, _ target: Resolved) throws {
        guard let removed = trackers[target.place].remove(index) else { return requireCopy(target, instruction) }
        trackers.reset(target.place.appending(.element(removed.ident)))
        try carryOut(.arrayErase(target.path.appending(.index(UInt32(removed.remote))), priorSize: UInt32(size)))
    }

    private func move(
        _ instruction: Instruction, from index: Int, to goal: Int, _ size: Int, _ target: Resolved
    ) throws {
        guard let moved = trackers[target.place].move(index, to: goal) else {
            return requireCopy(target, instruction)
        }
        try carryOut(
            .arrayMove(
                target.path.appending(.index(UInt32(moved.from))), to: UInt32(moved.to), priorSize: UInt32(size)))
    }

    // MARK: Copying

    /// Makes the lists that need it what they are on this device.
    func copyLists() throws {
        for place in trackers.copies where !trackers[place].isCopied {
            guard let change = try copy(place) else {
                trackers[place].isCopied = true
                continue
            }
            for instruction in change.instructions { try carryOut(instruction) }
            trackers[place].isCopied = change.isWhole
        }
    }

    /// What makes a list the one on this device; nil if it isn't there on either side any more. It isn't whole if it
    /// would hold objects that don't exist: later changes may create them.
    private func copy(_ place: ListPlace) throws -> (instructions: [Instruction], isWhole: Bool)? {
        let state = try state()
        guard let found = locate(place, in: state), let original = locate(place, in: before) else { return nil }
        var reader = StateReader(state)
        var originalReader = StateReader(before)
        let old = StateValue.list(reader.elements(found.list, found.spot.table, found.spot.column))
        let all = StateValue.list(
            originalReader.elements(original.list, original.spot.table, original.spot.column))
        var isWhole = true
        let new = all.keepingLinks { link in
            let isThere = state.table(named: link.className)?.find(link.key) != nil
            if !isThere { isWhole = false }
            return isThere
        }
        var instructions: [Instruction] = []
        // Where a list of a Mixed is, only its own elements are changed.
        let difference = ValueDifference(schema: state.schema.realmSchema) { instructions.append($0) }
        try difference.change(
            found.path, difference.slot(found.spot.property), from: old, to: new ?? .list([]))
        return (instructions, isWhole)
    }

    private func locate(
        _ place: ListPlace, in snapshot: Snapshot
    ) -> (list: ListView, spot: RecoverySpot, path: InstructionPath)? {
        guard case .name(.name(let property))? = place.steps.first,
            let table = snapshot.table(named: place.object.className), let key = table.find(place.object.key),
            let column = table.stored.column(named: property)
        else { return nil }
        var spot = RecoverySpot(table, key, column)
        var path = InstructionPath(place.object.className, place.object.key, property)
        for step in place.steps.dropFirst() {
            // Lists inside of lists are copied with those.
            guard case .name(.name(let name)) = step else { return nil }
            switch spot.content {
            case .object(let table, let key):
                guard let column = table.stored.column(named: name) else { return nil }
                spot = RecoverySpot(table, key, column)
            case .dictionary(let dictionary): spot = spot.entry(dictionary, name)
            default: return nil
            }
            path = path.appending(.name(name))
        }
        guard case .list(let list) = spot.content else { return nil }
        return (list, spot, path)
    }
}

extension Instruction {
    fileprivate var elementPath: InstructionPath? {
        switch self {
        case .updateElement(let path, _, _), .arrayInsert(let path, _, _), .arrayMove(let path, _, _),
            .arrayErase(let path, _):
            path
        default: nil
        }
    }
}
