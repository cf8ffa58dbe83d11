/// Counters of a table, kept in `meta`.
package struct TableRecord: Hashable, Sendable {
    /// A commit that changed which keys the clusters from `lowestBase` on hold.
    package struct StructureChange: Hashable, Sendable {
        package var version: UInt64
        package var lowestBase: Int64
    }

    /// How many structure changes are remembered.
    package static let historyLimit = 8
    /// Greatest low word of a global key with high word 0, the kind that this file gives: so that counting on from one
    /// never overflows.
    package static let greatestGlobalKey = UInt64(Int64.max)

    package var count: UInt64 = 0
    package var nextKey: Int64 = 0
    /// Low word of the next global key of a class without primary key.
    package var nextGlobalKey: UInt64 = 0
    /// Keys without a row. While it is zero every link has a target.
    package var tombstones: UInt64 = 0
    /// Latest changes of the cluster structure, oldest first. Readers keep the part of their cluster directory that
    /// lies below all changes they haven't seen.
    package private(set) var structureChanges: [StructureChange] = []
    /// Version of the last structure change that is no longer remembered.
    package private(set) var forgottenChange: UInt64 = 0

    package init() {}

    /// Notes that the commit of `version` added, removed or rebuilt clusters at or above `lowestBase`. For a cluster
    /// that appears or vanishes its own base counts.
    package mutating func noteStructureChange(version: UInt64, lowestBase: Int64) {
        if let last = structureChanges.last, last.version == version {
            structureChanges[structureChanges.count - 1].lowestBase = min(last.lowestBase, lowestBase)
            return
        }
        // A change that a later, deeper one covers tells nothing any more.
        while let last = structureChanges.last, last.lowestBase >= lowestBase { structureChanges.removeLast() }
        structureChanges.append(StructureChange(version: version, lowestBase: lowestBase))
        if structureChanges.count > TableRecord.historyLimit {
            forgottenChange = structureChanges.removeFirst().version
        }
    }

    /// Clusters with a base below this hold the same keys as at `version`; nil when nothing changed since.
    /// - Returns: nil for "all valid", 0 for "nothing is known".
    package func firstChangedBase(since version: UInt64) -> Int64? {
        if forgottenChange > version { return 0 }
        return structureChanges.lazy.filter { $0.version > version }.map(\.lowestBase).min()
    }

    package func encoded() -> [UInt8] {
        var bytes = ByteWriter()
        bytes.append(count)
        bytes.append(UInt64(bitPattern: nextKey))
        bytes.append(nextGlobalKey)
        bytes.append(tombstones)
        bytes.append(forgottenChange)
        bytes.append(UInt64(structureChanges.count))
        for change in structureChanges {
            bytes.append(change.version)
            bytes.append(UInt64(bitPattern: change.lowestBase))
        }
        return bytes.bytes
    }

    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let count = reader.uint64(), let nextKey = reader.uint64(), let nextGlobalKey = reader.uint64(),
            let tombstones = reader.uint64(), let forgotten = reader.uint64(), let changes = reader.uint64(),
            changes <= UInt64(TableRecord.historyLimit),
            count < FileFormat.numberLimit, nextKey < FileFormat.numberLimit, tombstones < FileFormat.numberLimit,
            nextGlobalKey <= TableRecord.greatestGlobalKey + 1
        else { return nil }
        self.count = count
        self.nextKey = Int64(bitPattern: nextKey)
        self.nextGlobalKey = nextGlobalKey
        self.tombstones = tombstones
        forgottenChange = forgotten
        for _ in 0..<changes {
            guard let version = reader.uint64(), let base = reader.uint64() else { return nil }
            structureChanges.append(StructureChange(version: version, lowestBase: Int64(bitPattern: base)))
        }
        guard reader.isAtEnd else { return nil }
    }
}
