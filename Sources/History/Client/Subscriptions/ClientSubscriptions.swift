import Foundation
import Model
import Store
import Sync

/// The sets of subscriptions of a client file, and how far the server is with each (F-17 to F-27).
///
/// They lie in the realm file, beside the history whose `subscriptions` this is. For whoever owns the history: the sets
/// change with `update`, and with what the session asks of the history.
///
///     let set = try subscriptions.update { $0.insert(name: "mine", className: "Item", query: "owner == \"a\"") }
///     effects = connection.subscribed(session: 1, set.pendingQuery, now: now)
package final class ClientSubscriptions {
    private let file: RealmFile
    private let options: HistoryOptions
    /// All sets there are, by version; there is always one.
    package private(set) var sets: [SubscriptionSet]
    /// Hears of each state that a set comes to, once it is in the file; `superseded` is the last word on a set.
    package var observer: ((SubscriptionSet) -> Void)?
    /// What the transaction under way will have changed.
    private var staged: [SubscriptionSet] = []

    init(_ file: RealmFile, options: HistoryOptions) throws {
        self.file = file
        self.options = options
        sets = []
        let snapshot = try file.snapshot()
        try snapshot.eachSyncRecord(from: HistoryKey.subscriptions(0), to: HistoryKey.subscriptions(.max)) {
            key, value in
            sets.append(try SubscriptionSet(version: Int64(HistoryKey.number(key)), decoding: value))
            return true
        }
        guard sets.isEmpty else { return }
        // (F-20)
        try perform { transaction in
            stage(SubscriptionSet(version: 0, snapshotVersion: Int64(transaction.nextVersion)))
        }
    }

    /// Those of a file that has had none, beginning with a set that is in force: written with the transaction under way.
    init(_ file: RealmFile, options: HistoryOptions, importing set: SubscriptionSet) {
        self.file = file
        self.options = options
        sets = []
        stage(set, .complete)
    }

    // MARK: Looking

    /// The set with the highest version.
    package var latest: SubscriptionSet { sets[sets.count - 1] }

    /// The set that is in force: the highest that the server has taken up, version 0 before there is one.
    package var active: SubscriptionSet {
        sets.last { $0.state == .complete || $0.state == .awaitingMark } ?? sets[0]
    }

    /// The sets that the server has still to take up.
    package var pending: [SubscriptionSet] {
        let active = active
        return sets.filter {
            $0.version > active.version && ($0.state == .pending || $0.state == .bootstrapping)
        }
    }

    /// The set with a version; nil if a later one has taken its place, or there never was one.
    package subscript(version: Int64) -> SubscriptionSet? { sets.first { $0.version == version } }

    /// The state of a set, of which `superseded` is what there is to say of one that isn't kept any more.
    package func state(of version: Int64) -> SubscriptionSet.State { self[version]?.state ?? .superseded }

    /// What a session must know of the sets.
    package var queries: SessionQueries {
        SessionQueries(active: active.query, pending: pending.map(\.pendingQuery))
    }

    // MARK: Editing

    /// Commits a new set, a copy of the latest one that `body` has changed; durable when this returns. The session is to
    /// be told of its `pendingQuery`.
    package func update(_ body: (inout SubscriptionEdit) throws -> Void) throws -> SubscriptionSet {
        let milliseconds = options.now()
        let now = Timestamp(
            seconds: Int64(milliseconds / 1_000) + 1_420_070_400,
            nanoseconds: Int32(milliseconds % 1_000) * 1_000_000)
        var edit = SubscriptionEdit(latest, now: now)
        try body(&edit)
        return try commit(edit)
    }

    /// Commits an edit of the latest set as a new set, durably.
    package func commit(_ edit: SubscriptionEdit) throws -> SubscriptionSet {
        try perform { transaction in
            stage(
                SubscriptionSet(
                    version: latest.version + 1, snapshotVersion: Int64(transaction.nextVersion),
                    subscriptions: edit.subscriptions))
        }
        return latest
    }

    // MARK: What the server says

    /// Everything there was when the last MARK was sent has come: the set in force is complete.
    func caughtUp() throws {
        let active = active
        guard active.state == .awaitingMark else { return }
        try perform { _ in stage(active, .complete) }
    }

    /// The server has refused a set (F-8).
    func failed(_ version: Int64, _ message: String) throws {
        guard var set = self[version], set.state != .complete else { return }
        set.error = message
        try perform { _ in stage(set, .error) }
    }

    // MARK: Bootstraps

    /// The first part of a bootstrap is being stored.
    func bootstrapBegins(_ version: Int64) {
        if let set = self[version], set.state == .pending { stage(set, .bootstrapping) }
    }

    /// The parts of a bootstrap are being thrown away.
    func bootstrapIsDiscarded(_ version: Int64) {
        if let set = self[version], set.state == .bootstrapping { stage(set, .pending) }
    }

    /// A bootstrap is being applied: its set takes the place of all before it.
    func bootstrapIsApplied(_ version: Int64) {
        guard let set = self[version] else { return }
        if set.state == .pending || set.state == .bootstrapping { stage(set, .awaitingMark) }
        for earlier in sets where earlier.version < version { stage(earlier, .superseded) }
    }

    // MARK: Client reset

    /// The realm is being given the server's state for the set in force: that is complete. Those above it stay, to be
    /// sent afterwards, unless unsynced changes are discarded.
    func resetIsPerformed(keepingPending: Bool) {
        let active = active
        if active.state != .complete { stage(active, .complete) }
        for set in sets where set.version > active.version {
            if !keepingPending {
                stage(set, .superseded)
            } else if set.state == .bootstrapping {
                stage(set, .pending)
            }
        }
    }

    /// The realm is synced by partition from now on.
    func dropAll() {
        for set in sets { stage(set, .superseded) }
    }

    /// Makes the latest set ask for the same as another file's, if it doesn't.
    func follow(_ wanted: SubscriptionSet) throws {
        guard latest.state == .error || !SubscriptionSet.areSame(latest.query.text, wanted.query.text) else { return }
        _ = try update {
            $0.removeAll()
            $0.append(wanted.subscriptions)
        }
    }

    // MARK: Staging

    private func stage(_ set: SubscriptionSet, _ state: SubscriptionSet.State) {
        var set = set
        set.state = state
        stage(set)
    }

    private func stage(_ set: SubscriptionSet) { staged.append(set) }

    /// Writes what was staged; `didCommit` or `didRollBack` follows.
    func write(to transaction: WriteTransaction) throws {
        for set in staged {
            let key = HistoryKey.subscriptions(UInt64(set.version))
            if set.state == .superseded {
                try transaction.removeSync(key)
            } else {
                try transaction.putSync(key, set.encoded)
            }
        }
    }

    func didCommit() {
        let changed = staged
        staged = []
        for set in changed {
            sets.removeAll { $0.version == set.version }
            if set.state != .superseded { sets.append(set) }
        }
        sets.sort { $0.version < $1.version }
        for set in changed { observer?(set) }
    }

    func didRollBack() { staged = [] }

    private func perform(_ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try file.beginWrite()
        do {
            try body(transaction)
            try write(to: transaction)
            try file.makeDurable(through: try transaction.commit(uid: nil))
        } catch {
            transaction.rollback()
            didRollBack()
            throw error
        }
        didCommit()
    }
}

extension SubscriptionSet {
    /// What a session must know of a set that the server has still to take up.
    package var pendingQuery: PendingQuery { PendingQuery(query, snapshotVersion: snapshotVersion) }
}
