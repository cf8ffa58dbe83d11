import EventLoop
import Foundation
import Store
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
    unowned let registry: RealmRegistry
    let writer: RealmWriter
    private(set) var phase = Phase.opening
    /// Set when the file at the path isn't this realm's any more: nothing is written from then on.
    private(set) var isReplaced = false
    private(set) var identity: FileIdentity?
    private(set) var wasCreated = false
    private var waitingForOpen: [@LoopActor (WireError?) -> Void] = []
    private var waitingForClose: [@LoopActor () -> Void] = []
    /// Requests that use the realm without a handle.
    var guests = 0

    var handles: [RealmHandle] = []
    var pins = PinTable()
    var held: [PinTable.Hold: HeldSnapshot] = [:]
    /// What LMDB has; nil while the file isn't open.
    var newest: HeldSnapshot?
    /// What may be announced.
    var durable: HeldSnapshot?
    /// Snapshots of commits that aren't durable yet.
    var undurable: [HeldSnapshot] = []
    var queue: WriteQueue
    var turns: [Int64: WriteTurn] = [:]
    var pipeline = CommitPipeline<Receipt>(version: 0)
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

    init(path: String, file: String, isInMemory: Bool, registry: RealmRegistry) {
        self.path = path
        self.file = file
        self.isInMemory = isInMemory
        self.registry = registry
        writer = RealmWriter(
            path: file, isInMemory: isInMemory, transactionLimit: registry.server.options.transactionLimit)
        queue = WriteQueue(stallLimit: .milliseconds(registry.server.options.limits.writeStallMilliseconds))
    }

    var server: AgentServer { registry.server }

    /// Whether the path still leads to this realm's file, as far as the loop can tell: while the writer thread is busy
    /// it may be putting a new incarnation there, and looks itself before it writes.
    var isInPlace: Bool {
        if isReplaced { return false }
        return phase == .opening || isInMemory || !queue.isIdle || FileIdentity(path: file) == identity
    }

    /// The file has a new incarnation at the same path.
    func didReplaceFile() { identity = FileIdentity(path: file) }
}

// MARK: - Opening and closing
extension RealmHost {
    func begin() {
        writer.perform { writer in
            let outcome = Result<OpenedFile, WireError> { () throws(WireError) in try writer.open() }
            EventLoop.shared.post { self.didOpen(outcome) }
        }
    }

    private func didOpen(_ outcome: Result<OpenedFile, WireError>) {
        let waiting = waitingForOpen
        waitingForOpen = []
        switch outcome {
        case .success(let opened):
            phase = .open
            identity = FileIdentity(path: file)
            wasCreated = opened.wasCreated
            newest = opened.snapshot
            durable = opened.snapshot
            pipeline = CommitPipeline(version: opened.snapshot.version)
            // One that gives up at once must not close the realm under those that come after it.
            guests += 1
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
        closeIfUnused()
    }

    func closeIfUnused() {
        guard phase == .open, handles.isEmpty, guests == 0, isQuiet else { return }
        phase = .closing
        held = [:]
        newest = nil
        durable = nil
        undurable = []
        stallTimer?.close()
        stallTimer = nil
        upkeepTimer?.close()
        upkeepTimer = nil
        writer.perform { writer in
            writer.close()
            EventLoop.shared.post { self.didClose() }
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
        // They belong to the file that is gone; the next one at this path makes its own.
        for companion in RealmPath.companions { unlink(file + companion) }
        refuseWaiting(replacedError)
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
