import Store
import Sync

/// What a file remembers of a client reset until both sides are known to have all that the other had: only that
/// proves that it helped.
package struct PendingClientReset: Hashable, Sendable {
    /// When it was begun: milliseconds since 2015.
    package var time: UInt64
    /// Whether unsynced changes were to be recovered.
    package var recovers: Bool
    package var action: ErrorAction
    /// The server's error; nil for a reset that this side began.
    package var code: SyncErrorCode?
    package var message: String

    /// Whoever writes the record otherwise, or acts on it otherwise, has another number: no cycle is seen in what
    /// another program did.
    private static let kind: UInt32 = 0x5253_5401

    init(time: UInt64, recovers: Bool, action: ErrorAction, code: SyncErrorCode?, message: String) {
        self.time = time
        self.recovers = recovers
        self.action = action
        self.code = code
        self.message = message
    }

    /// Nil for what another version has written.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        guard (try? reader.number(UInt32.self)) == PendingClientReset.kind, let time = try? reader.number(UInt64.self),
            let mode = try? reader.number(UInt8.self), let code = try? reader.number(Int64.self),
            let action = try? reader.counted(), let message = try? reader.counted(),
            let action = ErrorAction(rawValue: String(decoding: action, as: UTF8.self))
        else { return nil }
        self.init(
            time: time, recovers: mode == 1, action: action,
            code: code == 0 ? nil : SyncErrorCode(rawValue: Int(code)),
            message: String(decoding: message, as: UTF8.self))
    }

    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.append(PendingClientReset.kind)
        writer.append(time)
        writer.append(UInt8(recovers ? 1 : 0))
        writer.append(Int64(code?.rawValue ?? 0))
        writer.append(counted: action.rawValue.utf8)
        writer.append(counted: message.utf8)
        return writer.bytes
    }
}

extension PendingClientReset {
    /// The mode in which a reset may be tried after this one, which wasn't confirmed.
    static func mode(
        _ mode: ClientResetMode, for action: ErrorAction, after last: PendingClientReset?
    ) throws(ClientResetFailure) -> ClientResetMode {
        guard let last, last.action == action else { return mode }
        let cycle = ClientResetFailure(
            .cycle, "the last client reset of this realm was never completed, so that another would be in vain")
        guard last.recovers else { throw cycle }
        switch mode {
        case .recoverUnsyncedChanges, .manual: throw cycle
        case .recoverOrDiscardUnsyncedChanges, .discardUnsyncedChanges: return .discardUnsyncedChanges
        }
    }
}

extension ClientHistory {
    /// The client reset that this file has begun, or been through, and that isn't confirmed yet. A session that begins
    /// while there is one waits for uploads and downloads, and then calls `confirm`.
    package var pendingReset: PendingClientReset? {
        get throws { try file.snapshot().syncRecord(HistoryKey.pendingReset).flatMap { PendingClientReset($0) } }
    }

    /// Forgets a client reset that has proved itself, unless another was begun since.
    package func confirm(_ reset: PendingClientReset) throws {
        guard try pendingReset == reset else { return }
        try note(nil)
    }

    /// Puts the record, or takes it away, durably.
    func note(_ reset: PendingClientReset?) throws {
        try write { transaction in
            if let reset {
                try transaction.putSync(HistoryKey.pendingReset, reset.encoded)
            } else {
                try transaction.removeSync(HistoryKey.pendingReset)
            }
        }
    }
}
