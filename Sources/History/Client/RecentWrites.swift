import Merge
import Model

/// The last changesets that a client has integrated, its own among them, as far as there is room: of what is on the server
/// the file itself keeps nothing. In memory, and decoded only when somebody asks.
struct RecentWrites {
    struct Write {
        var rank: Rank
        var changeset: [UInt8]
    }

    private var writes: [Write] = []
    private var start = 0
    private var bytes = 0

    static let countLimit = 1_024
    static let byteLimit = 1 << 20

    mutating func append(_ rank: Rank, _ changeset: [UInt8]) {
        guard !changeset.isEmpty, changeset.count <= RecentWrites.byteLimit else { return }
        writes.append(Write(rank: rank, changeset: changeset))
        bytes += changeset.count
        while writes.count - start > RecentWrites.countLimit || bytes > RecentWrites.byteLimit {
            bytes -= writes[start].changeset.count
            writes[start].changeset = []
            start += 1
        }
        guard start > writes.count / 2 else { return }
        writes.removeFirst(start)
        start = 0
    }

    /// The oldest first.
    var all: ArraySlice<Write> { writes[start...] }
}

/// Where an object stands between a device and its server.
package struct ObjectStanding: Sendable {
    /// Transactions that have changed it and that the server hasn't acknowledged.
    package var unsentTransactions = 0
    /// When the oldest of them was made: milliseconds since 2015 (C-154).
    package var unsentSince: UInt64?
    /// Transactions that are sent before that one.
    package var before = 0
    /// Who has changed it last, of those that are known: when, and the number of the file; 0 is this one.
    package var lastWrite: (timestamp: UInt64, file: UInt64)?
    /// Why what was written to it here last was undone, if it was.
    package var rejection: String?

    package init() {}
}

extension ClientHistory {
    /// Looks for an object in what isn't on the server yet, and in the last of what is.
    package func standing(of className: String, _ key: PrimaryKey) throws -> ObjectStanding {
        let object = ObjectName(className, key)
        var result = ObjectStanding()
        var last: Rank?
        func see(_ rank: Rank, _ changeset: [UInt8]) throws -> Bool {
            guard try Changeset.decode(changeset).contains(where: { $0.object == object }) else { return false }
            last = last.map { max($0, rank) } ?? rank
            return true
        }
        for write in recent.all { _ = try see(write.rank, write.changeset) }
        try eachEntry(after: 0) { version, record in
            guard !record.changeset.isEmpty else { return true }
            let isOfIt = try see(record.rank, record.changeset)
            guard version > state.upload.client else { return true }
            if isOfIt {
                result.unsentTransactions += 1
                result.unsentSince = result.unsentSince ?? record.rank.originTimestamp
            } else if result.unsentSince == nil {
                result.before += 1
            }
            return true
        }
        if result.unsentSince == nil { result.before = 0 }
        try file.snapshot().eachSyncRecord(
            from: HistoryKey.rejection(1), to: HistoryKey.rejection(.max)
        ) { key, value in
            let rejection = try Rejection(value, through: HistoryKey.number(key))
            if let found = rejection.objects.last(where: { $0.name == object }) { result.rejection = found.reason }
            return true
        }
        result.lastWrite = last.map { ($0.originTimestamp, $0.originFileIdent) }
        return result
    }

    /// Notes what was written here and goes now: of a long queue only the beginning.
    func noteSent(through version: UInt64) throws {
        var count = 0
        try eachEntry(after: 0) { number, record in
            guard number <= Int64(clamping: version), count < RecentWrites.countLimit else { return false }
            count += 1
            recent.append(record.rank, record.changeset)
            return true
        }
    }
}
