import Merge
import Model
import Store
import Sync

/// Making the history that a client file is sent (F-49, F-54a).
extension FlexibleRealm {
    /// What is new for a file, not yet written.
    struct Addition {
        var view: FlexibleView
        var records: [OutgoingRecord] = []
        var joined: [ObjectName] = []
        var left: [ObjectName] = []
        var through: UInt64

        var isEmpty: Bool { records.isEmpty && joined.isEmpty && left.isEmpty }
    }

    /// Brings the histories of files up to the realm's version. Durable only with the next change that is.
    func catchUp(_ views: [FlexibleView]) throws {
        let through = base.state.version
        let snapshot = try base.snapshot()
        let additions = try views.filter { $0.record.generated < through }.map { try addition(to: $0, snapshot) }
        let news = additions.filter { !$0.isEmpty }
        if !news.isEmpty {
            var records: [ViewRecord] = []
            try base.change(to: base.state, isDurable: false) { transaction in
                records = try news.map { try write($0, to: transaction) }
            }
            for (addition, record) in zip(news, records) { addition.view.record = record }
        }
        for addition in additions {
            // Of versions without news nothing is kept: looking at them again finds nothing again.
            addition.view.record.generated = through
            addition.view.relevant = []
        }
    }

    /// Puts what is new for a file into its history; returns what the file's record is from the commit on.
    func write(_ addition: Addition, to transaction: WriteTransaction) throws -> ViewRecord {
        var record = addition.view.record
        let file = UInt64(addition.view.file)
        for entry in addition.records {
            record.last += 1
            try transaction.putSync(HistoryKey.outgoing(file, record.last), entry.encoded)
        }
        for object in addition.left { try transaction.removeSync(HistoryKey.member(file, object)) }
        for object in addition.joined { try transaction.putSync(HistoryKey.member(file, object), object.encoded) }
        record.generated = addition.through
        try transaction.putSync(HistoryKey.view(file), record.encoded)
        return record
    }

    private struct SharedEntry {
        var version: UInt64
        var rank: Rank
        var instructions: [Instruction]
    }

    /// What the file is to be sent of the history behind what it has: the instructions on objects that stay in its view,
    /// and, in one entry of the newest version, what makes objects come and go.
    private func addition(to view: FlexibleView, _ snapshot: Snapshot) throws -> Addition {
        var addition = Addition(view: view, through: base.state.version)
        let entries = try entries(after: view, snapshot)
        guard !entries.isEmpty else { return addition }
        let touched = distinct(entries.flatMap { $0.instructions.compactMap(\.object) })
        let before = Set(touched.filter { isMember($0, of: view, snapshot) })
        let now = try visible(touched, view, snapshot)
        let staying = before.intersection(now)
        for entry in entries {
            let instructions = entry.instructions.filter { sends($0, staying, view, snapshot) }
            guard !instructions.isEmpty else { continue }
            addition.records.append(
                OutgoingRecord(
                    version: entry.version, client: view.record.client, timestamp: entry.rank.originTimestamp,
                    origin: entry.rank.originFileIdent, queryVersion: view.record.states.last?.queryVersion ?? 0,
                    changeset: try Changeset.encode(instructions)))
        }
        addition.left = touched.filter { before.contains($0) && !now.contains($0) }
        addition.joined = touched.filter { now.contains($0) && !before.contains($0) }
        let made =
            addition.left.map { Instruction.eraseObject(className: $0.className, key: $0.key) }
            + recreation(of: addition.joined, view, snapshot)
        if !made.isEmpty {
            addition.records.append(try madeUp(made, at: addition.through, view))
        }
        return addition
    }

    /// An entry that the server has made up for a file.
    func madeUp(_ instructions: [Instruction], at version: UInt64, _ view: FlexibleView) throws -> OutgoingRecord {
        OutgoingRecord(
            isMadeUp: true, version: version, client: view.record.client, timestamp: base.options.now(), origin: 1,
            queryVersion: view.record.states.last?.queryVersion ?? 0, changeset: try Changeset.encode(instructions))
    }

    private func entries(after view: FlexibleView, _ snapshot: Snapshot) throws -> [SharedEntry] {
        var entries: [SharedEntry] = []
        func add(_ version: UInt64, _ record: EntryRecord) throws {
            guard record.rank.originFileIdent != UInt64(view.file), !record.changeset.isEmpty else { return }
            entries.append(
                SharedEntry(
                    version: version, rank: record.rank, instructions: try Changeset.decode(record.changeset)))
        }
        if view.isTracked {
            for version in view.relevant where version > view.record.generated {
                if let record = try base.entry(version, snapshot) { try add(version, record) }
            }
        } else {
            try base.eachEntry(after: view.record.generated, snapshot) { try add($0, $1) }
        }
        return entries
    }

    private func distinct(_ names: [ObjectName]) -> [ObjectName] {
        var seen: Set<ObjectName> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// Those of some objects that the client is to see now.
    func visible(_ names: [ObjectName], _ view: FlexibleView, _ snapshot: Snapshot) throws -> Set<ObjectName> {
        var found: Set<ObjectName> = []
        for (className, names) in Dictionary(grouping: names, by: \.className) {
            guard let table = snapshot.table(named: className), table.stored.kind == .topLevel else { continue }
            let objects = Dictionary(
                names.compactMap { name in table.find(name.key).map { ($0, name) } }, uniquingKeysWith: { $1 })
            let condition = view.view(of: table.stored, snapshot.schema).visible
            for key in try matching(condition, className, Array(objects.keys), snapshot) {
                if let name = objects[key] { found.insert(name) }
            }
        }
        return found
    }

    /// Whether an instruction of somebody else goes to the client: changes of the schema do, and those of what it may read
    /// of the objects that stay in its view.
    private func sends(
        _ instruction: Instruction, _ staying: Set<ObjectName>, _ view: FlexibleView, _ snapshot: Snapshot
    ) -> Bool {
        guard let object = instruction.object else { return true }
        guard staying.contains(object) else { return false }
        guard let field = instruction.field, let stored = snapshot.schema.table(named: object.className) else {
            return true
        }
        return view.view(of: stored, snapshot.schema).role?.isReadable(field) ?? false
    }

    /// Makes objects what they are now, whatever the client has under their keys: erased, made, filled.
    func recreation(of names: [ObjectName], _ view: FlexibleView, _ snapshot: Snapshot) -> [Instruction] {
        names.flatMap { name -> [Instruction] in
            let erasure = Instruction.eraseObject(className: name.className, key: name.key)
            guard let table = snapshot.table(named: name.className), let key = table.find(name.key) else {
                return [erasure]
            }
            let role = view.view(of: table.stored, snapshot.schema).role
            return [erasure] + snapshot.instructions(creating: [key], of: table) { role?.isReadable($0) ?? false }
        }
    }
}
