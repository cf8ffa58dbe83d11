import EventLoop
import Foundation
import History
import Store
import Synchronization
import Wire

/// One open realm: its file, who has it open, who writes, which snapshots are kept.
///
/// Lives as long as it is used: closed, with a checkpoint, when the last handle goes.
@LoopActor
final class RealmHost {
    enum Phase {
        case opening
        case open
        case closing
        case closed
    }

    /// Canonical path; of a realm in memory, `memory:` and its identifier.
    let path: String
    let file: String
    let isInMemory: Bool
    /// Of an encrypted realm.
    let key: RealmKey?
    unowned let registry: RealmRegistry
    let writer: RealmWriter
    /// Whether somebody who waits for the realm wants a missing file made. For the thread that opens it.
    nonisolated let mayCreate: Atomic<Bool>
    private(set) var phase = Phase.opening
    /// Set when the file at the path isn't this realm's any more: nothing is written from then on.
    private(set) var isReplaced = false
    /// What the path led to when the host was made, and when it began to close.
    private var lastIdentity: FileIdentity?
    private(set) var wasCreated = false
    private var waitingForOpen: [@LoopActor (WireError?) -> Void] = []
    private var waitingForClose: [@LoopActor () -> Void] = []
    /// Requests that use the realm without a handle.
    var guests = 0
    /// Reads that run. They keep the file open, so that who opens the realm anew needn't wait for them.
    private var readers = 0
    /// Whether everything is on disk and the file given up, though snapshots may still be read.
    private(set) var isFileClosed = false

    /// Of a synced realm: where it belongs, and what keeps it in sync while its user is known here.
    var origin: SyncOrigin?
    var sync: SyncedRealm?
    /// Who waits for what becomes of commits.
    var fateWaits: [FateWait] = []
    var isLookingAtFates = false
    var looksAtFatesAgain = false

    var handles: [RealmHandle] = []
    var pins = PinTable()
    var held: [PinTable.Hold: HeldSnapshot] = [:]
    /// What LMDB has; nil while the file isn't open.
    var newest: HeldSnapshot?
    /// What may be announced.
    var durable: HeldSnapshot?
    /// What those are given who ask for the realm: nothing that the agent's end would undo, as it would in an encrypted
    /// realm, whose pages are in memory until they are on disk. A new incarnation of the file begins durable.
    var visible: HeldSnapshot? { durable?.generation == newest?.generation ? durable : newest }
    /// Whether others than the one who commits want to hear of commits, as it was at the last one. For the threads that
    /// sync: who comes meanwhile hears a little later.
    nonisolated let hasListeners = Atomic(false)
    var queue: WriteQueue
    var turns: [Int64: WriteTurn] = [:]
    var stallTimer: LoopTimer?
    var isDraining = false
    var counters = RealmCounters()
    var isCompacting = false
    var isCheckpointing = false
    /// Why commits can't be made durable any more.
    var syncFailure: WireError?
    /// Until then no compaction is begun unasked.
    var compactionRest = ContinuousClock.now
    /// Looks after the file once the writers have paused.
    var upkeepTimer: LoopTimer?
    /// File size at which compaction is thought of again.
    var nextCompactionLook: Int64 = 0

    init(path: String, file: String, isInMemory: Bool, create: Bool, key: RealmKey?, registry: RealmRegistry) {
        mayCreate = Atomic(create)
        self.key = key
        self.path = path
        self.file = file
        self.isInMemory = isInMemory
        self.registry = registry
        lastIdentity = FileIdentity(path: file)
        writer = RealmWriter(
            path: file, isInMemory: isInMemory, key: key, transactionLimit: registry.server.options.transactionLimit,
            queueLimit: registry.server.options.queueLimit)
        queue = WriteQueue(stallLimit: .milliseconds(registry.server.options.limits.writeStallMilliseconds))
    }

    var server: AgentServer { registry.server }

    /// Why the realm, which is open, can't be had with this key; nil if it can. The same errors as if it weren't open.
    func refusal(of other: RealmKey?) -> WireError? {
        let facts: BSONDocument = ["path": .string(path)]
        switch (key, other) {
        case (nil, nil): return nil
        case (let key?, let other?):
            return key.matches(other)
                ? nil : WireError(.keyWrong, "the encryption key isn't the one of \(path)", facts: facts)
        case (nil, _): return WireError(.keySuperfluous, "\(path) isn't encrypted; open it without a key", facts: facts)
        case (_, nil): return WireError(.keyMissing, "\(path) is encrypted; give its encryption key", facts: facts)
        }
    }

    /// Whether the path still leads to this realm's file, as far as the loop can tell: while the writer thread is busy
    /// it may be putting a new incarnation there, and looks itself before it writes.
    var isInPlace: Bool {
        if isReplaced { return false }
        guard phase == .open, !isInMemory, queue.isIdle, let file = writer.file else { return true }
        return file.isInPlace
    }

    /// The realm's file, whatever its name is by now; nil for one that is being made.
    var identity: FileIdentity? {
        phase == .open ? writer.file?.identity : lastIdentity
    }
}

// MARK: - Opening and closing
extension RealmHost {
    func begin() {
        writer.perform { writer in
            let create = self.mayCreate.load(ordering: .sequentiallyConsistent)
            let outcome = Result<OpenedFile, WireError> { () throws(WireError) in try writer.open(create: create) }
            EventLoop.shared.post { self.didOpen(outcome) }
        }
    }

    private func didOpen(_ outcome: Result<OpenedFile, WireError>) {
        let waiting = waitingForOpen
        waitingForOpen = []
        switch outcome {
        case .success(let opened):
            phase = .open
            wasCreated = opened.wasCreated
            newest = opened.snapshot
            durable = opened.snapshot
            origin = opened.origin
            // One that gives up at once must not close the realm under those that come after it.
            guests += 1
            beginSync()
            for use in waiting { use(nil) }
            leave()
        case .failure(let error):
            phase = .closed
            writer.finish()
            registry.closed(self)
            for use in waiting { use(error) }
        }
    }

    /// Calls `body` once the file is open, or with the reason why it can't be opened. The realm stays open until
    /// `leave` is called for each successful call.
    func enter(_ body: @escaping @LoopActor (WireError?) -> Void) {
        let guarded: @LoopActor (WireError?) -> Void = { [self] error in
            if error == nil { guests += 1 }
            body(error)
        }
        switch phase {
        case .open: guarded(nil)
        case .opening: waitingForOpen.append(guarded)
        case .closing, .closed: preconditionFailure("a host that closes is entered")
        }
    }

    func leave() {
        guests -= 1
        closeIfUnused()
    }

    func beginRead() { readers += 1 }

    func endRead() {
        readers -= 1
        closeIfUnused()
    }

    /// Whether the host can't be used any more; `whenClosed` tells when its path is free.
    var isClosing: Bool { phase == .closing || phase == .closed }

    func whenClosed(_ body: @escaping @LoopActor () -> Void) {
        if phase == .closed { body() } else { waitingForClose.append(body) }
    }

    /// Says whether this is the opening that made the file. True once.
    func takeCreated() -> Bool {
        defer { wasCreated = false }
        return wasCreated
    }

    func remove(_ handle: RealmHandle) {
        handles.removeAll { $0 === handle }
        for hold in pins.releaseAll(of: handle.session.number, handle: handle.number) { held[hold] = nil }
        abandonTransactions(of: handle)
        sync?.proceed(handle)
        if handles.isEmpty { sync?.leaveWhenUploaded() } else { sync?.considerSuspending() }
        closeIfUnused()
        if handles.isEmpty { registry.closedByLast(self) }
    }

    func closeIfUnused() {
        guard phase == .open, handles.isEmpty, guests == 0, readers == 0 || isDraining, isQuiet else { return }
        lastIdentity = writer.file?.identity
        phase = .closing
        held = [:]
        newest = nil
        durable = nil
        writer.line.close()
        stallTimer?.close()
        stallTimer = nil
        upkeepTimer?.close()
        upkeepTimer = nil
        writer.perform { writer in
            // Somebody may still read: until that is over, the file can't be opened again.
            writer.close { EventLoop.shared.post { self.didClose() } }
            EventLoop.shared.post {
                self.isFileClosed = true
                self.server.checkDrained()
            }
        }
    }

    private func didClose() {
        phase = .closed
        writer.finish()
        registry.closed(self)
        let waiting = waitingForClose
        waitingForClose = []
        for body in waiting { body() }
    }

    /// The file was deleted or replaced. What is open stays readable.
    func wasReplaced() {
        isReplaced = true
        // The next file at this path makes its own companions.
        writer.file?.leavePath()
        refuseWaiting(replacedError)
        sync?.end()
        endFateWaits(replacedError)
        closeIfUnused()
    }

    var replacedError: WireError {
        WireError(
            .fileNotFound, "the realm's file was deleted or replaced while it was open; open it anew",
            facts: ["path": .string(path)])
    }
}

/// What the agent counts about a realm.
struct RealmCounters {
    var commits: UInt64 = 0
    var syncs: UInt64 = 0
    var rollbacks: UInt64 = 0
    var compactions: UInt64 = 0
}
