import RealmSwift

/// What one observer was told last, and what was wrong with what it was told.
class YardRecord {
    let name: String
    private let watch: YardWatch
    /// When it was told last.
    private var state: YardState?
    private(set) var updates = 0

    init(_ name: String, _ watch: YardWatch) {
        self.name = name
        self.watch = watch
    }

    /// Whether it has been told the first time.
    var hasBegun: Bool { state != nil }

    /// Reads the present rows.
    func read() {}

    /// Whether the rows are those that were told last.
    var isUpToDate: Bool { true }

    /// Takes the present for what was told.
    final func begin() {
        state = watch.state
        read()
    }

    /// Reads the present rows, and holds a change set against them and those before. `faults` says what is wrong, given
    /// whether a row counts as modified.
    final func update(_ told: @autoclosure () -> String, _ faults: (@escaping (String) -> Bool) -> [String]) {
        updates += 1
        guard let before = state else { return watch.report("\(name): an update comes first") }
        let written = watch.state.written(since: before)
        begin()
        for fault in faults({ [state = watch.state] in state.reaches(written, from: $0) }) {
            watch.report("\(name): \(fault); told \(told())")
        }
    }
}

/// Rows in an order.
final class SequenceRecord: YardRecord {
    private let rows: () -> [String]
    private let mayReplace: Bool
    private var last: [String] = []

    init(_ name: String, _ watch: YardWatch, mayReplace: Bool, rows: @escaping () -> [String]) {
        self.rows = rows
        self.mayReplace = mayReplace
        super.init(name, watch)
    }

    override func read() { last = rows() }
    override var isUpToDate: Bool { last == rows() }

    func take<C>(_ change: RealmCollectionChange<C>) {
        guard case .update(_, let deletions, let insertions, let modifications) = change else { return begin() }
        let old = last
        update("-\(deletions) +\(insertions) ~\(modifications) from \(old) to \(rows())") { isModified in
            SequenceCheck(old: old, new: last, mayReplace: mayReplace, isModified: isModified)
                .faults(deletions: deletions, insertions: insertions, modifications: modifications)
        }
    }
}

/// Rows by key.
final class MapRecord: YardRecord {
    private let rows: () -> [String: String]
    private var last: [String: String] = [:]

    init(_ name: String, _ watch: YardWatch, rows: @escaping () -> [String: String]) {
        self.rows = rows
        super.init(name, watch)
    }

    override func read() { last = rows() }
    override var isUpToDate: Bool { last == rows() }

    func take<Value>(_ change: RealmMapChange<Map<String, Value>>) {
        guard case .update(_, let deletions, let insertions, let modifications) = change else { return begin() }
        let old = last
        update("-\(deletions) +\(insertions) ~\(modifications) from \(old) to \(rows())") { isModified in
            var faults: [String] = []
            if deletions.sorted() != old.keys.filter({ last[$0] == nil }).sorted() { faults.append("deletions") }
            if insertions.sorted() != last.keys.filter({ old[$0] == nil }).sorted() { faults.append("insertions") }
            let changed = last.filter { key, row in old[key].map { $0 != row || isModified(row) } ?? false }
            if modifications.sorted() != changed.keys.sorted() { faults.append("modifications") }
            return faults
        }
    }
}

/// Rows in sections.
final class SectionsRecord: YardRecord {
    typealias Sections = [(key: String, rows: [String])]

    private let sections: () -> Sections
    private var last: Sections = []

    init(_ name: String, _ watch: YardWatch, sections: @escaping () -> Sections) {
        self.sections = sections
        super.init(name, watch)
    }

    override func read() { last = sections() }
    override var isUpToDate: Bool { last.elementsEqual(sections(), by: ==) }

    func take<C>(_ change: SectionedResultsChange<C>) {
        guard case .update(_, let deletions, let insertions, let modifications, let came, let went) = change
        else { return begin() }
        let old = last
        update("-\(deletions) +\(insertions) ~\(modifications) +\(came) -\(went) from \(old) to \(sections())") {
            isModified in
            let keys = SequenceCheck(old: old.map(\.key), new: last.map(\.key)) { _ in false }
            var faults = keys.faults(deletions: Array(went), insertions: Array(came), modifications: [])
            guard faults.isEmpty else { return faults }
            let left = old.indices.filter { !went.contains($0) }
            for (before, after) in zip(left, last.indices.filter { !came.contains($0) }) {
                let rows = SequenceCheck(old: old[before].rows, new: last[after].rows, isModified: isModified)
                faults += rows.faults(
                    deletions: deletions.filter { $0.section == before }.map(\.item),
                    insertions: insertions.filter { $0.section == after }.map(\.item),
                    modifications: modifications.filter { $0.section == after }.map(\.item))
            }
            for section in came where insertions.filter({ $0.section == section }).count != last[section].rows.count {
                faults.append("rows of the new section \(section)")
            }
            return faults
        }
    }
}
