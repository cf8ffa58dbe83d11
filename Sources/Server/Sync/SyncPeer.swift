import History
import Sync

/// Who is at the other end of a sync connection: what the access token of its upgrade said (P-6), and what was agreed on.
package struct SyncPeer: Hashable, Sendable {
    package var appId: String
    package var userId: String
    /// Time until the access token ends.
    package var expiresIn: Duration
    package var agreed: SyncProtocol
    /// Names the connection in the logs of both ends (P-17).
    package var requestId: String
    package var userAgent: String
    /// What may be a partition value in the app; nil: anything.
    package var partitionKey: PartitionKey?
    /// Who the user is for permissions.
    package var permissionUser: PermissionUser

    package init(
        appId: String, userId: String, expiresIn: Duration, agreed: SyncProtocol, requestId: String,
        userAgent: String = ""
    ) {
        self.appId = appId
        self.userId = userId
        permissionUser = PermissionUser(id: userId)
        self.expiresIn = expiresIn
        self.agreed = agreed
        self.requestId = requestId
        self.userAgent = userAgent
    }
}

/// What a user may do with a partition (P-48). Who may write may read.
package enum PartitionAccess: Hashable, Sendable, Comparable {
    case none, read, write
}
