import EventLoop
import History
import HistorySupport
import Model
import Store
import Sync
import TestSupport
import Testing

@testable import Server

/// A client's realm file of a partition, and what an agent does when the server's app is migrated: a session by partition,
/// one by subscriptions, a client reset between them.
@LoopActor
final class MigratingDevice {
    /// Where a process can die.
    enum Step: CaseIterable {
        case told, begun, firstDownload, subscribed, downloaded, rejoined, bound, reset
    }

    let directory: TemporaryDirectory
    let tokens: String
    private let yard: SyncYard
    private let partition: PartitionValue
    /// The application opens the realm as one of flexible sync.
    private let isNative: Bool
    private var file: RealmFile?
    private(set) var history: ClientHistory?
    private var links: [DeviceLink] = []
    private var session: Int64 = 0
    private var freshSession: Int64 = 0
    private var lastSession: Int64 = 0
    private var engine: ClientReset?
    private var awaited: (reset: PendingClientReset, waiters: Set<Int64>)?
    var mode = ClientResetMode.recoverUnsyncedChanges
    /// The process dies there.
    var diesAt: Step?
    private(set) var isStopped = false
    private(set) var reports: [SyncReport] = []
    private(set) var failures: [ClientResetFailure] = []
    private(set) var resets = 0
    private var completed: Set<Int64> = []
    private var lastWaiter: Int64 = 100

    init(
        _ yard: SyncYard, _ partition: PartitionValue, isNative: Bool = false, tokens: String? = nil,
        directory: TemporaryDirectory = TemporaryDirectory()
    ) throws {
        self.yard = yard
        self.partition = partition
        self.isNative = isNative
        self.directory = directory
        self.tokens = try tokens ?? SyncProbe.logIn(to: yard)
        let file = try RealmFile(path: directory.path + "/device.realm", options: SyncYard.unsynced)
        self.file = file
        history = try ClientHistory(file, options: MigratingDevice.options, isFlexible: isNative)
        links = [.partition, .flexible].map { DeviceLink($0, yard, token: self.tokens) }
        for link in links {
            link.carryOut = { [unowned self, unowned link] effect in try carryOut(effect, link) }
        }
    }

    private static var options: HistoryOptions { HistoryOptions() }

    /// Another process goes on with the file.
    static func next(after device: inout MigratingDevice, isNative: Bool = false) throws {
        device.stop()
        let (yard, partition, tokens) = (device.yard, device.partition, device.tokens)
        let (directory, mode) = (device.directory, device.mode)
        device = try MigratingDevice(yard, partition, isNative: isNative, tokens: tokens, directory: directory)
        device.mode = mode
        try device.start()
    }

    /// A process of a device that has ended writes without a connection, and is there to be started.
    static func writeOffline(_ device: inout MigratingDevice, _ instructions: [Instruction]) throws {
        let (yard, partition, tokens) = (device.yard, device.partition, device.tokens)
        let (directory, mode) = (device.directory, device.mode)
        device = try MigratingDevice(yard, partition, tokens: tokens, directory: directory)
        device.mode = mode
        try device.write(instructions)
    }

    func start() throws {
        if isNative { _ = try history?.leaveMigration() }
        try join()
    }

    func stop() {
        isStopped = true
        for link in links { link.close() }
        engine?.abandon()
        engine = nil
        history = nil
        try? file?.close()
        file = nil
    }

    private func dies(at step: Step) -> Bool {
        guard diesAt == step else { return isStopped }
        stop()
        return true
    }

    func cut() { for link in links { link.cut() } }

    // MARK: The app

    func write(_ instructions: [Instruction]) throws {
        guard let file, let history else { return }
        try history.commit(instructions, to: file)
        guard session != 0 else { return }
        let version = Int64(file.version)
        link.change { [session] in $0.committed(session: session, newestVersion: version, now: $1) }
        try cover()
    }

    /// Waits until everything is up and down, whatever becomes of the session meanwhile; false if that isn't to be.
    func settle() -> Bool {
        var waiting: (session: Int64, waiters: Set<Int64>)?
        return yard.advance {
            if let waiting, waiting.session == session { return waiting.waiters.isSubset(of: completed) }
            lastWaiter += 2
            waiting = (session, [lastWaiter, lastWaiter + 1])
            link.change { [session, lastWaiter] in
                $0.awaitUpload(session: session, waiter: lastWaiter, now: $1)
                    + $0.awaitDownload(session: session, waiter: lastWaiter + 1, now: $1)
            }
            return false
        }
    }

    func dogs() throws -> [Int64: String] { try file.map { try DogTable($0.snapshot()).names } ?? [:] }

    /// Values of the partition key.
    func partitions() throws -> [Int64: Value] {
        try file.map { try DogTable($0.snapshot()).values("realm_id") } ?? [:]
    }

    func count(_ className: String) throws -> Int { try file?.snapshot().table(named: className)?.count ?? 0 }

    // MARK: Sessions

    private var isFlexible: Bool { isNative || history?.migration?.isFlexible == true }

    private var link: DeviceLink { links[isFlexible ? 1 : 0] }

    private func path(reset: ErrorAction? = nil) -> String {
        history?.binding(partition: isNative ? nil : partition.text, reset: reset).path ?? ""
    }

    private func join() throws {
        guard let history else { return }
        lastSession += 1
        session = lastSession
        var options = ClientSessionOptions(session: session, path: path())
        options.queries = history.queries
        let file = history.clientFile
        link.change { $0.add(options, file: file, now: $1) }
        try awaitConfirmation()
        try cover()
    }

    private func awaitConfirmation() throws {
        guard let pending = try history?.pendingReset else { return }
        awaited = (pending, [-1, -2])
        link.change { [session] in
            $0.awaitUpload(session: session, waiter: -1, now: $1)
                + $0.awaitDownload(session: session, waiter: -2, now: $1)
        }
    }

    /// Subscribes to new classes (F-97).
    private func cover() throws {
        guard let query = try history?.coverNewClasses() else { return }
        link.change { [session] in $0.subscribed(session: session, query, now: $1) }
    }

    private func history(of session: Int64) -> ClientHistory? {
        session == freshSession ? engine?.fresh?.history : session == self.session ? history : nil
    }

    // MARK: What the machines want

    private func carryOut(_ effect: ClientEffect, _ link: DeviceLink) throws -> [ClientEffect] {
        switch effect {
        case .ask(let request):
            guard let history = history(of: request.session) else { return [] }
            return link.answered(request, try history.answer(request.work))
        case .report(_, let report): reports.append(report)
        case .reset(let session, let report, let query): try needsReset(session, report, query)
        case .performReset: try performReset()
        case .bound(let session): try history(of: session)?.disconnected()
        case .disconnect:
            for session in [session, freshSession] { try history(of: session)?.disconnected() }
        case .caughtUp(let session): try caughtUp(session, link)
        case .queryFailed(let session, let version, let message):
            if session == freshSession, let query = try engine?.freshQueryFailed(version: version, message: message) {
                link.change { $0.subscribed(session: session, query, now: $1) }
            } else {
                try history(of: session)?.queryFailed(version: version, message: message)
            }
        case .progressed(let session, _): if session == self.session { try cover() }
        case .completed(let session, let waiter): try completed(waiter, session, link)
        case .ended(let session): try ended(session)
        default: break
        }
        return []
    }

    private func caughtUp(_ session: Int64, _ link: DeviceLink) throws {
        guard let history = history(of: session) else { return }
        try history.caughtUp()
        if session == freshSession {
            guard !dies(at: .firstDownload), let engine else { return }
            if let query = try engine.nextFreshQuery() {
                link.change { $0.subscribed(session: session, query, now: $1) }
                _ = dies(at: .subscribed)
            } else if engine.isFreshComplete {
                link.change { $0.remove(session: session, now: $1) }
            }
        } else if history.isReadyToBecomeNative {
            link.change { $0.remove(session: session, now: $1) }
        }
    }

    private func completed(_ waiter: Int64, _ session: Int64, _ link: DeviceLink) throws {
        completed.insert(waiter)
        guard session == self.session, awaited?.waiters.remove(waiter) != nil, let awaited, awaited.waiters.isEmpty
        else { return }
        self.awaited = nil
        try history?.confirm(awaited.reset)
    }

    private func needsReset(_ session: Int64, _ report: SyncReport, _ query: String?) throws {
        guard let history, !dies(at: .told) else { return }
        do throws(ClientResetFailure) {
            if session == freshSession, let engine {
                let failure = engine.giveUp(report)
                guard report.action == .migrateToFlexible || report.action == .revertToPartition else { throw failure }
                // The app went the other way meanwhile: the file's own session is told so.
                self.engine = nil
                links[0].change { [freshSession] in $0.remove(session: freshSession, now: $1) }
                links[1].change { [freshSession] in $0.remove(session: freshSession, now: $1) }
                freshSession = 0
                return link.change { [session = self.session] in $0.resume(session: session, now: $1) }
            }
            let engine = try ClientReset(
                history, mode: mode, action: report.action, report: report, partition: partition.text,
                partitionQuery: query)
            self.engine = engine
            guard let fresh = try engine.begin().history else { return }
            lastSession += 1
            freshSession = lastSession
            let binding = engine.freshBinding
            var options = ClientSessionOptions(session: freshSession, path: binding.path)
            options.uploads = false
            options.queries = fresh.queries
            let file = fresh.clientFile
            guard !dies(at: .begun) else { return }
            links[binding.mode == .flexible ? 1 : 0].change { $0.add(options, file: file, now: $1) }
        } catch {
            failures.append(error)
            engine?.abandon()
            engine = nil
            freshSession = 0
        }
    }

    private func ended(_ session: Int64) throws {
        guard let history else { return }
        if session == freshSession {
            guard !dies(at: .downloaded) else { return }
            freshSession = 0
            // Where it is now, before the reset.
            link.change { [session = self.session] in $0.remove(session: session, now: $1) }
        } else if session == self.session, let engine {
            lastSession += 1
            self.session = lastSession
            var options = ClientSessionOptions(session: lastSession, path: path(reset: engine.action))
            options.awaitsReset = true
            let file = history.clientFile
            let goal: DeviceLink =
                switch engine.action {
                case .migrateToFlexible: links[1]
                case .revertToPartition: links[0]
                default: link
                }
            guard !dies(at: .rejoined) else { return }
            goal.change { $0.add(options, file: file, now: $1) }
        } else if session == self.session, history.isReadyToBecomeNative {
            try history.becomeNative()
            try join()
        }
    }

    private func performReset() throws {
        guard let engine, let history, !dies(at: .bound) else { return }
        self.engine = nil
        do throws(ClientResetFailure) {
            let outcome = try engine.perform()
            resets += 1
            guard !dies(at: .reset) else { return }
            let queries = history.queries
            // The links are those of after the reset by now.
            link.change { [session] in
                $0.resetPerformed(session: session, file: outcome.clientFile, queries: queries, now: $1)
            }
        } catch {
            failures.append(error)
        }
        try awaitConfirmation()
        try cover()
    }
}

extension SyncYard {
    /// Power isn't lost in a test.
    static var unsynced: RealmFileOptions {
        var options = RealmFileOptions()
        options.syncFile = { _ in 0 }
        return options
    }

    /// A server that doesn't wait for its disk.
    static func quick() throws -> SyncYard { try SyncYard { $0.file = unsynced } }
}

/// Dogs of a realm.
struct DogTable {
    private let snapshot: Snapshot

    init(_ snapshot: Snapshot) { self.snapshot = snapshot }

    func values(_ property: String) -> [Int64: Value] {
        guard let table = snapshot.table(named: "Dog"), let column = table.stored.column(named: property) else {
            return [:]
        }
        var values: [Int64: Value] = [:]
        for index in 0..<table.count {
            let key = table.key(at: index)
            if case .int(let id)? = table.primaryKey(of: key) { values[id] = table.value(key, column) }
        }
        return values
    }

    var names: [Int64: String] {
        values("name").compactMapValues { if case .string(let name) = $0 { name } else { nil } }
    }
}
