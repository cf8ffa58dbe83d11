/// What a server supplies to drive a `ServerConnection`.
///
/// For each upgraded connection it holds one machine and turns three things into calls of it: what the transport says,
/// what the history answers, and time. Every call returns effects, which `perform` hands to the methods below, in order;
/// a method may call the machine again, once `perform` has returned.
///
/// **The upgrade.** `SyncProtocol.choose` picks the version; the answer carries exactly its token, or is 400 (P-14, P-15).
/// The token of the user is checked before; a bad one is closed with 4001 after the upgrade (P-6). `expiry` is when it runs
/// out, with a grace period, on the clock that `now` is read from.
///
/// **Reading.** Each binary WebSocket message, reassembled, goes to `received`; while `wantsInput` is false nothing is read
/// from the socket. A text message closes with 1003, one above the message limit with 1009, which costs the client its
/// history: the limit is generous (P-20, P-24). A WebSocket ping is answered by the transport, and is no sign of life.
/// The end of the stream, or its failure, is `disconnected`; nothing may be called after it.
///
/// **Writing.** Whenever the socket takes more, and after each call: `nextMessage` until it has none or the socket is full.
/// Messages that were taken are written in their order; none may be dropped but with the connection.
///
/// **Time.** `tick` at `deadline`, which may have changed after any call. Times are of a monotonic clock.
///
/// **The history.** `ask` may be answered later, from any thread that comes back to where the machine lives, and in any
/// order; an answer that came too late is ignored. What an answer says must be durable before it is given (P-135).
/// After a history has grown, from whatever source, `historyGrew` is called for every session bound to it, the one whose
/// upload it was included: that is how downloads begin. Calls that change nothing cost a look at the history.
package protocol ServerDriver {
    /// Does the work and brings its answer to `answered`. The session's realm is known from its `open`.
    mutating func ask(_ request: ServerRequest)

    /// Another connection that is bound as the same file of the same realm is dead: `disconnected`, and the stream is
    /// closed (P-51).
    mutating func claimed(session: Int64, file: Int64)

    /// Logs what a client could not integrate, and remembers it for the file (P-62).
    mutating func clientFailed(session: Int64, code: SyncErrorCode, message: String)

    /// Logs a bug in the history.
    mutating func historyFault(session: Int64, message: String)

    /// Lets go of what is kept for the session. Its requests that are under way needn't be answered.
    mutating func ended(session: Int64)

    /// Writes what there is, shuts down the write side, and reads on, dropping all, until the client closes (P-92).
    mutating func finish()

    /// Writes a close frame without waiting for room or an answer, then ends the stream.
    mutating func close(code: Int)

    /// Ends the stream.
    mutating func disconnect()
}

extension ServerDriver {
    /// Hands effects to the methods, in their order.
    package mutating func perform(_ effects: [ServerEffect]) {
        for effect in effects {
            switch effect {
            case .ask(let request): ask(request)
            case .claimed(let session, let file): claimed(session: session, file: file)
            case .clientFailed(let session, let code, let message):
                clientFailed(session: session, code: code, message: message)
            case .historyFault(let session, let message): historyFault(session: session, message: message)
            case .ended(let session): ended(session: session)
            case .finish: finish()
            case .close(let code): close(code: code)
            case .disconnect: disconnect()
            }
        }
    }
}
