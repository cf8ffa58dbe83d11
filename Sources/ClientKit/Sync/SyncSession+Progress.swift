import Dispatch
import Wire

extension SyncSession {
    /// How far a transfer has come.
    public struct Progress: Sendable {
        /// From 0 to 1; 1 when nothing is outstanding.
        public let progressEstimate: Double

        let transferred: Int64
        let transferable: Int64

        /// Whether nothing is outstanding.
        public var isTransferComplete: Bool { progressEstimate >= 1 }

        /// Bytes of changes that have been transferred.
        @available(*, deprecated, message: "Use progressEstimate")
        public var transferredBytes: Int { Int(transferred) }

        /// Bytes of changes that were, or are to be, transferred.
        @available(*, deprecated, message: "Use progressEstimate")
        public var transferrableBytes: Int { Int(transferable) }

        /// The part of the bytes that has been transferred.
        @available(*, deprecated, message: "Use progressEstimate")
        public var fractionTransferred: Double {
            transferable == 0 ? 1 : min(1, Double(transferred) / Double(transferable))
        }
    }

    /// Keeps progress being reported.
    public final class ProgressNotificationToken: Sendable {
        private weak let session: SyncSession?
        private let number: Int

        init(_ session: SyncSession, _ number: Int) {
            self.session = session
            self.number = number
        }

        /// Ends the reports.
        public func invalidate() {
            session?.news.withLock { _ = $0.observers.removeValue(forKey: number) }
        }

        deinit { invalidate() }
    }

    /// Reports how far a transfer has come, soon and then whenever that changes, on a thread in the background. How far a
    /// download has come is known once the server has said what there is. Nil if the realm isn't open any more. The reports
    /// end with the token.
    public func addProgressNotification(
        for direction: ProgressDirection, mode: ProgressMode, block: @escaping @Sendable (Progress) -> Void
    ) -> ProgressNotificationToken? {
        guard path != nil else { return nil }
        let number = news.withLock { news in
            news.lastObserver += 1
            news.observers[news.lastObserver] = ProgressObserver(direction, mode, block)
            return news.lastObserver
        }
        report()
        if news.withLock({ $0.change == nil }) { askForNews() }
        return ProgressNotificationToken(self, number)
    }

    /// Nothing has changed since the realm was opened, so nothing has been told.
    private func askForNews() {
        DispatchQueue.global().async { [weak self] in
            guard let self, let change = asked()?.progress else { return }
            news.withLock { if $0.change == nil { $0.change = change } }
            report()
        }
    }

    /// The agent has told how things stand.
    func received(_ change: SyncChanged) {
        news.withLock { $0.change = change }
        report()
    }

    private func report() {
        let reports = news.withLock { news -> [@Sendable () -> Void] in
            guard let change = news.change else { return [] }
            return news.observers.keys.sorted().compactMap { number in
                guard var observer = news.observers[number] else { return nil }
                let progress = observer.see(change)
                news.observers[number] = observer.isOver ? nil : observer
                guard let progress else { return nil }
                return { [block = observer.block] in block(progress) }
            }
        }
        guard !reports.isEmpty else { return }
        SyncSession.reporting.async { for report in reports { report() } }
    }

    /// Reports of all sessions leave in order.
    static let reporting = DispatchQueue(label: "reeve.progress")
}

/// Somebody who wants to know how far a transfer has come.
struct ProgressObserver: Sendable {
    let block: @Sendable (SyncSession.Progress) -> Void
    private let direction: SyncSession.ProgressDirection
    private let mode: SyncSession.ProgressMode
    /// What had been transferred when the direction was complete last.
    private var base: Int64?
    /// What is to be transferred for one who wants to know of the work at hand.
    private var goal: Int64?
    private var last: (transferred: Int64, transferable: Int64)?
    private(set) var isOver = false

    init(
        _ direction: SyncSession.ProgressDirection, _ mode: SyncSession.ProgressMode,
        _ block: @escaping @Sendable (SyncSession.Progress) -> Void
    ) {
        self.direction = direction
        self.mode = mode
        self.block = block
    }

    /// What to report of it, by P-130; nil if that has been reported.
    mutating func see(_ change: SyncChanged) -> SyncSession.Progress? {
        if direction == .download, !change.isDownloadKnown { return nil }
        let transferred = direction == .upload ? change.uploaded : change.downloaded
        var transferable = max(transferred, direction == .upload ? change.uploadable : change.downloadable)
        if mode == .forCurrentlyOutstandingWork {
            let goal = self.goal ?? transferable
            self.goal = goal
            transferable = min(transferable, max(goal, transferred))
        }
        if let last, last == (transferred, transferable) { return nil }
        last = (transferred, transferable)
        let base = self.base ?? transferred
        let outstanding = transferable - base
        let estimate = outstanding <= 0 ? 1 : Double(transferred - base) / Double(outstanding)
        self.base = estimate >= 1 ? transferred : base
        if mode == .forCurrentlyOutstandingWork, estimate >= 1 { isOver = true }
        return SyncSession.Progress(progressEstimate: estimate, transferred: transferred, transferable: transferable)
    }
}
