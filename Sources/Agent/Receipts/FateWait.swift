import EventLoop
import Wire

/// Somebody who waits for what becomes of a commit. Keeps the realm open meanwhile.
@LoopActor
final class FateWait {
    let version: UInt64
    let until: CommitState
    private unowned let host: RealmHost
    private let responder: Responder
    private var timer: LoopTimer?
    private(set) var isOver = false
    /// The client wants to know how it stands now.
    private(set) var isLate = false

    /// The realm has been entered for it.
    init(_ version: UInt64, until: CommitState, in host: RealmHost, _ responder: Responder) {
        self.version = version
        self.until = until
        self.host = host
        self.responder = responder
    }

    /// Answers, once, and lets the realm go.
    func end(_ outcome: Result<ReceiptWaitReply, WireError>) {
        guard close() else { return }
        responder.answer(outcome)
    }

    /// The client is gone.
    func abandon() { _ = close() }

    /// Tells how it stands when the time is over.
    func limit(to time: Duration) {
        guard time > .zero else {
            isLate = true
            return
        }
        let timer = LoopTimer { [unowned self] in
            isLate = true
            host.lookAtFates()
        }
        self.timer = timer
        timer.start(after: time)
    }

    private func close() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer?.close()
        timer = nil
        responder.session.fateWaits.removeAll { $0 === self }
        host.fateWaits.removeAll { $0 === self }
        host.leave()
        return true
    }
}
