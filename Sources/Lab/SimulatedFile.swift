import Agent
import EventLoop
import History
import Model
import Store
import Sync

/// A synced realm file whose writer thread is the loop.
@LoopActor
package final class SimulatedFile: SyncedFile {
    private var file: RealmFile?
    private(set) var history: ClientHistory?
    private let scheduler: any Scheduler
    weak var link: SyncLink?
    package internal(set) var session: Int64 = 0
    package private(set) var reports: [SyncReport] = []
    package private(set) var resets: [SyncReport] = []

    init(
        _ path: String, clock: @escaping @Sendable () -> UInt64, scheduler: any Scheduler
    ) throws {
        var options = HistoryOptions()
        options.now = clock
        let file = try RealmFile(path: path)
        self.file = file
        history = try ClientHistory(file, options: options)
        self.scheduler = scheduler
    }

    func kill() {
        link = nil
        history = nil
        file = nil
    }

    /// Throws once the process is gone.
    package func snapshot() throws -> Snapshot {
        guard let file else { throw LabFailure("the process of this file was killed") }
        return try file.snapshot()
    }

    /// One transaction, which is durable when this returns.
    func write(_ instructions: [Instruction]) throws {
        guard let file, let history else { throw LabFailure("the process of this file was killed") }
        let transaction = try file.beginWrite()
        do {
            history.begin(transaction)
            let bytes = try Changeset.encode(instructions)
            try bytes.withUnsafeBytes { try transaction.apply($0) }
            try history.append(to: transaction)
            try file.makeDurable(through: try transaction.commit(uid: nil))
        } catch {
            transaction.rollback()
            throw error
        }
        link?.committed(session, version: Int64(file.version))
    }

    package func answer(_ work: StoreRequest.Work, completion: @escaping @Sendable @LoopActor (StoreAnswer) -> Void) {
        let holder = TimerHolder()
        let timer = scheduler.timer { [weak self] in
            holder.timer?.close()
            holder.timer = nil
            // A process that was killed does nothing more.
            guard let self, let history else { return }
            do { completion(try history.answer(work)) } catch {
                completion(.failed(.otherSessionError, "\(error)"))
            }
        }
        holder.timer = timer
        timer.start(after: .zero, repeating: nil)
    }

    package func didReport(_ report: SyncReport) { reports.append(report) }
    package func needsReset(_ report: SyncReport, partitionQuery: String?) { resets.append(report) }
    package func didProgress(_ download: ServerMessage.Download) {}

    @LoopActor
    private final class TimerHolder {
        var timer: (any ScheduledTimer)?
    }
}
