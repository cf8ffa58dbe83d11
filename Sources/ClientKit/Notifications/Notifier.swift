import Store

/// An observation that is registered with a realm instance. Used inside its confinement only.
class Notifier {
    /// The version that the observer has been told about, held until it has heard of a newer one.
    var seen: (snapshot: Snapshot, grant: RealmCoordinator.Grant)
    /// What ends it, from any thread.
    weak var observation: Observation?
    var isEnded: Bool { observation?.isEnded ?? true }

    init(_ core: RealmCore) {
        seen = (core.snapshot, core.grant)
    }

    /// Whether something is to be said although the version is the same.
    var isDue: Bool { false }

    /// Takes in the new version and returns the call that tells the observer; nil if it isn't concerned.
    func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? { nil }
}

/// Tells about a realm's versions.
final class RealmNotifier: Notifier {
    let block: (RealmCore, Bool) -> Void

    /// `block` learns whether a refresh is required.
    init(_ core: RealmCore, _ block: @escaping (RealmCore, Bool) -> Void) {
        self.block = block
        super.init(core)
    }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        guard view.new.version != view.old.version else { return nil }
        return { [block] in block(core, false) }
    }
}

/// Tells about a collection of objects.
final class ResultsNotifier: Notifier {
    private let query: CollectionQuery
    private let filter: PathFilter
    private let block: (CollectionNotice) -> Void
    /// The keys at the version seen; nil: not told yet, or the whole table.
    private var keys: [ObjectKey]?
    private var isInitialDue = true

    init(
        _ core: RealmCore, _ query: CollectionQuery, _ filter: PathFilter, _ block: @escaping (CollectionNotice) -> Void
    ) {
        self.query = query
        self.filter = filter
        self.block = block
        super.init(core)
    }

    override var isDue: Bool { isInitialDue }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        if isInitialDue {
            guard let now = try? core.evaluate(query) else { return nil }
            isInitialDue = false
            if case .keys(let keys) = now { self.keys = keys }
            return { [block] in block(.initial) }
        }
        guard view.concerns(query.info) || query.source != .table else { return nil }
        guard let notice = query.isWholeTable ? tableChanges(view) : keyChanges(core, view) else { return nil }
        return { [block] in block(notice) }
    }

    private func keyChanges(_ core: RealmCore, _ view: ChangeView) -> CollectionNotice? {
        if core.transaction == nil, let keys, let edit = ResultsEdit(query, from: keys, view, filter) {
            self.keys = edit.keys
            return notice(edit.deletions, edit.insertions, edit.modifications)
        }
        // A query that can't be evaluated any more (a dropped class) has nothing to tell.
        guard let now = try? core.evaluate(query), case .keys(let new) = now else { return nil }
        let old = keys ?? []
        keys = new
        // In a list itself another element may take the place of one; in what is selected of it, one goes and one comes.
        let isList: Bool
        if case .list = query.source {
            isList = query.descriptors.isEmpty && query.condition == .constant(true)
        } else {
            isList = false
        }
        let delta = SequenceDelta(from: old, to: new, pairingReplacements: isList)
        var modifications = delta.kept.compactMap { pair in
            view.isModified(query.info, new[pair.new], filter) ? pair.new : nil
        }
        if !delta.replacements.isEmpty { modifications = (modifications + delta.replacements).sorted() }
        return notice(delta.deletions, delta.insertions, modifications)
    }

    /// Unfiltered: positions follow from the keys that came and went, without listing all.
    private func tableChanges(_ view: ChangeView) -> CollectionNotice? {
        let (before, after) = (view.old.table(query.info.table.id), view.new.table(query.info.table.id))
        guard view.summary != nil else {
            let delta = SequenceDelta(from: before.allKeys, to: after.allKeys)
            return notice(delta.deletions, delta.insertions, delta.kept.map(\.new))
        }
        let changes = view.changes(query.info.table.id) ?? TableChanges()
        let deletions = changes.deletions.keys.compactMap { before.index(of: $0) }.sorted()
        let insertions = changes.insertions.keys.compactMap { after.index(of: $0) }.sorted()
        return notice(deletions, insertions, modifications(changes, view, after))
    }

    /// Positions of the objects that stayed and count as modified.
    private func modifications(_ changes: TableChanges, _ view: ChangeView, _ after: Table) -> [Int] {
        let keys: [ObjectKey]
        if !isDeep(view) {
            keys = changes.modifications.keys.filter { view.isModified(query.info, $0, filter) }
        } else if filter.isAny, let reached = view.reached(query.info) {
            keys = reached.filter { !changes.insertions.contains($0) }
        } else {
            return (0..<after.count).filter { index in
                let key = after.key(at: index)
                return !changes.insertions.contains(key) && view.isModified(query.info, key, filter)
            }
        }
        return keys.compactMap { after.index(of: $0) }.sorted()
    }

    /// Whether changes of other objects may count as modifications of these.
    private func isDeep(_ view: ChangeView) -> Bool { filter.looksBack || view.leadsToChanges(query.info) }

    private func notice(_ deletions: [Int], _ insertions: [Int], _ modifications: [Int]) -> CollectionNotice? {
        if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return nil }
        return .update(deletions: deletions, insertions: insertions, modifications: modifications)
    }
}

/// Tells about a list property.
final class ListNotifier: Notifier {
    private let info: ClassInfo
    private let key: ObjectKey
    private let column: StoredColumn
    private let steps: [MixedStep]
    private let filter: PathFilter
    private let block: (CollectionNotice) -> Void
    private var elements: [ListElement]?

    init(
        _ core: RealmCore, _ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn, _ steps: [MixedStep],
        _ filter: PathFilter, _ block: @escaping (CollectionNotice) -> Void
    ) {
        self.info = info
        self.key = key
        self.column = column
        self.steps = steps
        self.filter = filter
        self.block = block
        super.init(core)
    }

    override var isDue: Bool { elements == nil }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        // A list whose owner is gone is empty.
        let new = core.contains(info, key) ? core.cells(info, key, column, steps) : []
        guard let old = elements else {
            elements = new
            return { [block] in block(.initial) }
        }
        elements = new
        // In a set nothing takes the place of another element.
        let delta = SequenceDelta(from: old, to: new, pairingReplacements: column.property.collection != .set)
        var modifications = delta.replacements
        if column.property.type == .link {
            let target = info.target(of: column)
            for pair in delta.kept {
                guard case .link(let linked) = new[pair.new], view.isModified(target, linked, filter) else { continue }
                modifications.append(pair.new)
            }
            modifications.sort()
        }
        if delta.deletions.isEmpty, delta.insertions.isEmpty, modifications.isEmpty { return nil }
        let notice = CollectionNotice.update(
            deletions: delta.deletions, insertions: delta.insertions, modifications: modifications)
        return { [block] in block(notice) }
    }
}

/// Tells about one object.
final class ObjectNotifier: Notifier {
    private let info: ClassInfo
    private let key: ObjectKey
    private let filter: PathFilter
    private let block: (ObjectNotice) -> Void
    private var isGone = false

    init(
        _ core: RealmCore, _ info: ClassInfo, _ key: ObjectKey, _ filter: PathFilter,
        _ block: @escaping (ObjectNotice) -> Void
    ) {
        self.info = info
        self.key = key
        self.filter = filter
        self.block = block
        super.init(core)
    }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        guard !isGone else { return nil }
        guard info.reader.contains(key) else {
            isGone = true
            return { [block] in block(.deleted) }
        }
        let written = view.columns(info, key)
        let changed = info.columns.filter { column in
            guard let children = filter.children else { return written?.contains(column.id) == true }
            guard let child = children[column.id] else { return false }
            return written?.contains(column.id) == true || view.isChildModified(info, key, column.id, child)
        }
        let inverse = filter.origins.filter { view.isInverseModified(info, key, $0.key, $0.value) }.keys
        guard !changed.isEmpty || !inverse.isEmpty else { return nil }
        let properties = changed.map { column in
            guard column.property.collection == .single else {
                return ObjectNotice.Property(column: column, old: nil, new: nil)
            }
            let old = view.isOwn ? nil : view.old.table(info.table.id).element(key, column)
            return ObjectNotice.Property(column: column, old: old, new: info.reader.element(key, column))
        }
        let backwards = inverse.compactMap { origin in
            core.storedInfo(origin.table)?.table.column(origin.column).map {
                ObjectNotice.Property(column: $0, origin: origin, old: nil, new: nil)
            }
        }
        return { [block] in block(.change(properties + backwards)) }
    }
}

extension Table {
    /// The position of an object in key order.
    func index(of key: ObjectKey) -> Int? {
        locate(key).map { $0.cluster.firstIndex + $0.row }
    }

    /// All keys, ascending.
    var allKeys: [ObjectKey] {
        var keys: [ObjectKey] = []
        keys.reserveCapacity(count)
        for position in 0..<clusterCount {
            let cluster = cluster(at: position)
            for row in 0..<cluster.count { keys.append(cluster.key(at: row)) }
        }
        return keys
    }

    /// A single property, links by key.
    func element(_ key: ObjectKey, _ column: StoredColumn) -> ListElement {
        switch column.property.type {
        case .link: linkKey(key, column).map { .link($0) } ?? .null
        case .mixed: MixedNode(mixed(key, column)).element
        default: .value(value(key, column))
        }
    }
}
