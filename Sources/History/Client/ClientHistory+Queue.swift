import Model
import Store

/// What was written in a file and isn't known to be on the server.
package struct UnsentChanges: Sendable {
    /// An object that one of the transactions changed.
    package struct Object: Hashable, Sendable {
        package var className: String
        package var key: PrimaryKey
    }

    package var transactions = 0
    /// Of their changesets.
    package var bytes = 0
    /// Milliseconds since 2015 (C-154) of the oldest.
    package var oldest: UInt64?
    /// The first that were changed, with the time of that.
    package var objects: [(object: Object, since: UInt64)] = []

    package init() {}
}

extension ClientHistory {
    /// Looks through what the server hasn't acknowledged; names so many objects at most.
    package func unsent(naming limit: Int = 0) throws -> UnsentChanges {
        var result = UnsentChanges()
        var known: Set<UnsentChanges.Object> = []
        try eachEntry(after: state.upload.client) { _, record in
            guard !record.changeset.isEmpty else { return true }
            result.transactions += 1
            result.bytes += record.changeset.count
            if result.oldest == nil { result.oldest = record.rank.originTimestamp }
            guard result.objects.count < limit else { return true }
            for instruction in try Changeset.decode(record.changeset) {
                guard let name = instruction.object, result.objects.count < limit else { continue }
                let object = UnsentChanges.Object(className: name.className, key: name.key)
                guard known.insert(object).inserted else { continue }
                result.objects.append((object, record.rank.originTimestamp))
            }
            return true
        }
        return result
    }
}
