/// What the client must do for a connection, in the order given.
package enum ClientEffect: Hashable, Sendable {
    /// Connect, and say `connected` or `failed`. First fetch the location and a token if there is none that is good
    /// for now (P-124).
    case connect
    /// Close the transport at once and say nothing more of it.
    case disconnect
    /// Fetch a new access token, then say `tokenRefreshed` (P-125).
    case refreshToken
    /// Ask for the location, then say `locationRefreshed`.
    case refreshLocation
    case logOut
    /// Hand this to the session's file; bring the answer.
    case ask(StoreRequest)
    /// For the application. A fatal report has failed the session's waiters, too.
    case report(session: Int64, SyncReport)
    /// The file is to be reset or migrated; the session stays suspended until it is removed or resumed.
    case reset(session: Int64, SyncReport, partitionQuery: String?)
    /// BIND is out: run the prepared client reset now, then say `resetPerformed` (P-98).
    case performReset(session: Int64)
    /// BIND of flexible sync is out: the parts of a bootstrap that came before it are of no use any more (F-42).
    case bound(session: Int64)
    /// Remember the previous schema version; the session goes on uploading (F-89).
    case migrateSchema(session: Int64, previousVersion: Int64)
    /// A DOWNLOAD has been integrated, or, as a part of a bootstrap, stored.
    case progressed(session: Int64, ServerMessage.Download)
    /// Everything that was on the server when the last MARK was sent has been integrated: a set of subscriptions that
    /// waits for its MARK is complete (F-25).
    case caughtUp(session: Int64)
    /// The server refuses a set of subscriptions (F-8).
    case queryFailed(session: Int64, version: Int64, message: String)
    /// The server has left out changes of the transaction that made a client version, and may acknowledge it with what
    /// comes next: to be noted before anything that is asked of the file from now on.
    case rejected(session: Int64, version: Int64, [RejectedUpdate], message: String)
    /// What was waited for has happened.
    case completed(session: Int64, waiter: Int64)
    /// It won't: the session has failed or ended.
    case abandoned(session: Int64, waiter: Int64)
    /// A line of the server for the log; session 0 is the connection.
    case log(session: Int64, LogBody)
    /// The session has left the connection.
    case ended(session: Int64)
}
