/// What an agent supplies to drive a `ClientConnection`.
///
/// Sessions of one user, server and kind of sync share a machine (P-116). It is told of sessions, commits and waiting, of
/// what the transport says, of what the files answer, and of time. Every call returns effects, which `perform` hands to the
/// methods below, in order; a method may call the machine again, once `perform` has returned.
///
/// **Connecting.** `connect` asks for location and token if there is none that is good for now (P-124), dials, and upgrades
/// with `SyncProtocol.offer`; the answer goes through `SyncProtocol.accept`. The outcome is `connected` or `failed`. If the
/// machine isn't `connecting` any more by then, the transport is closed.
///
/// **Reading.** Each binary WebSocket message, reassembled, goes to `received`; while `wantsInput` is false nothing is read
/// from the socket. Text messages are ignored. A close frame is `failed(.closed(code))`, but for 1000, after which reading
/// goes on; the end of the stream is `failed(.ended)` (P-26). Once `disconnect` was asked for nothing more is said of that
/// transport.
///
/// **Writing.** Whenever the socket takes more, and after each call: `nextMessage` until it has none or the socket is full.
///
/// **Time.** `tick` at `deadline`, which may have changed after any call. Times are of a monotonic clock that goes on while
/// the machine sleeps; after sleep, and when the network changes, `reconnectNow`.
///
/// **Files.** `ask` goes to the session's file. Answers come in any order among sessions, later, and are durable before
/// they are given. Requests and local commits of one file are seen by the machine in the order in which the file did them:
/// a commit that a scan found is told before the scan's answer or after, but never is a version told that isn't there.
/// When the connection is lost, incomplete bootstraps are dropped and their sets of subscriptions go back to Pending (F-42);
/// the driver tells the file.
///
/// **Sets of subscriptions.** Those in force and pending are given when the session is added; later ones by `subscribed`.
/// The file changes their states: with the parts of a bootstrap that it is asked to integrate, with `caughtUp` from
/// AwaitingMark to Complete, with `queryFailed` to Error (F-25).
///
/// **Client reset.** After `reset` a fresh file is downloaded by a session of its own (`uploads` false), the old session is
/// removed, and a new one added with `awaitsReset`; at `performReset` the file is rewritten, and `resetPerformed` told.
/// Who waited on the old session is abandoned with it, and is to wait on the new one.
package protocol ClientDriver {
    /// Makes the transport.
    mutating func connect()

    /// Closes the transport, or stops making it, and tells the files that it is lost.
    mutating func disconnect()

    /// Fetches an access token: `tokenRefreshed`; `refreshFailed` where trying again may help; else the user is logged out
    /// and all sessions removed (P-125).
    mutating func refreshToken()

    /// Asks for the location: `locationRefreshed` or `refreshFailed`.
    mutating func refreshLocation()

    /// Logs the user out.
    mutating func logOut()

    /// Does the work and brings its answer to `answered`.
    mutating func ask(_ request: StoreRequest)

    /// Tells the application.
    mutating func report(session: Int64, _ report: SyncReport)

    /// Begins a client reset or a migration (R-1, F-95). The report's action says which.
    mutating func reset(session: Int64, _ report: SyncReport, partitionQuery: String?)

    /// Rewrites the file by the prepared reset, then `resetPerformed`.
    mutating func performReset(session: Int64)

    /// Tells the file, after what it works on, that the parts of a bootstrap it has so far are of no use (F-42).
    mutating func bound(session: Int64)

    /// Records that the file's schema version changed (F-89).
    mutating func migrateSchema(session: Int64, previousVersion: Int64)

    /// Notifies of progress (P-130).
    mutating func progressed(session: Int64, _ download: ServerMessage.Download)

    /// A set of subscriptions that waits for its MARK is complete.
    mutating func caughtUp(session: Int64)

    /// A set of subscriptions was refused, with a text for the application (F-8).
    mutating func queryFailed(session: Int64, version: Int64, message: String)

    /// Notes, before anything that is asked of the file later, that changes of the transaction that made a version of it
    /// were left out.
    mutating func rejected(session: Int64, version: Int64, _ updates: [RejectedUpdate], message: String)

    /// A waiter has what it waited for, or, if not, never will.
    mutating func finished(session: Int64, waiter: Int64, isComplete: Bool)

    /// Logs a line of the server.
    mutating func log(session: Int64, _ line: LogBody)

    /// The session is gone: its number is never used again.
    mutating func ended(session: Int64)
}

extension ClientDriver {
    /// Hands effects to the methods, in their order.
    package mutating func perform(_ effects: [ClientEffect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .disconnect: disconnect()
            case .refreshToken: refreshToken()
            case .refreshLocation: refreshLocation()
            case .logOut: logOut()
            case .ask(let request): ask(request)
            case .report(let session, let report): self.report(session: session, report)
            case .reset(let session, let report, let query): reset(session: session, report, partitionQuery: query)
            case .performReset(let session): performReset(session: session)
            case .bound(let session): bound(session: session)
            case .migrateSchema(let session, let version): migrateSchema(session: session, previousVersion: version)
            case .progressed(let session, let download): progressed(session: session, download)
            case .caughtUp(let session): caughtUp(session: session)
            case .queryFailed(let session, let version, let message):
                queryFailed(session: session, version: version, message: message)
            case .rejected(let session, let version, let updates, let message):
                rejected(session: session, version: version, updates, message: message)
            case .completed(let session, let waiter): finished(session: session, waiter: waiter, isComplete: true)
            case .abandoned(let session, let waiter): finished(session: session, waiter: waiter, isComplete: false)
            case .log(let session, let line): log(session: session, line)
            case .ended(let session): ended(session: session)
            }
        }
    }
}
