import Foundation
import History
import Store
import Sync

/// A server realm while it is open, touched only by the jobs of its `StoreLine`, which come one after another and each
/// see what the one before did: hence Sendable.
final class RealmBox: @unchecked Sendable {
    private let dataDirectory: String
    private let address: RealmAddress
    private let file: RealmFileOptions
    private let history: HistoryOptions
    private var realm: ServerRealm?
    /// The realm as sessions of flexible sync see it, if the app is one.
    private var flexible: FlexibleRealm?

    init(_ address: RealmAddress, in dataDirectory: String, file: RealmFileOptions, history: HistoryOptions) {
        self.dataDirectory = dataDirectory
        self.address = address
        self.file = file
        self.history = history
    }

    /// What came of a job.
    struct Outcome: Sendable {
        var answer: ServerAnswer
        /// The newest version afterwards; nil if the realm can't be opened.
        var version: Int64?
        /// Flexible sync: the client files that there is news for; nil: all.
        var woken: Set<Int64>?
        /// For the log, not for the client: why it failed.
        var fault: String?
        /// Whether the history should be compacted.
        var isCompactionDue = false
    }

    /// What a session asks.
    struct Job: Sendable {
        var work: ServerRequest.Work
        var user: String
        var writeRefusal: SessionFailure?
        /// Flexible sync: whose session it is.
        var seat: FlexibleSeat?
    }

    /// Does the work of several sessions in order, opening the realm if it isn't. All of it is durable when this returns,
    /// by one sync.
    func answer(_ jobs: [Job]) -> [Outcome] {
        let opened: ServerRealm
        do {
            opened = try realm ?? open()
        } catch {
            // These sessions alone end, and the clients try again: the owner may have made room meanwhile.
            let failure = SessionFailure(.initialSyncNotCompleted, "The server can't open the realm now")
            return jobs.map { _ in Outcome(answer: .failed(failure), fault: "\(error)") }
        }
        opened.groupsSyncs = true
        let outcomes = jobs.map { job in
            if let seat = job.seat {
                let flexible = self.flexible ?? FlexibleRealm(opened)
                self.flexible = flexible
                let answer = seat.answer(job.work, in: flexible)
                return Outcome(answer: answer, version: opened.version, woken: flexible.takeWoken())
            }
            var access = ServerRealmAccess(opened, user: job.user, writeRefusal: job.writeRefusal)
            return Outcome(
                answer: access.answer(job.work), version: opened.version,
                isCompactionDue: opened.isHistoryCompactionDue)
        }
        opened.groupsSyncs = false
        do {
            try opened.makeDurable()
            return outcomes
        } catch {
            // What was done may be there or not: whoever asks again finds out from the file.
            let fault = [close(), "\(error)"].compactMap(\.self).joined(separator: "; ")
            let failure = SessionFailure(.connectionClosed, "The server can't take changes now")
            return jobs.map { _ in Outcome(answer: .failed(failure), fault: fault) }
        }
    }

    /// A client file's session has ended; returns what went wrong with noting it.
    func heard(of file: Int64) -> String? {
        do {
            try realm?.heard(of: file)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Compacts the history, if the realm is open; returns by how many bytes, or what went wrong.
    func compactHistory() -> Result<UInt64, any Error> {
        Result { try realm?.compactHistory() ?? 0 }
    }

    /// Closes the realm, if it is open; returns what went wrong.
    func close() -> String? {
        guard let realm else { return nil }
        self.realm = nil
        flexible = nil
        do {
            try realm.close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func open() throws -> ServerRealm {
        try DataDirectory.make(address.folder, in: dataDirectory)
        let opened = try ServerRealm(path: dataDirectory + "/" + address.path, file: file, options: history)
        if let partition = address.partition { try Self.note(partition, in: opened, at: address.path) }
        realm = opened
        return opened
    }

    /// Writes down which partition it is where the file's name doesn't say it.
    static func note(_ partition: PartitionValue, in realm: ServerRealm, at path: String) throws {
        guard RealmAddress.isDigest(path.split(separator: "/").last.map(String.init) ?? "") else { return }
        try realm.put(partitionText: partition.text)
    }
}
