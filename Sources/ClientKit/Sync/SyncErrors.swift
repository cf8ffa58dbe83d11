import Dispatch
import Foundation
import Wire

/// Who hears of errors between synced realms and servers.
enum SyncErrors {
    typealias Handler = @Sendable (any Error, SyncSession?) -> Void

    /// By app. The process's wishes, as the connection to the agent is the process's.
    private static let handlers = Lock<[String: Handler]>([:])
    private static let queue = DispatchQueue(label: "reeve.sync-errors")

    static func handler(of app: String) -> Handler? { handlers.withLock { $0[app] } }

    static func set(_ handler: Handler?, of app: String) { handlers.withLock { $0[app] = handler } }

    /// Calls the app's handler in the background; without one the error goes to the log.
    static func report(_ error: SyncError, of session: SyncSession) {
        guard let app = session.target?.app else { return }
        queue.async {
            if let handler = handler(of: app) { return handler(error, session) }
            Logger.shared.log(error.code == .serverWarning ? .warn : .error, "sync: \(error.localizedDescription)")
        }
    }
}
