import Model
import Store

extension Recovery {
    /// Where a path leads in the fresh realm.
    struct Resolved {
        var spot: RecoverySpot
        /// The path there.
        var path: InstructionPath
        var place: ListPlace
        /// The outermost list that it goes through.
        var outermost: ListPlace?
    }

    /// Follows a path; nil if what it leads to is gone, and the instruction with it.
    func resolve(_ path: InstructionPath, _ instruction: Instruction) throws -> Resolved? {
        guard let table = sink.transaction.schema.table(named: path.className), table.kind != .embedded else {
            throw failure(instruction, "the server has no such class")
        }
        guard table.column(named: path.property) != nil else {
            throw failure(instruction, "the server has no such property")
        }
        let state = try state()
        guard let table = state.table(named: path.className), let key = table.find(path.key),
            let column = table.stored.column(named: path.property)
        else {
            discard(instruction, "the object was deleted")
            return nil
        }
        var resolved = Resolved(
            spot: RecoverySpot(table, key, column),
            path: InstructionPath(path.className, path.key, path.property), place: ListPlace(path))
        for step in path.rest {
            guard let next = try follow(step, from: resolved, instruction) else { return nil }
            resolved = next
        }
        return resolved
    }

    private func follow(_ step: PathElement, from resolved: Resolved, _ instruction: Instruction) throws -> Resolved? {
        var next = resolved
        switch (resolved.spot.content, step) {
        case (.object(let table, let key), .name(let name)):
            guard let column = table.stored.column(named: name) else {
                throw failure(instruction, "the server has no property '\(name)' in it")
            }
            next.spot = RecoverySpot(table, key, column)
            next.path = resolved.path.appending(step)
            next.place = resolved.place.appending(name)
        case (.dictionary(let dictionary), .name(let name)):
            next.spot = resolved.spot.entry(dictionary, name)
            guard dictionary.index(of: name) != nil else {
                discard(instruction, "the key was removed")
                return nil
            }
            next.path = resolved.path.appending(step)
            next.place = resolved.place.appending(name)
        case (.list(let list), .index(let index)):
            guard let pair = element(Int(index), of: list, resolved, instruction) else { return nil }
            next.spot = resolved.spot.element(list, pair.remote)
            next.path = resolved.path.appending(.index(UInt32(pair.remote)))
            next.place = resolved.place.appending(.element(pair.ident))
            next.outermost = resolved.outermost ?? resolved.place
        default:
            try checkMayBeGone(resolved, instruction)
            return nil
        }
        return next
    }

    /// The element of a list that the recovery has put where an index points to; if there is none the list is copied
    ///
    func element(
        _ index: Int, of list: ListView, _ resolved: Resolved, _ instruction: Instruction
    ) -> ListTracker.Pair? {
        let tracker = trackers[resolved.place]
        if !tracker.needsCopy, let pair = tracker[index], pair.remote < list.count { return pair }
        requireCopy(resolved, instruction)
        return nil
    }

    /// Marks a list, or the one around it, to be copied, and discards the instruction.
    func requireCopy(_ resolved: Resolved, _ instruction: Instruction) {
        let place = resolved.outermost ?? resolved.place
        trackers.requireCopy(place)
        discard(instruction, "the list becomes what it is on this device")
    }

    /// Something else is where the path leads: that may be the other side's doing, or make no sense.
    func checkMayBeGone(_ resolved: Resolved, _ instruction: Instruction) throws {
        guard resolved.spot.mayContain else { throw failure(instruction, "the property is of another kind") }
        discard(instruction, "there is something else by now")
    }
}
