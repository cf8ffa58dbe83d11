import Model
import Store

/// What was written in a file and isn't known to be on the server.
package struct UnsentChanges: Sendable {
    package var transactions = 0
    /// Of their changesets.
    package var bytes = 0
    /// Milliseconds since 2015 (C-154) of the oldest.
    package var oldest: UInt64?
    /// The first that were changed, with the time of that.
    package var objects: [(object: ObjectName, since: UInt64)] = []

    package init() {}
}

/// Sizes of the entries that the server hasn't acknowledged, kept up as entries come and go: who shows progress asks after
/// each transaction.
struct UnsentSizes {
    private var sizes: [(version: Int64, bytes: Int)] = []
    private var start = 0
    /// Looked at up to this version.
    private(set) var through: Int64 = 0
    private(set) var total = 0

    mutating func append(_ version: Int64, _ bytes: Int) {
        through = version
        guard bytes > 0 else { return }
        sizes.append((version, bytes))
        total += bytes
    }

    /// The server has everything up to `version`.
    mutating func acknowledge(_ version: Int64) {
        while start < sizes.count, sizes[start].version <= version {
            total -= sizes[start].bytes
            start += 1
        }
        guard start > sizes.count / 2 else { return }
        sizes.removeFirst(start)
        start = 0
    }
}

extension ClientHistory {
    /// Bytes of the changesets that the server hasn't acknowledged; costs what has changed since it was asked last.
    package func unsentBytes() throws -> Int {
        var sizes = unsentSizes ?? UnsentSizes()
        try eachEntry(after: max(sizes.through, state.upload.client)) { version, record in
            sizes.append(version, record.changeset.count)
            return true
        }
        sizes.acknowledge(state.upload.client)
        unsentSizes = sizes
        return sizes.total
    }

    /// Looks through what the server hasn't acknowledged; names so many objects at most.
    package func unsent(naming limit: Int = 0) throws -> UnsentChanges {
        var result = UnsentChanges()
        var known: Set<ObjectName> = []
        try eachEntry(after: state.upload.client) { _, record in
            guard !record.changeset.isEmpty else { return true }
            result.transactions += 1
            result.bytes += record.changeset.count
            if result.oldest == nil { result.oldest = record.rank.originTimestamp }
            guard result.objects.count < limit else { return true }
            for instruction in try Changeset.decode(record.changeset) {
                guard let object = instruction.object, result.objects.count < limit, known.insert(object).inserted
                else { continue }
                result.objects.append((object, record.rank.originTimestamp))
            }
            return true
        }
        return result
    }
}
