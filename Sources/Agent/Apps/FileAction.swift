import Model
import Store

/// What is to be done with the file of a realm that can't be synced any more, once nobody has it open (H-60). Kept until it
/// is done.
struct FileAction: KeptRecord {
    var path: String
    /// Where a copy is put before the file is deleted; nil: it is deleted without one.
    var backup: String?

    static let className = "FileAction"

    static let schema = ClassSchema(
        className, primaryKey: "_id",
        [PropertySchema("_id", .string), PropertySchema("backup", .string, nullable: true)])

    init(path: String, backup: String?) {
        self.path = path
        self.backup = backup
    }

    /// Reads the row of an object; nil if a property that must be there isn't.
    init?(_ table: Table, _ key: ObjectKey) {
        guard let path = table.stored.column(named: "_id"), case .string(let path) = table.value(key, path),
            let backup = table.stored.column(named: "backup")
        else { return nil }
        self.init(path: path, backup: nil)
        if case .string(let backup) = table.value(key, backup) { self.backup = backup }
    }

    var key: PrimaryKey { .string(path) }

    /// The instructions that put it into a file, whether it has it or not.
    var changes: [UInt8] {
        var writer = ChangesetWriter()
        writer.append(.createObject(className: Self.className, key: key))
        writer.append(
            .update(
                InstructionPath(Self.className, key, "backup"), .value(backup.map { .string($0) } ?? .null),
                isDefault: false))
        return writer.finished()
    }
}

extension FileAction: CustomStringConvertible {
    var description: String { "what is to be done with \(path)" }
}
