import EventLoop
import Foundation
import Model
import Store
import Wire

/// The agent's own realm, with the users of all apps and their tokens, and the realms that it syncs. Nobody else may read
/// it.
///
/// It is read once, when it is opened; what changes is written by a thread of its own and durable when that is told.
final class UserFile: Sendable {
    private let file: RealmFile
    private let worker = WorkerThread("reeve-users")

    /// Opens the file, or makes it. Throws `locked` if another agent has it.
    init(path: String) throws {
        file = try RealmFile(path: path)
        do {
            // The mode that creation gives depends on the umask of whoever started the agent.
            guard chmod(path, 0o600) == 0 else {
                let code = errno
                throw WireError(
                    WireError.Code(systemCode: code), "the mode of \(path) can't be changed",
                    facts: ["path": .string(path), "errno": .int32(code)])
            }
            try write { transaction in
                try transaction.ensureSchema(
                    RealmSchema(UserRecord.schema.classes + [RealmRecord.schema, FileAction.schema]), schemaVersion: 0,
                    mode: .additive
                ).isChanged
            }
        } catch {
            try? file.close()
            throw error
        }
    }

    /// All users, in the order in which they were used last.
    func load() throws -> [UserRecord] {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: UserRecord.className) else { return [] }
        return (0..<table.count).compactMap { UserRecord(table, table.key(at: $0)) }.sorted { $0.order < $1.order }
    }

    /// The realms that are to be synced.
    func loadRealms() throws -> [RealmRecord] {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: RealmRecord.className) else { return [] }
        return (0..<table.count).compactMap { RealmRecord(table, table.key(at: $0)) }
    }

    /// What is to be done with files of realms that can't be synced any more.
    func loadFileActions() throws -> [FileAction] {
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: FileAction.className) else { return [] }
        return (0..<table.count).compactMap { FileAction(table, table.key(at: $0)) }
    }

    /// Keeps a record. `completion` is called when that is durable.
    func put(_ record: some KeptRecord, completion: @escaping @LoopActor (WireError?) -> Void) {
        perform(record, completion) { _ in record.changes }
    }

    /// Forgets a record.
    func delete(_ record: some KeptRecord, completion: @escaping @LoopActor (WireError?) -> Void) {
        perform(record, completion) { isThere in isThere ? record.deletion : nil }
    }

    /// Ends the thread after what it has to do, and calls back when the file is closed.
    func close(_ completion: @escaping @LoopActor () -> Void) {
        worker.perform { [file] in
            do { try file.close() } catch { AgentLog.write("\(file.path) could not be closed in order: \(error)") }
            EventLoop.shared.post { completion() }
        }
        worker.finish()
    }

    /// Applies what `changes` says, which learns whether the record is there.
    private func perform<Record: KeptRecord>(
        _ record: Record, _ completion: @escaping @LoopActor (WireError?) -> Void,
        _ changes: @escaping @Sendable (Bool) -> [UInt8]?
    ) {
        worker.perform { [self] in
            var failure: WireError?
            do {
                try write { transaction in
                    let table = try transaction.reader().table(named: Record.className)
                    guard let bytes = changes(table?.find(record.key) != nil) else { return false }
                    try bytes.withUnsafeBytes { try transaction.apply($0) }
                    return true
                }
            } catch {
                failure = WireError(reporting: error, path: file.path)
                AgentLog.write("\(record) could not be kept: \(error)")
            }
            EventLoop.shared.post { [failure] in completion(failure) }
        }
    }

    /// Commits what `body` does, if it does something, and makes it durable.
    private func write(_ body: (WriteTransaction) throws -> Bool) throws {
        let transaction = try file.beginWrite()
        let version: UInt64
        do {
            guard try body(transaction) else { return transaction.rollback() }
            version = try transaction.commit(uid: nil)
        } catch {
            transaction.rollback()
            throw error
        }
        try file.makeDurable(through: version)
        if file.isCheckpointDue { try file.checkpoint() }
    }
}
