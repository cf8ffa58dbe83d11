/// One session on the client (P-95): one file bound to one server realm.
///
/// What the server sends is taken in its order. While the file works on something, the rest waits in the inbox.
struct ClientSession {
    enum Life: Hashable {
        case active
        /// Unbound, and bound again at this time, or when somebody asks for it.
        case suspended(until: Duration?)
        /// Leaves for good once it is unbound.
        case deactivating
        case ended
    }

    /// What `pending` is about.
    enum Pending: Hashable {
        case saveIdent(FileIdent)
        /// `bind`: what is scanned counts only while this BIND lasts.
        case scan(bind: Int, end: Int64)
        case integrate(ServerMessage.Download)
        /// What was acknowledged before is stored.
        case storeAcknowledgement(ServerMessage.Download)
        /// `through`: the version that was the newest then; of later ones the answer says nothing.
        case nextUploadable(through: Int64)
    }

    /// Somebody who waits for everything up to a point to be uploaded or downloaded (P-114, P-115).
    struct Waiter: Hashable {
        enum Goal: Hashable {
            case mark(Int64)
            case upload(version: Int64)
        }

        var id: Int64
        var goal: Goal
    }

    var options: ClientSessionOptions
    let limits: ClientLimits
    var life = Life.active
    /// Delays of resuming after errors (P-120).
    var backoff = Backoff<SyncErrorCode>()

    // The file.
    var fileIdent: FileIdent?
    /// What is integrated: the reference for what the server sends next.
    var reference: DownloadCheck
    /// The last acknowledgement that the file doesn't know of, and how many came before it since the file was told.
    var unstored: (download: ServerMessage.Download, count: Int)?
    /// The server version that the file knows. The server is told no later one: it may forget what is before it.
    var storedServerVersion: Int64
    var newestVersion: Int64
    var pending: Pending?
    var pendingNumber: Int64 = 0

    // This BIND.
    var agreed = SyncProtocol(.partition)
    var isConnected = false
    var bindCount = 0
    var bindSent = false
    var identSent = false
    var unbindSent = false
    var errorReceived = false
    var unboundReceived = false
    /// It was suspended in this BIND, and has ignored messages since: it can't go on without a new one.
    var mustUnbind = false
    /// What couldn't be integrated, until it is sent (P-61).
    var integrationError: (code: SyncErrorCode, message: String)?
    var integrationFailed = false
    /// Messages that wait for the file.
    var inbox: [ServerMessage] = []
    var inboxBytes = 0

    // Upload.
    /// What has been sent, which is at least what is acknowledged (P-107).
    var uploadPosition = UploadCursor()
    var readyUpload: ClientMessage.Upload?
    /// The last version that this BIND has sent.
    var sentVersion: Int64 = 0
    /// Uploads and queries wait for the first download completion (P-99).
    var holdsUpload = false
    /// A MARK has been answered since the session was made.
    var hasCaughtUp = false
    var isBootstrapping = false
    /// The version of the last QUERY sent.
    var sentQuery: Int64 = 0
    /// Nothing is sent until this set is in force (F-99).
    var sentinel: Int64?
    /// The last request was the integration of a download: uploads get their turn.
    var yieldsToUpload = false

    // Download.
    var targetMark: Int64 = 0
    var sentMark: Int64 = 0
    var answeredMark: Int64 = 0
    var waiters: [Waiter] = []
    var asksForUploadable = false
    var compensating: [(version: Int64, report: SyncReport)] = []
    var testCommands: [(request: Int64, body: String)] = []
    /// Suspended until the token or the location has been fetched.
    var resumesOnRefresh = false

    init(_ options: ClientSessionOptions, file: ClientFile, limits: ClientLimits) {
        self.options = options
        self.limits = limits
        fileIdent = file.ident
        reference = DownloadCheck(
            download: file.download, latest: file.latest, upload: file.upload, file: file.ident?.number ?? 0)
        storedServerVersion = file.download.server
        newestVersion = file.newestVersion
    }

    var ident: Int64 { options.session }

    /// It takes part in what happens on the connection.
    var isActive: Bool { life == .active }

    /// UNBIND is out and answered: the ident may be bound again (P-97).
    var isUnbound: Bool { unbindSent && (errorReceived || unboundReceived) }

    var isInboxFull: Bool { inboxBytes > limits.inboxBytes || inbox.count >= limits.inboxMessages }

    // MARK: The connection

    /// The connection is up. `isFast`: after a short break there is nothing to be gained from waiting (P-99), unless the
    /// first download was never complete.
    mutating func connected(_ agreed: SyncProtocol, isFast: Bool) {
        self.agreed = agreed
        isConnected = true
        resetBind(holdsUpload: !isFast || !hasCaughtUp)
    }

    mutating func disconnected() {
        isConnected = false
        // The server says it again (F-60).
        compensating = []
        resetBind(holdsUpload: true)
        if life == .deactivating { life = .ended }
    }

    /// Everything begins anew with the next BIND. What the file is working on goes on.
    mutating func resetBind(holdsUpload: Bool) {
        bindCount += 1
        bindSent = false
        identSent = false
        unbindSent = false
        errorReceived = false
        unboundReceived = false
        mustUnbind = false
        integrationError = nil
        integrationFailed = false
        inbox = []
        inboxBytes = 0
        readyUpload = nil
        sentVersion = 0
        isBootstrapping = false
        sentQuery = 0
        sentinel = nil
        testCommands = []
        self.holdsUpload = holdsUpload && !options.awaitsReset
        renewMarks()
    }

    /// Unanswered marks are forgotten and asked for again by new numbers (P-114).
    private mutating func renewMarks() {
        let wanted = targetMark > answeredMark || holdsUpload
        sentMark = targetMark
        answeredMark = targetMark
        guard wanted else { return }
        targetMark += 1
        for index in waiters.indices {
            if case .mark = waiters[index].goal { waiters[index].goal = .mark(targetMark) }
        }
    }

    // MARK: Life

    /// Leaves the server, to come back at a time or when asked.
    mutating func suspend(until: Duration?) {
        guard life == .active || isSuspended else { return }
        life = .suspended(until: until)
        mustUnbind = bindSent
        dropOutput()
    }

    var isSuspended: Bool {
        if case .suspended = life { true } else { false }
    }

    /// Comes back. BIND goes out once the last one is unbound.
    mutating func resume() {
        guard isSuspended else { return }
        life = .active
        resumesOnRefresh = false
        if isUnbound || !bindSent { resetBind(holdsUpload: true) }
    }

    /// The prepared client reset is done; the file is another one now (P-98). Nothing holds its uploads back (P-99).
    mutating func resetPerformed(_ file: ClientFile) {
        guard options.awaitsReset else { return }
        options.awaitsReset = false
        fileIdent = file.ident
        reference = DownloadCheck(
            download: file.download, latest: file.latest, upload: file.upload, file: file.ident?.number ?? 0)
        storedServerVersion = file.download.server
        unstored = nil
        newestVersion = file.newestVersion
        pending = nil
    }

    /// Leaves for good.
    mutating func deactivate(_ outbox: inout ClientOutbox) {
        guard life != .ended else { return }
        life = isConnected && bindSent && !isUnbound ? .deactivating : .ended
        dropOutput()
        abandonWaiters(&outbox)
    }

    mutating func abandonWaiters(_ outbox: inout ClientOutbox) {
        for waiter in waiters { outbox.effects.append(.abandoned(session: ident, waiter: waiter.id)) }
        waiters = []
    }

    private mutating func dropOutput() {
        readyUpload = nil
        inbox = []
        inboxBytes = 0
        testCommands = []
    }
}

/// Numbers requests and collects effects while a connection handles one call.
struct ClientOutbox {
    var effects: [ClientEffect] = []
    private var lastRequest: Int64 = 0

    mutating func ask(_ session: Int64, _ work: StoreRequest.Work) -> Int64 {
        lastRequest += 1
        effects.append(.ask(StoreRequest(number: lastRequest, session: session, work: work)))
        return lastRequest
    }
}
