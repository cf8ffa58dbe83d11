/// What the server must do for a connection, in the order given.
package enum ServerEffect: Hashable, Sendable {
    /// Hand this to the history; bring the answer.
    case ask(ServerRequest)
    /// The session is that of this file now. Whoever else is connected as the same file of the same realm is dead:
    /// close that connection (P-51).
    case claimed(session: Int64, file: Int64)
    /// The client could not integrate what it was sent: log it, and remember it for the file (P-62).
    case clientFailed(session: Int64, code: SyncErrorCode, message: String)
    /// What the history answered would break the client, and was not sent. A bug of ours: log it.
    case historyFault(session: Int64, message: String)
    /// The session has ended; forget what is kept for it.
    case ended(session: Int64)
    /// Once everything there is to send is written: shut down the write side, go on reading and dropping until the
    /// client closes (P-92).
    case finish
    /// Send a WebSocket close frame with this code, and end the TCP connection at once (P-27).
    case close(code: Int)
    /// End the TCP connection without a frame.
    case disconnect
}
