import Merge
import Model
import Store

/// A changeset that was written here and that the server isn't known to have.
struct UnsyncedChange {
    var version: UInt64
    var record: EntryRecord
    /// What it says after all that was downloaded since.
    var instructions: [Instruction]
}

extension ClientHistory {
    /// Calls `body` with the unsynced changes of a snapshot, in their order.
    func eachUnsyncedChange(_ snapshot: Snapshot, _ body: (UnsyncedChange) throws -> Void) throws {
        try snapshot.eachSyncRecord(
            from: HistoryKey.entry(UInt64(max(0, state.upload.client)) + 1), to: HistoryKey.entry(.max)
        ) { key, value in
            let version = HistoryKey.number(key)
            let record = try EntryRecord(value)
            guard !record.changeset.isEmpty else { return true }
            var instructions = try Changeset.decode(record.changeset)
            if let form = snapshot.syncRecord(HistoryKey.form(ClientHistory.server, version)) {
                instructions = try ReciprocalForm(version: version, decoding: form).applied(to: instructions)
            }
            try body(UnsyncedChange(version: version, record: record, instructions: instructions))
            return true
        }
    }
}

extension ReciprocalForm {
    /// The instructions as they are on top of everything received.
    func applied(to original: [Instruction]) -> [Instruction] {
        original.enumerated().flatMap { place, instruction in
            changes[place].map { $0.map(\.instruction) } ?? [instruction]
        }
    }
}
