import Store

/// How the result of a query differs between two snapshots. Pure.
struct ResultChanges: Hashable, Sendable {
    var insertions: [ObjectKey] = []
    var deletions: [ObjectKey] = []
    var modifications: [ObjectKey] = []

    var isEmpty: Bool { insertions.isEmpty && deletions.isEmpty && modifications.isEmpty }

    init() {}

    /// Compares whole results. `modified` says whether an object that is in both was changed. One that was deleted and
    /// made anew under its key counts as both.
    init(from old: [ObjectKey], to new: [ObjectKey], recreated: Set<ObjectKey>, modified: (ObjectKey) -> Bool) {
        let before = Set(old)
        let after = Set(new)
        deletions = old.filter { !after.contains($0) || recreated.contains($0) }
        for key in new {
            if !before.contains(key) || recreated.contains(key) {
                insertions.append(key)
            } else if modified(key) {
                modifications.append(key)
            }
        }
    }
}
