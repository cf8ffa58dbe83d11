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
        /// For the log, not for the client: why it failed.
        var fault: String?
    }

    /// Does a session's work, opening the realm if it isn't.
    func answer(_ work: ServerRequest.Work, user: String, writeRefusal: SessionFailure?) -> Outcome {
        do {
            let realm = try self.realm ?? open()
            var access = ServerRealmAccess(realm, user: user, writeRefusal: writeRefusal)
            let answer = access.answer(work)
            return Outcome(answer: answer, version: realm.version)
        } catch {
            // This session alone ends, and the client tries again: the owner may have made room meanwhile.
            let failure = SessionFailure(.initialSyncNotCompleted, "The server can't open the realm now")
            return Outcome(answer: .failed(failure), fault: "\(error)")
        }
    }

    /// Closes the realm, if it is open; returns what went wrong.
    func close() -> String? {
        guard let realm else { return nil }
        self.realm = nil
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
        realm = opened
        return opened
    }
}
