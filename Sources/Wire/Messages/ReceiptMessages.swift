/// How far a commit has come.
package enum CommitState: String, WireName {
    /// It is on disk, and not known to be on the server.
    case durable
    /// It is on the server, durably.
    case uploaded
    /// The server isn't to have it, or not all of it.
    case rejected
}

/// Waits until the commit that a receipt names has come to a state. The realm needn't be open.
package struct ReceiptWait: WireRequest {
    package typealias Reply = ReceiptWaitReply
    package static let method = Method.receiptWait

    package var receipt: String
    /// `durable` is answered at once, since every receipt names what is on disk; after `uploaded` or `rejected` nothing
    /// changes any more, so that each of them ends the wait for the other.
    package var until: CommitState
    /// How long the wait may take; 0 asks without waiting. Then the state is told as it is.
    package var timeoutMilliseconds: Int64?
    /// Of an encrypted realm.
    package var key: EncryptionKey?

    package init(
        receipt: String, until: CommitState = .uploaded, timeoutMilliseconds: Int64? = nil, key: EncryptionKey? = nil
    ) {
        self.receipt = receipt
        self.until = until
        self.timeoutMilliseconds = timeoutMilliseconds
        self.key = key
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            receipt: try view.get("receipt"), until: try view.find("until") ?? .uploaded,
            timeoutMilliseconds: try view.find("timeoutMs"), key: try view.find("key"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("receipt", receipt)
        writer.put("until", until)
        writer.put("timeoutMs", timeoutMilliseconds)
        writer.put("key", key)
    }
}

/// The state that was come to, or, when the time was over, the one that there is.
package struct ReceiptWaitReply: WirePayload {
    package var state: CommitState
    /// Of a rejected commit: why.
    package var reason: String?
    /// The objects whose changes are gone, as far as they are known.
    package var rejected: [RejectedObject]

    package init(state: CommitState, reason: String? = nil, rejected: [RejectedObject] = []) {
        self.state = state
        self.reason = reason
        self.rejected = rejected
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            state: try view.get("state"), reason: try view.find("reason"), rejected: try view.find("rejected") ?? [])
    }

    package func write(to writer: BSONWriter) {
        writer.put("state", state)
        writer.put("reason", reason)
        if !rejected.isEmpty { writer.put("rejected", rejected) }
    }
}
