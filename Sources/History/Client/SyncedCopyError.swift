/// Why a synced realm can't be copied to a synced one.
package enum SyncedCopyError: Error, Hashable, CustomStringConvertible {
    case notSynced
    /// It holds what subscriptions select: a server knows nothing of what another file has of it.
    case flexible
    /// So many transactions aren't known to be on the server.
    case unsentChanges(Int)
    /// As above, but all that they did is to add classes and properties.
    case unsentClasses(Int)
    /// It holds the data of another app or partition.
    case otherData(SyncOrigin, wanted: SyncOrigin)

    package var description: String {
        switch self {
        case .notSynced:
            "the realm isn't a synced one: a seed for a synced realm is made by writeCopy to a synced configuration"
        case .flexible: "a realm of flexible sync can't be bundled"
        case .unsentChanges(let count), .unsentClasses(let count):
            "\(count) of the realm's transactions aren't on the server yet; wait until they are uploaded, and copy again"
        case .otherData(let origin, let wanted):
            "the realm holds \(SyncedCopyError.name(of: origin)), not \(SyncedCopyError.name(of: wanted))"
        }
    }

    private static func name(of origin: SyncOrigin) -> String {
        (origin.partition.map { "partition \($0)" } ?? "subscriptions") + " of app \(origin.app)"
    }
}
