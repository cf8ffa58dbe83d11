import Merge
import Model
import Store
import Sync

/// Divides the objects of an app of flexible sync among partitions, by the value of a property (F-93).
///
/// The realm of a partition that is there is changed to what the objects are now, as if the server had written that: clients
/// that were away all the time go on with it.
package final class PartitionSplit {
    private let source: Snapshot
    private let field: PartitionField
    private var selections: [PartitionName: ObjectSelection] = [:]
    package private(set) var objects = 0

    /// Bytes of one entry of a partition's history, about.
    private static let entryBytes = 128 << 10

    /// Looks through the objects. Throws `MigrationFailure` if it can't be told of all of them where they belong.
    /// `known`: partitions that are there.
    package init(_ source: Snapshot, field: PartitionField, known: [PartitionValue]) throws {
        self.source = source
        self.field = field
        let known = Set(known.map { PartitionName($0) })
        var homeless: [String] = []
        var homelessCount = 0
        for stored in source.schema.tables where stored.kind != .embedded {
            let table = source.table(stored.id)
            guard stored.kind == .topLevel else {
                guard table.count == 0 else {
                    throw MigrationFailure(
                        "class '\(stored.name)' is asymmetric, and has \(table.count) objects: partitions can't hold them"
                    )
                }
                continue
            }
            let column = stored.column(named: field.property)
            for index in 0..<table.count {
                let key = table.key(at: index)
                let value = column.map { table.value(key, $0) } ?? .null
                guard let partition = field.partition(value).map({ PartitionName($0) }),
                    !field.isUnset(value) || partition.value == .null || known.contains(partition)
                else {
                    homelessCount += 1
                    if homeless.count < MigrationFailure.namedObjects, let primaryKey = table.primaryKey(of: key) {
                        homeless.append("\(stored.name) \(ObjectName(stored.name, primaryKey).text)")
                    }
                    continue
                }
                selections[partition, default: ObjectSelection()].insert(key, stored.name)
                objects += 1
            }
        }
        guard homelessCount == 0 else {
            throw MigrationFailure(
                "objects without a value in '\(field.property)' belong to no partition: "
                    + MigrationFailure.list(homeless, of: homelessCount)
                    + ". Give them one, or delete them, and migrate then")
        }
    }

    /// The partitions that have objects.
    package var partitions: [PartitionValue] {
        selections.keys.sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.value)
    }

    /// How many objects a partition has.
    package func count(in partition: PartitionValue) -> Int { selections[PartitionName(partition)]?.count ?? 0 }

    /// Makes the objects of a partition's realm what they are to be, durably. Doing so again changes nothing.
    package func write(_ partition: PartitionValue, into realm: ServerRealm) throws {
        var writer = ChangesetWriter(layout: .stringsFirst)
        func finish() throws {
            guard writer.count > 0 else { return }
            try append(writer.finished(), to: realm)
            writer.removeAll(keepingStrings: false)
        }
        // Partitions have no asymmetric classes.
        let left = Set(source.schema.tables.filter { $0.kind == .asymmetric }.map(\.name))
        do {
            var transfer = StateTransfer(from: source, to: try realm.snapshot()) { instruction in
                switch instruction {
                case .addTable(let name, _, _), .addColumn(let name, _, _): if left.contains(name) { return }
                default: break
                }
                if writer.count >= PartitionSplit.entryBytes { try finish() }
                try writer.check(instruction, place: 0)
                writer.append(instruction)
            }
            transfer.selection = selections[PartitionName(partition)] ?? ObjectSelection()
            try transfer.run()
            try finish()
        } catch let failure as ClientResetFailure {
            throw MigrationFailure("partition \(partition.text): \(failure.message)")
        }
        try realm.makeDurable()
    }

    /// An entry of the realm's history, of the server's own making.
    private func append(_ changeset: [UInt8], to realm: ServerRealm) throws {
        var next = realm.state
        next.version += 1
        next.versionSalt = realm.versionSalt
        next.totalBytes += UInt64(changeset.count)
        let record = EntryRecord(
            rank: Rank(originTimestamp: realm.options.now(), originFileIdent: ClientHistory.server), remoteVersion: 0,
            salt: realm.versionSalt, totalBytes: next.totalBytes)
        try realm.change(to: next, isDurable: false) { transaction in
            try changeset.withUnsafeBytes { try transaction.apply($0) }
            try transaction.putSyncChangeset(HistoryKey.entry(next.version), head: record.head)
        }
    }
}

/// A partition by its bytes: texts that Swift finds equal can be different partitions.
private struct PartitionName: Hashable {
    let value: PartitionValue
    let text: [UInt8]

    init(_ value: PartitionValue) {
        self.value = value
        text = Array(value.text.utf8)
    }

    static func == (a: Self, b: Self) -> Bool { a.text == b.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Some of a realm's objects.
struct ObjectSelection {
    private(set) var keys: [String: [ObjectKey]] = [:]
    private var members: [String: Set<ObjectKey>] = [:]
    private(set) var count = 0

    mutating func insert(_ key: ObjectKey, _ className: String) {
        guard members[className, default: []].insert(key).inserted else { return }
        keys[className, default: []].append(key)
        count += 1
    }

    func contains(_ key: ObjectKey, _ className: String) -> Bool { members[className]?.contains(key) ?? false }
}
