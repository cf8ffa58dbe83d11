import History
import Sync

/// What the realm of an app of flexible sync has of one session.
///
/// The session in it is touched only by the jobs of the realm's `StoreLine`, which come one after another and each see what
/// the one before did; everything else never changes: hence Sendable.
final class FlexibleSeat: @unchecked Sendable {
    private let user: PermissionUser
    private let configuration: FlexibleConfiguration
    private let protocolVersion: Int
    private var session: FlexibleSession?

    init(user: PermissionUser, configuration: FlexibleConfiguration, protocolVersion: Int) {
        self.user = user
        self.configuration = configuration
        self.protocolVersion = protocolVersion
    }

    /// Does the session's work.
    func answer(_ work: ServerRequest.Work, in realm: FlexibleRealm) -> ServerAnswer {
        if case .open = work {
            session?.close()
            // Sessions with an earlier configuration are told to come again.
            realm.configuration = configuration
            session = FlexibleSession(realm, user: user, protocolVersion: protocolVersion)
        }
        guard var session else {
            return .failed(SessionFailure(.sessionClosed, "The session has ended"))
        }
        return session.answer(work)
    }

    /// The session is over.
    func leave() {
        session?.close()
        session = nil
    }
}
