import Model
import Store
import Wire

/// Writes objects as documents: `$key` first, then the properties by name.
struct ObjectWriter {
    let table: Table
    private let columns: [StoredColumn]
    /// How many embedded objects the ones written are inside of, themselves included.
    private let depth: Int

    /// With the properties named, or all of the class. Throws `unknownProperty`.
    init(_ table: Table, properties: [String]?) throws(WireError) {
        self.table = table
        depth = 0
        guard let properties else {
            columns = table.stored.columns
            return
        }
        var columns: [StoredColumn] = []
        for name in properties {
            guard let column = table.stored.column(named: name) else {
                throw WireError(
                    .unknownProperty, "class \(table.stored.name) has no property \(name)",
                    facts: ["class": .string(table.stored.name), "property": .string(name)])
            }
            columns.append(column)
        }
        self.columns = columns
    }

    private init(part table: Table, depth: Int) {
        self.table = table
        self.depth = depth
        columns = table.stored.columns
    }

    /// The object as next element of an array, or under a key. Nothing if it doesn't exist.
    func write(_ key: ObjectKey, as name: BSONKey, to writer: BSONWriter) {
        guard let (cluster, row) = table.locate(key) else { return }
        writer.document(name) { writer in
            writer.int64("$key", key.raw)
            write(cluster, row, to: writer)
        }
    }

    private func write(_ cluster: Cluster, _ row: Int, to writer: BSONWriter) {
        for column in columns {
            let name = BSONKey.text(column.property.name)
            let parts = table.targetTable(column).flatMap { $0.stored.kind == .embedded ? $0 : nil }
            switch column.property.collection {
            case .single:
                if column.property.type == .mixed {
                    write(table.mixed(cluster, row, column), depth, as: name, to: writer)
                } else if let parts {
                    writePart(table.linkKey(cluster, row, column), of: parts, as: name, to: writer)
                } else {
                    table.value(cluster, row, column).write(name, to: writer)
                }
            case .dictionary:
                let dictionary = table.dictionary(cluster.key(at: row), column)
                let keys = (0..<dictionary.count).map { dictionary.key(at: $0) }
                writer.dictionary(name, keys: keys) { index, name, writer in
                    writeElement(dictionary.values, index, parts, as: name, to: writer)
                }
            case .list, .set:
                let list = table.list(cluster.key(at: row), column)
                writer.array(name) { writer in
                    for index in 0..<list.count { writeElement(list, index, parts, as: .next, to: writer) }
                }
            }
        }
    }

    private func writeElement(_ list: ListView, _ index: Int, _ parts: Table?, as name: BSONKey, to writer: BSONWriter)
    {
        if list.isMixed {
            write(list.mixed(at: index), depth, as: name, to: writer)
        } else if let parts {
            writePart(list.linkKey(at: index), of: parts, as: name, to: writer)
        } else {
            list.value(at: index).write(name, to: writer)
        }
    }

    private func write(_ content: MixedContent, _ depth: Int, as name: BSONKey, to writer: BSONWriter) {
        guard depth <= FileFormat.deepestNesting else { return writer.null(name) }
        switch content {
        case .value(let value): value.write(name, to: writer)
        case .object(let id, let key):
            let other = table.snapshot.table(id)
            guard let primaryKey = other.primaryKey(of: key) else { return writer.null(name) }
            Link(className: other.stored.name, key: primaryKey).write(name, to: writer)
        case .list(let list):
            writer.array(name) { writer in
                for index in 0..<list.count { write(list.mixed(at: index), depth + 1, as: .next, to: writer) }
            }
        case .dictionary(let dictionary):
            let keys = (0..<dictionary.count).map { dictionary.key(at: $0) }
            writer.dictionary(name, keys: keys) { index, name, writer in
                write(dictionary.values.mixed(at: index), depth + 1, as: name, to: writer)
            }
        }
    }

    /// An embedded object as a document of its properties.
    private func writePart(_ key: ObjectKey?, of table: Table, as name: BSONKey, to writer: BSONWriter) {
        guard depth < FileFormat.deepestNesting, let (cluster, row) = key.flatMap({ table.locate($0) }) else {
            return writer.null(name)
        }
        writer.document(name) { ObjectWriter(part: table, depth: depth + 1).write(cluster, row, to: $0) }
    }

    /// What is told of an object that is gone.
    func writeIdentity(_ key: ObjectKey, as name: BSONKey, to writer: BSONWriter) {
        writer.document(name) { writer in
            writer.int64("$key", key.raw)
            guard let primaryKey = table.stored.primaryKey, let (cluster, row) = table.locate(key) else { return }
            table.value(cluster, row, primaryKey).write(.text(primaryKey.property.name), to: writer)
        }
    }
}
