import CLMDB
import Model

/// A version of a realm, unchanging while it is held.
///
/// May be used by several threads. Tables, clusters and lists that come from it are valid only while it lives.
package final class Snapshot: @unchecked Sendable {
    package let version: UInt64
    package let schema: StoredSchema
    let transaction: ReadTransaction
    private let tables = Lock([TableId: Table]())
    private let faults = Lock([String]())

    /// Begins a read transaction of its own.
    /// `presenting`: a schema to read by instead of the file's, such as one that a migration has put beside it. Its
    /// classes and properties have the file's numbers; what the file doesn't have shows as empty.
    package convenience init(_ environment: Environment, presenting: StoredSchema? = nil) throws {
        try self.init(
            transaction: environment.beginRead(), of: environment, ownsTransaction: true, presenting: presenting)
    }

    /// Reads in a transaction that is already open. If it isn't to be owned it must outlive the snapshot, and what was
    /// read is valid until its next write.
    package init(
        transaction pointer: OpaquePointer, of environment: Environment, ownsTransaction: Bool,
        presenting: StoredSchema? = nil
    ) throws {
        transaction = ReadTransaction(pointer: pointer, environment: environment, ownsTransaction: ownsTransaction)
        let meta = environment.databases.meta
        version = transaction.get(meta, .meta(MetaKey.version)).flatMap { $0.loadNumber() } ?? 0
        guard version < FileFormat.numberLimit else {
            throw StoreError(.corrupt, "the realm's version can't be \(version)", path: environment.path)
        }
        if let presenting {
            schema = presenting
            return
        }
        guard let bytes = transaction.get(meta, .meta(MetaKey.schema)) else {
            schema = .empty
            return
        }
        let stamp = StoredSchema.stamp(of: bytes)
        if let cached = environment.cache.withLock({ $0.schema }), cached.stamp == stamp {
            schema = cached
        } else {
            let decoded = try StoredSchema(decoding: bytes)
            schema = decoded
            if ownsTransaction { environment.cache.withLock { $0.schema = decoded } }
        }
    }

    /// The table with a number of this snapshot's schema.
    package func table(_ id: TableId) -> Table {
        tables.withLock { tables in
            if let table = tables[id] { return table }
            guard let stored = schema[id] else { preconditionFailure("no table \(id.raw) at version \(version)") }
            let table = Table(stored: stored, snapshot: self, transaction: transaction)
            tables[id] = table
            return table
        }
    }

    package func table(named name: String) -> Table? {
        schema.table(named: name).map { table($0.id) }
    }

    /// What changed after a version, up to this one; nil when the file doesn't remember that far back.
    package func changes(after earlier: UInt64) -> ChangeSummary? {
        guard earlier <= version, version - earlier <= FileFormat.changeHistoryLimit else { return nil }
        var merged = ChangeSummary()
        for number in earlier..<version {
            guard let bytes = transaction.get(transaction.environment.databases.changes, .changes(number + 1)),
                let summary = try? ChangeRecord.summary(of: bytes)
            else { return nil }
            if number == earlier { merged = summary } else { merged.merge(summary) }
        }
        return merged
    }

    /// The version that the transaction with this uid made, if it is one after `earlier` and not after this one, and the
    /// file remembers it.
    package func version(of uid: TransactionUID, after earlier: UInt64) -> UInt64? {
        let changes = transaction.environment.databases.changes
        var number = version
        while number > earlier, let bytes = transaction.get(changes, .changes(number)) {
            if ChangeRecord.uid(of: bytes) == uid { return number }
            number -= 1
        }
        return nil
    }

    /// What could not be read so far. Such values show as null, empty or zero.
    package var damage: [String] {
        faults.withLock { $0 }
    }

    /// Throws `corrupt` when part of the file has gone since it was opened, so that what was read isn't to be trusted:
    /// it shows as null, empty or zero. To be asked after reading without a query. Costs a system call.
    package func checkIntact() throws {
        try transaction.environment.checkIntact()
    }

    /// What `body` reads, unless part of the file has gone.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try checkIntact()
        do {
            let result = try body()
            try checkIntact()
            return result
        } catch {
            // What is gone may look like anything else.
            try checkIntact()
            throw error
        }
    }

    /// Damage beyond this many places isn't listed.
    private static let faultLimit = 100

    func note(fault: String) {
        faults.withLock { if $0.count < Snapshot.faultLimit { $0.append(fault) } }
    }

    /// The cluster directory of a table: a former snapshot's as far as it still holds.
    func directory(of table: Table) -> ClusterDirectory {
        let id = table.stored.id
        let environment = transaction.environment
        let earlier = environment.cache.withLock { $0.directories[id] }
        var reusable: ClusterDirectory?
        var validBelow: Int64 = 0
        // One made for a later version than this says nothing about it.
        if let earlier, earlier.version <= version {
            guard let changed = table.record.firstChangedBase(since: earlier.version) else { return earlier }
            reusable = earlier
            validBelow = changed
        }
        do {
            let directory = try ClusterDirectory.build(
                id, transaction, version: version, reusing: reusable, validBelow: validBelow)
            if transaction.ownsTransaction {
                environment.cache.withLock { cache in
                    if (cache.directories[id]?.version ?? 0) <= version { cache.directories[id] = directory }
                }
            }
            return directory
        } catch {
            note(fault: "\(error)")
            return ClusterDirectory(bases: [], firstIndexes: [0], version: version)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// A little-endian number of eight bytes.
    func loadNumber() -> UInt64? {
        count >= 8 ? UInt64(littleEndian: loadUnaligned(as: UInt64.self)) : nil
    }
}
