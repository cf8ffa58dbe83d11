import Query
import Store

/// How the outcome of a query follows from the one before it by looking at the objects that were written, and at those
/// whose links lead there, and at no others.
struct ResultsEdit {
    /// More such objects than this, or than this share of the table, and evaluating the query again is quicker.
    private static let alwaysWorthwhile = 64
    private static let worthwhileShare = 64

    /// The new outcome.
    private(set) var keys: [ObjectKey]
    /// Old positions of those that left, new ones of those that came and of those that stayed and were written.
    private(set) var deletions: [Int] = []
    private(set) var insertions: [Int] = []
    private(set) var modifications: [Int] = []

    /// - Parameter old: the outcome at the view's old version.
    /// - Returns: nil if more than the written objects may count.
    init?(_ query: CollectionQuery, from old: [ObjectKey], _ view: ChangeView, _ filter: PathFilter) {
        // Without an order of its own, the outcome is in the order of the keys.
        guard filter.isAny, query.source == .table, query.descriptors.isEmpty, view.summary != nil,
            query.condition.looksAtOwnValues(of: query.info)
        else { return nil }
        let changes = view.changes(query.info.table.id) ?? TableChanges()
        let limit = max(Self.alwaysWorthwhile, view.new.table(query.info.table.id).count / Self.worthwhileShare)
        guard changes.modifications.count + changes.insertions.count + changes.deletions.count <= limit,
            let reached = view.reached(query.info), reached.count <= limit
        else { return nil }
        let written = changes.writtenKeys
        guard let found = try? view.new.objects(ClassQuery(query.info.name, query.condition), among: Array(written))
        else { return nil }
        let selected = Set(found)
        keys = old
        var edits: [(position: Int, key: ObjectKey?)] = []
        for key in reached.union(changes.deletions.keys).sorted() {
            let position = old.partitioningIndex(before: key)
            let wasThere = position < old.count && old[position] == key
            let isThere =
                selected.contains(key) || (wasThere && !written.contains(key) && !changes.deletions.contains(key))
            // Where it is in the new outcome, if it is.
            let place = position - deletions.count + insertions.count
            switch (wasThere, isThere) {
            case (true, true): modifications.append(place)
            case (true, false):
                deletions.append(position)
                edits.append((position, nil))
            case (false, true):
                insertions.append(place)
                edits.append((position, key))
            case (false, false): break
            }
        }
        if !edits.isEmpty { apply(edits, to: old) }
    }

    /// Each edit inserts a key before a position of the old outcome, or removes what is there.
    private mutating func apply(_ edits: [(position: Int, key: ObjectKey?)], to old: [ObjectKey]) {
        keys = []
        keys.reserveCapacity(old.count + insertions.count)
        var copied = 0
        for (position, key) in edits {
            keys += old[copied..<position]
            if let key { keys.append(key) }
            copied = key == nil ? position + 1 : position
        }
        keys += old[copied...]
    }
}

extension [ObjectKey] {
    /// Of ascending keys, how many come before one.
    fileprivate func partitioningIndex(before key: ObjectKey) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Condition {
    /// Whether it is about nothing but values that the object itself holds, so that it can't become true or false while
    /// the object stays as it is.
    fileprivate func looksAtOwnValues(of info: ClassInfo) -> Bool {
        switch self {
        case .constant: true
        case .and(let parts), .or(let parts): parts.allSatisfy { $0.looksAtOwnValues(of: info) }
        case .not(let part): part.looksAtOwnValues(of: info)
        case .comparison(let comparison):
            comparison.left.isOwnValue(of: info) && comparison.right.isOwnValue(of: info)
        }
    }
}

extension Operand {
    fileprivate func isOwnValue(of info: ClassInfo) -> Bool {
        switch self {
        case .constant, .list: return true
        case .path(let path, _), .count(let path), .aggregate(let path, _, property: nil):
            guard case .name(let name)? = path.steps.first, let column = info.table.column(named: name) else {
                return false
            }
            // Links, also those in a Mixed, lead to other objects, and read as null when these are deleted.
            return column.property.type != .link && column.property.type != .mixed
        case .arithmetic(let left, _, let right): return left.isOwnValue(of: info) && right.isOwnValue(of: info)
        case .aggregate, .subqueryCount, .geo, .objectKey, .source, .sourceList: return false
        }
    }
}
