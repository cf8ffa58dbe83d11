import Merge
import Model
import Query
import Store
import Sync

/// Why a change isn't taken (F-56).
enum Refusal: Hashable {
    /// The object isn't what the client asked for.
    case outsideView
    case notAllowed

    /// As applications are told (F-61).
    func reason(_ name: ObjectName) -> String {
        let denied = "write to \(name.text) in table \"\(name.className)\" not allowed"
        return self == .outsideView ? denied + "; object is outside of the current query view" : denied
    }
}

/// A changeset while it is looked at whether its client may make it.
struct Trial {
    let view: FlexibleView
    let before: Snapshot
    let rank: Rank
    /// As the merge has left it.
    let merged: [Instruction]
    /// The objects of the changeset as received, in their order: the merge may have nothing left to do to some.
    let objects: [ObjectName]
    let replaced: Set<ObjectName>
    /// What the server has added to the schema, and the client is to know of.
    let added: [Instruction]
    var refusals: [ObjectName: Refusal] = [:]

    init(
        view: FlexibleView, before: Snapshot, rank: Rank, received: [Instruction], merged: [Instruction],
        replaced: Set<ObjectName>, added: [Instruction]
    ) {
        self.added = added
        self.view = view
        self.before = before
        self.rank = rank
        self.merged = merged
        self.replaced = replaced
        var seen: Set<ObjectName> = []
        objects = received.compactMap(\.object).filter { seen.insert($0).inserted }
    }

    /// What may be applied.
    var kept: [Instruction] {
        refusals.isEmpty ? merged : merged.filter { $0.object.map { refusals[$0] == nil } ?? true }
    }
}

extension FlexibleRealm {
    /// What can be told without applying anything: changes of objects that are there.
    func refusals(before trial: Trial) throws -> [ObjectName: Refusal] {
        var refusals: [ObjectName: Refusal] = [:]
        let changes = Dictionary(
            grouping: trial.merged.filter { $0.object != nil }, by: { $0.object ?? ObjectName("", .null) })
        for (className, names) in Dictionary(grouping: trial.objects, by: \.className) {
            guard let table = trial.before.table(named: className), table.stored.kind == .topLevel else { continue }
            let classView = trial.view.view(of: table.stored, trial.before.schema)
            var present: [ObjectKey: ObjectName] = [:]
            for name in names {
                guard let key = table.find(name.key) else { continue }
                if isMember(name, of: trial.view, trial.before) {
                    present[key] = name
                    if trial.replaced.contains(name) { refusals[name] = .notAllowed }
                } else {
                    refusals[name] = .outsideView
                }
            }
            let keys = Array(present.keys)
            let writable = try matching(classView.writable, className, keys, trial.before)
            let erased = keys.filter { key in
                present[key].flatMap { changes[$0] }?.contains { if case .eraseObject = $0 { true } else { false } }
                    ?? false
            }
            let deletable = try matching(classView.deletable, className, erased, trial.before)
            for (key, name) in present where refusals[name] == nil {
                let isAllowed =
                    writable.contains(key) && (!erased.contains(key) || deletable.contains(key))
                    && !(changes[name] ?? []).contains { isRefused($0, classView, isNew: false, by: trial.view) }
                if !isAllowed { refusals[name] = .notAllowed }
            }
        }
        return refusals
    }

    /// Whether a field may not be written, or not any more.
    private func isRefused(
        _ instruction: Instruction, _ view: ClassView, isNew: Bool, by client: FlexibleView
    ) -> Bool {
        guard let field = instruction.field else { return false }
        // It wasn't the client who wrote it (F-98).
        if client.partition != nil, field == configuration.partitionField?.property { return false }
        if !isNew, configuration.indexedFields.first == field { return true }
        return !(view.role?.isWritable(field) ?? false)
    }

    /// What shows only when the changeset has been applied: objects as they were not to be.
    func refusals(after: Snapshot, _ trial: Trial) throws -> [ObjectName: Refusal] {
        var refusals: [ObjectName: Refusal] = [:]
        let objects = trial.objects.filter { trial.refusals[$0] == nil }
        for (className, names) in Dictionary(grouping: objects, by: \.className) {
            guard let table = after.table(named: className), table.stored.kind == .topLevel else { continue }
            let classView = trial.view.view(of: table.stored, after.schema)
            var present: [ObjectKey: ObjectName] = [:]
            for name in names { if let key = table.find(name.key) { present[key] = name } }
            let writable = try matching(classView.writable, className, Array(present.keys), after)
            let earlier = trial.before.table(named: className)
            let made = present.filter { earlier?.find($0.value.key) == nil }
            let madeKeys = Array(made.keys)
            let insertable = try matching(classView.insertable, className, madeKeys, after)
            let subscribed = try matching(classView.subscribed ?? .constant(false), className, madeKeys, after)
            for (key, name) in present {
                if made[key] != nil {
                    let fields = trial.merged.filter { $0.object == name }
                    if !subscribed.contains(key) {
                        refusals[name] = .outsideView
                    } else if !insertable.contains(key)
                        || fields.contains(where: { isRefused($0, classView, isNew: true, by: trial.view) })
                    {
                        refusals[name] = .notAllowed
                    }
                }
                if !writable.contains(key), refusals[name] == nil { refusals[name] = .notAllowed }
            }
        }
        return refusals
    }

    // MARK: Schema

    /// What clients may not do to the schema (F-84, F-85).
    func refuseSchemaChanges(_ instructions: [Instruction], _ schema: StoredSchema) throws {
        var embedded = Set(schema.tables.filter { $0.kind == .embedded }.map(\.name))
        for instruction in instructions {
            switch instruction {
            case .addTable(let name, let kind, let key):
                if kind == .embedded { embedded.insert(name) }
                if kind != .embedded, key?.name != "_id" {
                    throw SessionFailure(
                        .invalidSchemaChange, "Class '\(name)' must have a primary key '_id' to be synced")
                }
                guard schema.table(named: name) == nil, !configuration.isInDevelopment else { continue }
                throw SessionFailure(.invalidSchemaChange, "The server has no class '\(name)'")
            case .addColumn(let name, let property, let column):
                if let field = configuration.partitionField, property == field.property, !embedded.contains(name),
                    column.type != field.type.rawValue || column.collection != .single
                {
                    throw SessionFailure(
                        .invalidSchemaChange, "'\(name).\(property)' isn't of the type that the app's partition key has"
                    )
                }
                guard schema.table(named: name)?.column(named: property) == nil, !configuration.isInDevelopment else {
                    continue
                }
                throw SessionFailure(.invalidSchemaChange, "The server has no property '\(name).\(property)'")
            default: break
            }
        }
    }

    // MARK: Asymmetric objects

    /// Inserts objects of asymmetric classes; those whose key is there are passed over (F-67).
    /// - Returns: those that the user may not insert, after which nothing is to be committed.
    func ingest(
        _ instructions: [Instruction], _ view: FlexibleView, _ transaction: WriteTransaction,
        _ refused: Set<ObjectName>
    ) throws -> Set<ObjectName> {
        var isNew: [ObjectName: Bool] = [:]
        let earlier = try transaction.reader()
        var kept: [Instruction] = []
        // A second creation of a key, in a later changeset, and what follows it, is passed over.
        var isSecond: Set<ObjectName> = []
        for instruction in instructions {
            guard let name = instruction.object, !refused.contains(name) else { continue }
            if case .eraseObject = instruction { continue }
            if case .createObject = instruction {
                if isNew[name] != nil {
                    isSecond.insert(name)
                } else {
                    isNew[name] = earlier.table(named: name.className)?.find(name.key) == nil
                }
            }
            if isNew[name] == true, !isSecond.contains(name) { kept.append(instruction) }
        }
        guard !kept.isEmpty else { return [] }
        let bytes = try Changeset.encode(kept)
        try bytes.withUnsafeBytes { try transaction.apply($0) }
        var denied: Set<ObjectName> = []
        let names = isNew.filter(\.value).keys
        for (className, names) in Dictionary(grouping: names, by: \.className) {
            guard let stored = transaction.schema.table(named: className) else { continue }
            let classView = view.view(of: stored, transaction.schema)
            let condition = Condition.all([classView.insertable, classView.writable])
            if condition == .constant(true) { continue }
            let after = try transaction.reader()
            guard let table = after.table(named: className) else { continue }
            let keys = Dictionary(
                names.compactMap { name in table.find(name.key).map { ($0, name) } }, uniquingKeysWith: { $1 })
            let allowed = try matching(condition, className, Array(keys.keys), after)
            for (key, name) in keys where !allowed.contains(key) { denied.insert(name) }
        }
        return denied
    }
}
