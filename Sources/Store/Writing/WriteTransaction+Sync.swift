import Model

extension WriteTransaction {
    /// Puts a record of what replication must remember beside the data, durable and undone with the transaction. Keys
    /// have at most 511 bytes.
    package func putSync(_ key: [UInt8], _ value: [UInt8]) throws {
        try sync(.put(key: key, value: value))
    }

    /// Puts a record that consists of `head` and the changeset of this part of the transaction: all that was applied
    /// since it began or was sealed. It is put by the next `seal`; `keepsChangeset` must have been set before the first
    /// `apply`.
    package func putSyncChangeset(_ key: [UInt8], head: [UInt8]) throws {
        try sync(.putChangeset(key: key, head: head))
    }

    /// Removes a record, if it is there.
    package func removeSync(_ key: [UInt8]) throws {
        try sync(.remove(key: key))
    }

    /// Removes all records whose keys are not less than one and less than another.
    package func removeSync(from: [UInt8], to: [UInt8]) throws {
        try sync(.removeRange(from: from, to: to))
    }

    /// A record as this transaction sees it.
    package func syncRecord(_ key: [UInt8]) throws -> [UInt8]? {
        try running {
            guard let database = environment.databases.sync else { return nil }
            return store.get(database, RecordKey(key)).map { Array($0) }
        }
    }

    /// Does again what a record of the journal says.
    func replay(_ record: JournalRecord) throws {
        try record.bytes.withUnsafeBytes { try apply($0) }
        try running {
            guard let operations = record.sync.withUnsafeBytes(SyncOperation.decode) else {
                throw StoreError(.corrupt, "the journal's changes for sync can't be read", path: file.path)
            }
            for operation in operations { try carryOut(operation, changeset: record.bytes) }
        }
    }

    private func sync(_ operation: SyncOperation) throws {
        try running {
            syncOperations.append(operation)
            if case .putChangeset = operation { return }
            try carryOut(operation, changeset: [])
        }
    }

    /// Changes the database as an operation says.
    func carryOut(_ operation: SyncOperation, changeset: [UInt8]) throws {
        guard let database = environment.databases.sync else {
            throw StoreError(
                .unsupportedChange, "the file has an older format; compact it before it is synced", path: file.path)
        }
        switch operation {
        case .put(let key, let value): try store.put(database, RecordKey(key), value)
        case .putChangeset(let key, let head): try store.put(database, RecordKey(key), head + changeset)
        case .remove(let key): try store.delete(database, RecordKey(key))
        case .removeRange(let from, let to):
            let cursor = try store.cursor(database)
            let end = RecordKey(to)
            while try from.isEmpty ? cursor.first() : cursor.seek(RecordKey(from)), cursor.key.order(end) == .less {
                try cursor.delete()
            }
        }
    }
}

extension RecordKey {
    init(_ bytes: [UInt8]) {
        self.init()
        bytes.withUnsafeBytes { append($0) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func order(_ key: RecordKey) -> ValueOrder {
        key.withUnsafeBytes { order($0) }
    }
}
