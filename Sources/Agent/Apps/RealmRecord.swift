import Model
import Store

/// What is kept of a synced realm: whose it is, and whether the next agent has to go on with it.
struct RealmRecord: KeptRecord {
    var path: String
    /// The user of the machine doesn't want it to be synced.
    var isPaused = false
    /// Nobody has it open, and everything is on the server.
    var isFinished = false
    /// Whose it is; empty if an agent wrote the record that didn't note that.
    var app = ""
    var user = ""

    static let className = "SyncedRealm"

    static let schema = ClassSchema(
        className, primaryKey: "_id",
        [
            PropertySchema("_id", .string), PropertySchema("paused", .bool), PropertySchema("finished", .bool),
            PropertySchema("app", .string), PropertySchema("user", .string)
        ])

    init(path: String) {
        self.path = path
    }

    /// Reads the row of an object; nil if a property that must be there isn't.
    init?(_ table: Table, _ key: ObjectKey) {
        func value(_ name: String) -> Value? {
            table.stored.column(named: name).map { table.value(key, $0) }
        }
        guard case .string(let path)? = value("_id"), case .bool(let isPaused)? = value("paused") else { return nil }
        self.init(path: path)
        self.isPaused = isPaused
        if case .bool(let isFinished)? = value("finished") { self.isFinished = isFinished }
        if case .string(let app)? = value("app") { self.app = app }
        if case .string(let user)? = value("user") { self.user = user }
    }

    var key: PrimaryKey { .string(path) }

    /// The instructions that put it into a file, whether it has it or not.
    var changes: [UInt8] {
        var writer = ChangesetWriter()
        writer.append(.createObject(className: Self.className, key: key))
        let values: [(String, Value)] = [
            ("paused", .bool(isPaused)), ("finished", .bool(isFinished)), ("app", .string(app)),
            ("user", .string(user))
        ]
        for (name, value) in values {
            writer.append(.update(InstructionPath(Self.className, key, name), .value(value), isDefault: false))
        }
        return writer.finished()
    }
}

extension RealmRecord: CustomStringConvertible {
    var description: String { path }
}
