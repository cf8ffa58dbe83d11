import Model
import Store
import Wire

/// Writes objects as documents: `$key` first, then the properties by name.
struct ObjectWriter {
    let table: Table
    private let columns: [StoredColumn]

    /// With the properties named, or all of the class. Throws `unknownProperty`.
    init(_ table: Table, properties: [String]?) throws(WireError) {
        self.table = table
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

    /// The object as next element of an array, or under a key. Nothing if it doesn't exist.
    func write(_ key: ObjectKey, as name: BSONKey, to writer: BSONWriter) {
        guard let (cluster, row) = table.locate(key) else { return }
        writer.document(name) { writer in
            writer.int64("$key", key.raw)
            for column in columns {
                let name = BSONKey.text(column.property.name)
                switch column.property.collection {
                case .single: table.value(cluster, row, column).write(name, to: writer)
                case .dictionary:
                    let dictionary = table.dictionary(key, column)
                    let keys = (0..<dictionary.count).map { dictionary.key(at: $0) }
                    writer.dictionary(name, keys: keys) { index, name, writer in
                        dictionary.values.value(at: index).write(name, to: writer)
                    }
                case .list, .set:
                    let list = table.list(key, column)
                    writer.array(name) { writer in
                        for value in list.values { value.write(.next, to: writer) }
                    }
                }
            }
        }
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
