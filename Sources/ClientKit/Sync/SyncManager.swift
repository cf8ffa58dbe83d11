import Foundation
import Wire

/// Called with an error between a synced realm and its server, in the background.
public typealias ErrorReportingBlock = @Sendable (Error, SyncSession?) -> Void

extension SyncSession {
    /// Does what an error asks for: a copy of the realm's file is put where `SyncError.clientResetInfo()` says, and the
    /// file is deleted, so that the realm begins anew when it is opened. The realm must be closed everywhere in this
    /// process; while another process has it open, it is done as soon as that one closes it, too.
    ///
    /// Without this it is done before another process opens the realm, when nobody has it open.
    public static func immediatelyHandleError(_ token: SyncError.ActionToken) {
        do {
            let link = try AgentConnection.shared.connected()
            let reply = try link.call(SyncCarryOut(path: token.path, key: token.key))
            guard !reply.done else { return }
            Logger.shared.log(.info, "sync: '\(token.path)' is reset once it is closed everywhere")
        } catch {
            Logger.shared.log(.error, "sync: '\(token.path)' can't be reset: \(error)")
        }
    }

    @available(*, deprecated, message: "Use immediatelyHandleError(_:)")
    public static func immediatelyHandleError(_ token: SyncError.ActionToken, syncManager: SyncManager) {
        immediatelyHandleError(token)
    }
}

/// What concerns all synced realms of an app.
public final class SyncManager: Sendable {
    private struct State {
        var errorHandler: ErrorReportingBlock?
        var timeouts: SyncTimeoutOptions?
        var userAgent = ""
        var authorizationHeader: String?
        var headers: [String: String]?
    }

    /// The app's id.
    public let appID: String
    private let state: Lock<State>

    init(app: String, timeouts: SyncTimeoutOptions?) {
        appID = app
        state = Lock(State(timeouts: timeouts))
    }

    /// Hears of errors that nobody waits for. Set it before the first synced realm is opened, to hear of all.
    public var errorHandler: ErrorReportingBlock? {
        get { state.withLock { $0.errorHandler } }
        set { state.withLock { $0.errorHandler = newValue } }
    }

    /// Kept, but the times are the agent's, whose connections serve all processes.
    public var timeoutOptions: SyncTimeoutOptions? {
        get { state.withLock { $0.timeouts } }
        set { state.withLock { $0.timeouts = newValue } }
    }

    /// Kept, but servers are told the agent's.
    public var userAgent: String {
        get { state.withLock { $0.userAgent } }
        set { state.withLock { $0.userAgent = newValue } }
    }

    /// Kept, but not used: all processes share the agent's connections.
    public var authorizationHeaderName: String? {
        get { state.withLock { $0.authorizationHeader } }
        set { state.withLock { $0.authorizationHeader = newValue } }
    }

    /// Kept, but not used: all processes share the agent's connections.
    public var customRequestHeaders: [String: String]? {
        get { state.withLock { $0.headers } }
        set { state.withLock { $0.headers = newValue } }
    }
}
