import Foundation

extension User {
    /// The sessions of the user's realms that this process has open.
    public var allSessions: [SyncSession] {
        RealmCoordinator.all.compactMap(\.syncSession).filter { $0.parentUser() == self }
    }

    /// The session of the user's realm of a partition; nil if this process hasn't it open.
    public func session<T: BSON>(forPartitionValue partitionValue: T) -> SyncSession? {
        let wanted = AnyBSON(partitionValue)
        return allSessions.first { $0.configuration()?.partitionValue == wanted }
    }
}
