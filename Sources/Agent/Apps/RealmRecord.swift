import Model
import Store

/// What is kept of a synced realm that has something to send, or that somebody has open: the next agent goes on with it.
struct RealmRecord: KeptRecord {
    var path: String
    /// The user of the machine doesn't want it to be synced.
    var isPaused = false

    static let className = "SyncedRealm"

    static let schema = ClassSchema(
        className, primaryKey: "_id", [PropertySchema("_id", .string), PropertySchema("paused", .bool)])

    init(path: String, isPaused: Bool = false) {
        self.path = path
        self.isPaused = isPaused
    }

    /// Reads the row of an object; nil if a property that must be there isn't.
    init?(_ table: Table, _ key: ObjectKey) {
        guard let path = table.stored.column(named: "_id"), case .string(let path) = table.value(key, path),
            let paused = table.stored.column(named: "paused"), case .bool(let isPaused) = table.value(key, paused)
        else { return nil }
        self.init(path: path, isPaused: isPaused)
    }

    var key: PrimaryKey { .string(path) }

    /// The instructions that put it into a file, whether it has it or not.
    var changes: [UInt8] {
        var writer = ChangesetWriter()
        writer.append(.createObject(className: Self.className, key: key))
        writer.append(
            .update(InstructionPath(Self.className, key, "paused"), .value(.bool(isPaused)), isDefault: false))
        return writer.finished()
    }
}

extension RealmRecord: CustomStringConvertible {
    var description: String { path }
}
