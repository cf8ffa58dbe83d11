/// Constants of the realm file format; `FORMAT.md` describes it.
package enum FileFormat {
    /// The version that this code writes.
    package static let version: UInt32 = 3
    /// The oldest version that it reads. Version 1 has neither dictionaries, sets, embedded objects nor mixed values;
    /// versions 1 and 2 have no database `sync`.
    package static let oldestVersion: UInt32 = 1
    /// A file can't outgrow this.
    package static let largestFile = 1 << 40
    /// Address space that is reserved for a file at least.
    package static let smallestMap = 8 << 30

    /// Address space that is reserved for a file of so many bytes. It is mapped anew when it has grown fourfold. A process
    /// has 128 TiB of it: what every file might need one day would be enough for a hundred.
    package static func mapSize(forFileOf size: Int, atLeast smallest: Int = smallestMap) -> Int {
        var map = smallest
        while size > map / 8, map < largestFile { map *= 2 }
        return map
    }

    /// Strings and binaries of more bytes live in `blobs`.
    package static let longestInlineValue = 512
    /// Rows of a full cluster.
    package static let clusterCapacity = 1_000
    /// A tail cluster of this many rows is closed.
    package static let tailCapacity = 50
    /// Elements of a full piece of a list.
    package static let listPieceCapacity = 1_000
    /// A piece of a list is closed when its strings or binaries reach this size.
    package static let listPieceBytes = 64 << 10
    /// Longest key that LMDB takes.
    package static let longestRecordKey = 511
    /// Named databases that an environment must have room for.
    package static let databaseCount: UInt32 = 9
    /// Versions, generations, counters and object keys are below this, so that counting on can't overflow. A file with
    /// greater ones is damaged.
    package static let numberLimit: UInt64 = 1 << 62
    /// Embedded objects and collections inside one another. Paths to write by have fewer steps; a file that nests deeper
    /// is damaged, perhaps in a circle.
    package static let deepestNesting = 1_024
    /// Versions for which change summaries are kept.
    package static let changeHistoryLimit = 10_000
}

/// Names of the named databases.
package enum DatabaseName: String, CaseIterable, Sendable {
    case meta, objects, keys, index, backlinks, lists, blobs, changes, sync
}

/// Keys of the `meta` database that don't depend on a table.
package enum MetaKey {
    package static let format = "format"
    package static let version = "version"
    package static let schema = "schema"
    /// The number that the next collection inside a Mixed gets; 1 if there is no such record.
    package static let nextNested = "nested"
}
