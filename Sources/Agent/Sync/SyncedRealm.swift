import EventLoop
import History
import Store
import Sync
import Wire

/// A realm that is kept in sync: while somebody has it open, and then until all that was written here is on the server.
@LoopActor
final class SyncedRealm {
    unowned let host: RealmHost
    /// Without a partition as soon as somebody has opened it so (F-99).
    private(set) var origin: SyncOrigin
    private let user: AgentUser
    /// Nil while the realm doesn't take part.
    private(set) var session: Int64?
    /// What the session is bound as.
    private var binding: SessionBinding
    /// The newest set of subscriptions that the session knows of.
    var knownSet: Int64 = -1
    /// Who waits for what becomes of a set of subscriptions.
    var setWaits: [SetWait] = []
    /// Under way while the realm is given the server's state.
    var resetDownload: ResetDownload?
    /// Handles whose clients still look at the realm before it is reset, and how long that may take.
    var lookers: Set<Int32> = []
    var lookTimer: LoopTimer?
    /// Who waits for uploads or downloads: a session that takes another one's place takes them over.
    private var waits: [Int64: Wait] = [:]
    private var lastWait: Int64 = 0

    private struct Wait {
        var direction: SyncDirection
        var completion: @LoopActor (WireError?) -> Void
    }

    private var isStarting = false
    /// What came meanwhile, to be done once that is over.
    private var afterStart: [@LoopActor () -> Void] = []
    /// The session has been told not to sync.
    private var isSuspended = false
    /// What stopped the session, until data goes again.
    var lastError: SyncReport?
    /// Waits for the last upload of a realm that nobody has open any more.
    private var isLeaving = false
    private var hasEnded = false
    var progress = SyncProgress()
    /// Runs while progress was told just now: each telling reads the queue and wakes all who have the realm open.
    private var progressTimer: LoopTimer?
    /// There was progress meanwhile.
    private var isProgressUntold = false
    private static let progressInterval = Duration.milliseconds(20)
    /// What the server has undone, the newest last.
    var rejections: [(object: RejectedObject, at: Int64)] = []
    static let rejectionLimit = 1_000

    init(_ host: RealmHost, _ origin: SyncOrigin, _ user: AgentUser) {
        self.host = host
        self.origin = origin
        self.user = user
        binding = SessionBinding(partition: origin.partition)
        user.add(self)
        host.guests += 1
        isSuspended = isPaused
    }

    private var apps: AppRegistry { host.server.apps }

    /// The user of the machine has said so.
    var isPaused: Bool { apps.isPaused(host.path) }

    /// That of the session: the app of a partition's realm may have been migrated.
    var mode: SyncProtocol.Mode { binding.mode }

    var link: SyncLink { link(mode) }

    func link(_ mode: SyncProtocol.Mode) -> SyncLink { user.link(mode) }

    // MARK: Beginning and ending

    /// Takes part, if the user is logged in: reads what the session begins with on the writer thread first.
    func start() {
        guard session == nil, !isStarting, !hasEnded, user.isLoggedIn else { return }
        isStarting = true
        let partition = origin.partition
        host.writer.perform { writer in
            let state = writer.sessionState(partition)
            let pending = try? writer.history?.pendingReset
            EventLoop.shared.post { self.join(state, pending) }
        }
    }

    private func join(_ state: RealmWriter.SessionState?, _ pending: PendingClientReset?) {
        isStarting = false
        defer {
            let waiting = afterStart
            afterStart = []
            for body in waiting { body() }
        }
        guard session == nil, !hasEnded, user.isLoggedIn, let state, let durable = host.durable else { return }
        begin(state, durable)
        if let pending { confirm(pending) }
        didChange()
    }

    /// Adds a session for the file, which begins with what is on disk: what may still be lost must not be found on the
    /// server then.
    private func begin(_ state: RealmWriter.SessionState, _ durable: HeldSnapshot, awaitsReset: Bool = false) {
        var file = state.file
        file.newestVersion = min(file.newestVersion, Int64(durable.version))
        binding = state.binding
        knownSet = state.queries.newest
        let session = link.add(
            self, state: file, path: binding.path, queries: state.queries, awaitsReset: awaitsReset)
        self.session = session
        if isSuspended { link.suspend(session) }
        if isLeaving { awaitLastUpload() }
    }

    /// Puts another session in the place of the one that there is: one that awaits its client reset, whose action this is,
    /// or one that is bound otherwise.
    func rejoin(forReset reset: ErrorAction? = nil) {
        let partition = origin.partition
        host.writer.perform { writer in
            guard let state = writer.sessionState(partition, reset: reset) else { return }
            EventLoop.shared.post {
                guard let old = self.session, !self.hasEnded, let durable = self.host.durable else { return }
                let waits = self.waits
                self.waits = [:]
                self.session = nil
                self.link.remove(old)
                self.begin(state, durable, awaitsReset: reset != nil)
                for wait in waits.values { self.wait(wait.direction, completion: wait.completion) }
            }
        }
    }

    func clearError() { lastError = nil }

    /// The session goes on after an error that has stopped it, unless it isn't to sync.
    func resume() {
        if let session, !isSuspended { link.resume(session) }
    }

    /// The realm has been opened by an application which knows that it is one of flexible sync.
    func adopt(_ origin: SyncOrigin) { self.origin = origin }

    /// The user's tokens are gone, or the user: nothing goes up or down until somebody logs in anew.
    func userLeft() {
        leaveLink()
        didChange()
    }

    private func leaveLink() {
        resetDownload?.cancel()
        resetDownload = nil
        lookers = []
        lookTimer?.close()
        lookTimer = nil
        if let session { link.remove(session) }
        session = nil
        let waiting = waits
        waits = [:]
        for wait in waiting.values { wait.completion(failure(nil)) }
        failSetWaits(failure(nil))
        host.lookAtFates()
    }

    /// Ends for good, so that the file may be closed. With `isFinished` the next agent needn't go on with it.
    func end(isFinished: Bool = false) {
        guard !hasEnded else { return }
        if isFinished { apps.finishRealm(host.path) }
        hasEnded = true
        progressTimer?.close()
        leaveLink()
        user.remove(self)
        host.didEndSync()
        host.leave()
    }

    /// Nobody has the realm open any more: ends as soon as everything is uploaded.
    func leaveWhenUploaded() {
        guard !isLeaving, !hasEnded else { return }
        // What is in it won't ever be sent.
        if fileAction != nil { return end() }
        isLeaving = true
        if !isStarting { awaitLastUpload() }
    }

    private func awaitLastUpload() {
        guard let session else { return end() }
        link.awaitUpload(session) { [weak self] isDone in
            guard let self, isLeaving else { return }
            isLeaving = false
            if host.handles.isEmpty, isDone { end(isFinished: true) }
        }
    }

    /// Somebody has opened the realm.
    func joined() {
        isLeaving = false
        host.rememberSync()
        considerSuspending()
        start()
    }

    // MARK: What the realm's clients want

    /// `completion` is called when the wish is durable.
    func pause(_ pauses: Bool, completion: @escaping @LoopActor (WireError?) -> Void) {
        apps.remember(host.path, origin, isPaused: pauses, completion: completion)
        considerSuspending()
    }

    /// Data goes while one of those who have it open wants it to (SY-06), unless the user of the machine doesn't.
    func considerSuspending() {
        let suspends = isPaused || !host.handles.isEmpty && !host.handles.contains { $0.wantsSync }
        guard suspends != isSuspended else { return }
        isSuspended = suspends
        guard let session else { return }
        if suspends { link.suspend(session) } else { link.resume(session) }
        didChange()
    }

    func reconnect() {
        if lastError?.isFatal == true {
            // Who waits from now on waits for what comes of this.
            clearError()
            resume()
            didChange()
        }
        link.reconnectNow()
    }

    func wait(_ direction: SyncDirection, completion: @escaping @LoopActor (WireError?) -> Void) {
        if isStarting { return afterStart.append { [self] in wait(direction, completion: completion) } }
        guard let session else { return completion(failure(nil)) }
        // One that an error has stopped has nothing to wait for.
        if let lastError, lastError.isFatal { return completion(failure(lastError)) }
        lastWait += 1
        let number = lastWait
        waits[number] = Wait(direction: direction, completion: completion)
        let done: @LoopActor (Bool) -> Void = { [weak self] isDone in
            guard let self else { return completion(isDone ? nil : Self.over) }
            // Another session has taken it over, or all were told.
            guard session == self.session, let wait = waits.removeValue(forKey: number) else { return }
            wait.completion(isDone ? nil : failure(lastError))
        }
        switch direction {
        case .upload: link.awaitUpload(session, completion: done)
        case .download: link.awaitDownload(session, completion: done)
        }
    }

    private static let over = WireError(.syncFailed, "the realm was closed")

    func failure(_ report: SyncReport?) -> WireError {
        guard let report else {
            return WireError(
                .syncFailed,
                user.isLoggedIn
                    ? "the realm's session has ended" : "user \(origin.user) is logged out; log in to sync",
                facts: ["path": .string(host.path)])
        }
        var facts: BSONDocument = [
            "path": .string(host.path), "status": .string(report.status.rawValue),
            "action": .string(report.action.rawValue), "isFatal": .bool(report.isFatal)
        ]
        if let code = report.code { facts["code"] = .int32(Int32(code.rawValue)) }
        if let backup = fileAction?.backup { facts["recovery"] = .string(backup) }
        if !report.logURL.isEmpty { facts["logURL"] = .string(report.logURL) }
        return WireError(.syncFailed, report.message, facts: facts)
    }

    // MARK: News

    /// Everything up to a version is on disk.
    func committed(_ version: UInt64) {
        guard let session else { return }
        queueChanged()
        link.committed(session, version: Int64(version))
    }

    /// The connection has another state.
    func didChange() {
        for handle in host.handles where handle.events { handle.session.send(event: news(for: handle.number)) }
    }

    /// How things stand, for a client.
    func news(for handle: Int32) -> SyncChanged {
        SyncChanged(
            realm: handle, session: state, connection: connectionState, uploaded: progress.uploaded,
            uploadable: progress.uploadable, downloaded: progress.downloaded, downloadable: progress.downloadable,
            isDownloadKnown: progress.isDownloadKnown)
    }

    /// It takes no part, and nothing says that it will.
    var isStopped: Bool { session == nil && !isStarting }

    var state: SyncSessionState {
        isStopped || isSuspended || lastError?.isFatal == true ? .inactive : .active
    }

    /// Why nothing is sent, connection or not, until somebody does something about it.
    var obstacle: String? {
        if isPaused { return "it is paused (reeve sync resume)" }
        if let lastError, lastError.isFatal { return "an error has stopped it: \(lastError.message)" }
        if isStopped { return user.isLoggedIn ? "its session has ended" : "user \(origin.user) is logged out" }
        return isSuspended ? "the programs that have it open have suspended it" : nil
    }

    /// Since when there is no connection: milliseconds since 1970.
    var offlineSince: Int64? { connectionState == .connected ? nil : link.offlineSince }

    var target: SyncTarget {
        SyncTarget(app: origin.app, server: origin.baseURL, user: origin.user, partition: origin.partition)
    }

    var connectionState: SyncConnectionState { session == nil ? .disconnected : user.connectionState(mode) }

    /// Measures what waits, for those who show progress, but not for each of many changes.
    func queueChanged() {
        guard !hasEnded, host.handles.contains(where: \.events) else { return }
        if progressTimer?.isActive == true {
            isProgressUntold = true
            return
        }
        let timer =
            progressTimer
            ?? LoopTimer { [unowned self] in
                guard isProgressUntold else { return }
                isProgressUntold = false
                queueChanged()
            }
        progressTimer = timer
        timer.start(after: Self.progressInterval)
        host.writer.perform { writer in
            guard let bytes = try? writer.history?.unsentBytes() else { return }
            EventLoop.shared.post {
                if self.progress.see(unsentBytes: Int64(bytes)) { self.didChange() }
            }
        }
    }
}
