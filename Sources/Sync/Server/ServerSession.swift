/// One session on the server (P-89): what the client may send now, and what is to be sent to it.
///
/// Messages of the client are handled in their order. While the history works on one, those behind it wait in the inbox,
/// except that uploads waiting in a row go to the history together.
struct ServerSession {
    enum State: Hashable {
        /// The history opens the realm, and allocates an ident if the client asked for one.
        case opening(needsIdent: Bool)
        case sendIdent(FileIdent)
        case waitForIdent
        case identifying
        /// IDENT was accepted.
        case steady
        /// The error waits to be sent; everything but UNBIND is ignored.
        case sendError(SessionFailure)
        /// The error was sent; everything but UNBIND is ignored.
        case waitForUnbind
        case sendUnbound
        /// Over: nothing is kept for it.
        case ended
    }

    /// A MARK that waits for its answer.
    struct Mark: Hashable {
        var request: Int64
        /// The newest version after the MARK came, once known: when it has been sent, the MARK is answered.
        var target: Int64?
    }

    let ident: Int64
    let agreed: SyncProtocol
    let limits: ServerLimits
    let path: String

    var state: State
    /// Set as soon as UNBIND is received: nothing but UNBOUND goes out any more (P-72).
    var isUnbinding = false

    // Input that waits.
    var inbox: [ClientMessage] = []
    var inboxBytes = 0
    /// Number of the request that the inbox waits for.
    var pending: Int64?
    /// What `pending` is about.
    var pendingMessage: ClientMessage?

    // The file, once its IDENT is accepted.
    var file: Int64 = 0
    var uploads = UploadCheck(file: 0)
    var reference = DownloadCheck(file: 0)
    /// The position of the last DOWNLOAD: the next one goes on from there.
    var cursor = DownloadCursor()
    /// An upload that carries changesets is with the history: it will be acknowledged by a DOWNLOAD.
    var isUploadPending = false
    /// The highest server version sent: what an UPLOAD can acknowledge.
    var position: Int64 = 0
    var queryVersion: Int64 = 0
    var lastMark: Int64 = 0

    // Output.
    var notices: [SessionFailure] = []
    var queryErrors: [(version: Int64, message: String)] = []
    var testAnswers: [Int64] = []
    var marks: [Mark] = []
    /// The next DOWNLOAD.
    var ready: DownloadBatch?
    /// A bootstrap is unfinished, so that marks wait.
    var isBootstrapOutstanding = false
    /// A DOWNLOAD must go out even if there is nothing new (P-67, P-68).
    var isDownloadDue = false
    /// There may be something to fetch.
    var needsScan = false
    /// Number of the fetch that is under way.
    var pendingFetch: Int64?
    /// The fetch under way was begun with a DOWNLOAD being due.
    var isFetchDue = false
    /// The last MARK that had come when the fetch under way was begun.
    var markInFetch: Int64 = 0

    init(bind: ClientMessage.Bind, agreed: SyncProtocol, limits: ServerLimits) {
        ident = bind.session
        path = bind.path
        self.agreed = agreed
        self.limits = limits
        state = .opening(needsIdent: bind.needsIdent)
    }

    /// Ends with an error, unless it has ended anyway.
    mutating func fail(_ failure: SessionFailure) {
        switch state {
        case .sendError, .waitForUnbind, .sendUnbound, .ended: return
        default: break
        }
        if isUnbinding {
            // The client waits for either; UNBOUND is what it asked for, and the error comes again with the next BIND.
            becomeUnbound()
        } else {
            forgetWork()
            state = .sendError(failure)
        }
    }

    /// UNBIND has been dealt with: nothing but UNBOUND is left.
    mutating func becomeUnbound() {
        forgetWork()
        state = .sendUnbound
    }

    private mutating func forgetWork() {
        inbox = []
        inboxBytes = 0
        pending = nil
        pendingMessage = nil
        pendingFetch = nil
        notices = []
        queryErrors = []
        testAnswers = []
        marks = []
        ready = nil
        needsScan = false
    }

    /// More input would only wait.
    var isInboxFull: Bool { inboxBytes > limits.inboxBytes || inbox.count >= limits.inboxMessages }
}

/// Numbers requests and collects effects while a connection handles one call.
struct ServerOutbox {
    var effects: [ServerEffect] = []
    /// There is room for one more DOWNLOAD of the session at hand.
    var canFetch = true
    private var lastRequest: Int64 = 0

    mutating func ask(_ session: Int64, _ work: ServerRequest.Work) -> Int64 {
        lastRequest += 1
        effects.append(.ask(ServerRequest(number: lastRequest, session: session, work: work)))
        return lastRequest
    }
}
