import Foundation
import Model
import Store

/// What happened to sections between two versions.
enum SectionsNotice {
    case initial
    case update(SectionsDelta)

    func change<C>(of sections: C) -> SectionedResultsChange<C> {
        switch self {
        case .initial: .initial(sections)
        case .update(let delta):
            .update(
                sections, deletions: delta.deletions, insertions: delta.insertions, modifications: delta.modifications,
                sectionsToInsert: delta.sectionsToInsert, sectionsToDelete: delta.sectionsToDelete)
        }
    }
}

/// How sections became others. A section that moved counts as deleted and inserted.
struct SectionsDelta {
    private(set) var deletions: [IndexPath] = []
    private(set) var insertions: [IndexPath] = []
    private(set) var modifications: [IndexPath] = []
    private(set) var sectionsToInsert = IndexSet()
    private(set) var sectionsToDelete = IndexSet()

    /// - Parameters:
    ///   - only: the key of the only section that counts; nil: all do.
    ///   - isModified: whether a row that stayed has changed.
    init<Key: Hashable, Row: Hashable>(
        from old: (keys: [Key], rows: [[Row]]), to new: (keys: [Key], rows: [[Row]]), only: Key?,
        isModified: (Row) -> Bool
    ) {
        let sections = SequenceDelta(from: old.keys, to: new.keys)
        for section in sections.deletions where only == nil || old.keys[section] == only {
            sectionsToDelete.insert(section)
        }
        for section in sections.insertions where only == nil || new.keys[section] == only {
            sectionsToInsert.insert(section)
            insertions += new.rows[section].indices.map { IndexPath(item: $0, section: section) }
        }
        for section in sections.kept where only == nil || new.keys[section.new] == only {
            let rows = new.rows[section.new]
            let delta = SequenceDelta(from: old.rows[section.old], to: rows)
            deletions += delta.deletions.map { IndexPath(item: $0, section: section.old) }
            insertions += delta.insertions.map { IndexPath(item: $0, section: section.new) }
            modifications += delta.kept.compactMap { pair in
                isModified(rows[pair.new]) ? IndexPath(item: pair.new, section: section.new) : nil
            }
        }
        insertions.sort()
    }

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && sectionsToInsert.isEmpty
            && sectionsToDelete.isEmpty
    }
}

/// Tells about sections.
final class SectionsNotifier<Key: _Persistable & Hashable, Element: RealmCollectionValue>: Notifier {
    private let state: SectionedState<Key, Element>
    private let filter: PathFilter
    private let only: Key?
    private let block: (SectionsNotice) -> Void
    /// What the observer has been told of; nil: nothing yet.
    private var told: (keys: [Key], rows: [[ListElement]])?

    /// `state` is in terms of `core`.
    init(
        _ core: RealmCore, _ state: SectionedState<Key, Element>, _ filter: PathFilter, only: Key?,
        _ block: @escaping (SectionsNotice) -> Void
    ) {
        self.state = state
        self.filter = filter
        self.only = only
        self.block = block
        super.init(core)
    }

    override var isDue: Bool { told == nil }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        if told != nil, let query = state.collection.query, query.source == .table, !view.concerns(query.info) {
            return nil
        }
        let state = state.renewed()
        let sections = state.sections
        let new = (sections.keys, sections.positions.map { $0.map { state.collection.row(at: $0) } })
        defer { told = new }
        guard let old = told else { return { [block] in block(.initial) } }
        let info = state.collection.model?.info
        let delta = SectionsDelta(from: old, to: new, only: only) { row in
            guard let info, case .link(let key) = row else { return false }
            return view.isModified(info, key, filter)
        }
        return delta.isEmpty ? nil : { [block] in block(.update(delta)) }
    }
}

extension SectionedState {
    func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace, only: Key?,
        _ block: @escaping (SectionedState, SectionsNotice) -> Void
    ) -> NotificationToken {
        let paths = collection.columnPaths(keyPaths, of: Element.self)
        if let info = collection.model?.info { _ = PathFilter(paths, info) }
        return collection.core.register(place) { [self] core in
            // What the collection belongs to may be gone by now: then there is nothing to tell.
            guard let state = moved(to: core) else { return Notifier(core) }
            let filter = state.collection.model.map { PathFilter(paths, $0.info) } ?? .any
            return SectionsNotifier(core, state, filter, only: only) { block(state, $0) }
        }
    }
}
