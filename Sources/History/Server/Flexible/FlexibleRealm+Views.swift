import Model
import Store
import Sync

/// The records of client files.
extension FlexibleRealm {
    /// What is kept of a client file's view; nil if nothing is.
    func storedView(_ file: Int64) throws -> ViewRecord? {
        try base.snapshot().syncRecord(HistoryKey.view(UInt64(file))).map { try ViewRecord($0) }
    }

    /// Makes whole what a killed server has left half done.
    func load(_ view: FlexibleView) throws {
        let file = UInt64(view.file)
        let snapshot = try base.snapshot()
        let behind = HistoryKey.outgoing(file, view.record.last + 1)
        if try snapshot.lastSyncRecord(from: behind, below: HistoryKey.outgoing(file, .max)) != nil {
            // Parts of a bootstrap that never came to an end.
            try base.change(to: base.state, isDurable: false) { transaction in
                try transaction.removeSync(from: behind, to: HistoryKey.outgoing(file, .max))
            }
        }
        try applyMembers(of: view)
    }

    /// Notes that the view of a file goes by another number, or that another role made it.
    func adopt(_ view: FlexibleView, _ state: ViewRecord.State, queryVersion: Int64) throws {
        var record = view.record
        record.states.removeAll { $0.since == state.since }
        record.states.append(
            ViewRecord.State(
                since: state.since, queryVersion: queryVersion, text: state.text, permissions: state.permissions))
        try base.change(to: base.state) { transaction in
            try transaction.putSync(HistoryKey.view(UInt64(view.file)), record.encoded)
        }
        view.record = record
    }

    /// Brings the history of a file up to date, and with it those of others that have news, as far as one transaction can
    /// take them: they share its way to the disk.
    func catchUpTracked(with view: FlexibleView) throws {
        guard view.record.generated < base.state.version else { return }
        let others = views.values.filter { $0 !== view && $0.isTracked && !$0.relevant.isEmpty }
        try catchUp([view] + others.prefix(FlexibleRealm.sharedCatchUps))
        if !view.isTracked { try track(view) }
    }

    private static let sharedCatchUps = 256
}
