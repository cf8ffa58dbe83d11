import Model

extension Table {
    /// The last primary key in the order of the `keys` database: no greater one exists, tombstones included. Numbers
    /// go by value, everything else by its bytes. nil without objects, or when it can't be told cheaply.
    ///
    /// New keys mostly are greater than all there are, and this tells so without looking each of them up.
    package var greatestPrimaryKey: PrimaryKey? {
        guard stored.primaryKey != nil, stored.id.raw < .max else { return nil }
        var behind = RecordKey()
        behind.append(stored.id.raw + 1)
        var own = RecordKey()
        own.append(stored.id.raw)
        let record = try? transaction.withCursor(transaction.environment.databases.keys) { cursor -> KeyRecord? in
            // Only records of plain keys have no more than the object's number and the flag.
            guard cursor.seek(before: behind), cursor.hasPrefix(own), cursor.value.count == 9 else { return nil }
            return KeyRecord(cursor.value)
        }
        guard let record = record ?? nil, !record.isTombstone else { return nil }
        return primaryKey(of: record.object)
    }
}
