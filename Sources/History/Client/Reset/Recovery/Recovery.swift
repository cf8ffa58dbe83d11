import Model
import Store

/// Replays unsynced changes on a fresh realm (section 6 of the rules).
///
/// Each instruction is carried out there as far as that has a meaning, and noted as it was carried out: these are the
/// changesets that are uploaded then. The fresh realm's transaction is never committed.
final class Recovery {
    /// The realm as it was on this device, with all of the changes.
    let before: Snapshot
    let sink: InstructionSink
    var trackers = ListTrackers()
    /// What was left out, in words, as far as there is room.
    private(set) var discards: [String] = []
    private(set) var discardCount = 0
    /// What the changeset under way has become.
    private var recorded: [Instruction] = []
    /// The fresh realm as it is now; nil when it must be looked at anew.
    private var current: Snapshot?
    /// Objects that are known to exist.
    private var present: Set<Link> = []
    private var lastIdent = 0

    /// So many discards are kept in words.
    private static let discardLimit = 20

    init(on fresh: WriteTransaction, before: Snapshot) {
        sink = InstructionSink(fresh)
        self.before = before
    }

    /// Replays one changeset.
    /// - Returns: what it has become.
    func replay(_ instructions: [Instruction]) throws -> [Instruction] {
        recorded = []
        for instruction in instructions { try replay(instruction) }
        try copyLists()
        try sink.flush()
        return recorded
    }

    /// The fresh realm with all that was replayed: valid until the next replay.
    func state() throws -> Snapshot {
        if let current { return current }
        try sink.flush()
        let snapshot = try sink.transaction.reader()
        current = snapshot
        return snapshot
    }

    // MARK: For the rules

    /// Carries an instruction out and notes it.
    func carryOut(_ instruction: Instruction) throws {
        try sink.append(instruction)
        recorded.append(instruction)
        current = nil
    }

    /// Leaves an instruction out.
    func discard(_ instruction: Instruction, _ reason: String) {
        discardCount += 1
        guard discards.count < Recovery.discardLimit else { return }
        discards.append("\(instruction.summary): \(reason)")
    }

    func failure(_ instruction: Instruction, _ reason: String) -> ClientResetFailure {
        ClientResetFailure(.notRecoverable, "\(instruction.summary) can't be recovered: \(reason)")
    }

    func nextIdent() -> Int {
        lastIdent += 1
        return lastIdent
    }

    /// Whether an object is in the fresh realm.
    func exists(_ object: Link) throws -> Bool {
        if present.contains(object) { return true }
        guard let table = try state().table(named: object.className), table.stored.kind != .embedded,
            table.find(object.key) != nil
        else { return false }
        present.insert(object)
        return true
    }

    /// Whether a value is a link that leads nowhere.
    func isDeadLink(_ payload: Payload) throws -> Bool {
        guard case .value(.link(let link)) = payload else { return false }
        return try !exists(link)
    }

    // MARK: Schema and objects

    private func replay(_ instruction: Instruction) throws {
        switch instruction {
        case .addTable, .addColumn:
            // What is there already must agree; said again, it is part of what is uploaded.
            try carryOut(instruction)
            try sink.flush()
            trackers.renewCopies()
        case .eraseTable, .eraseColumn:
            throw failure(instruction, "classes and properties can't be removed")
        case .createObject(let name, let key):
            try checkClass(name, instruction)
            try carryOut(instruction)
            present.insert(Link(className: name, key: key))
        case .eraseObject(let name, let key):
            try checkClass(name, instruction)
            let object = Link(className: name, key: key)
            guard try exists(object) else { return }
            try carryOut(instruction)
            present.remove(object)
            trackers.drop(object)
        case .update(let path, let payload, let isDefault):
            try update(instruction, path, payload, isDefault: isDefault)
        case .updateElement, .arrayInsert, .arrayMove, .arrayErase: try changeList(instruction)
        case .addInteger(let path, let amount): try addInteger(instruction, path, amount)
        case .clear(let path, let kind): try clear(instruction, path, kind)
        case .setInsert(let path, _), .setErase(let path, _): try changeSet(instruction, path)
        }
    }

    private func checkClass(_ name: String, _ instruction: Instruction) throws {
        guard let table = sink.transaction.schema.table(named: name), table.kind != .embedded else {
            throw failure(instruction, "the server has no such class")
        }
    }
}

extension Instruction {
    /// What it does and where, without its values, which are nobody's business.
    fileprivate var summary: String {
        switch self {
        case .addTable(let name, _, _): "adding class '\(name)'"
        case .eraseTable(let name): "removing class '\(name)'"
        case .createObject(let name, _): "creating an object of '\(name)'"
        case .eraseObject(let name, _): "deleting an object of '\(name)'"
        case .addColumn(let name, let property, _): "adding property '\(name).\(property)'"
        case .eraseColumn(let name, let property): "removing property '\(name).\(property)'"
        case .update(let path, _, _), .updateElement(let path, _, _): "setting \(path.summary)"
        case .addInteger(let path, _): "adding to \(path.summary)"
        case .arrayInsert(let path, _, _), .setInsert(let path, _): "inserting into \(path.summary)"
        case .arrayMove(let path, _, _): "moving in \(path.summary)"
        case .arrayErase(let path, _), .setErase(let path, _): "removing from \(path.summary)"
        case .clear(let path, _): "clearing \(path.summary)"
        }
    }
}

extension InstructionPath {
    fileprivate var summary: String { "'\(className).\(property)'" }
}
