import Foundation
import History
import Model
import Store
import Sync

/// Moves the objects of an app from its partitions into one realm, or back (F-93), while nobody else touches them.
///
/// The app is what it was until its record says otherwise: whoever runs this writes that down afterwards. Killed half-way it
/// has changed nothing that counts, and run again it begins anew.
///
/// - To flexible sync: the one realm is made anew from the partitions, which stay as they are.
/// - To partitions: each partition's realm is changed to what its objects are now; clients that have been away all the time
///   go on with it.
struct AppMigration: Sendable {
    enum Direction: String, Sendable { case flexible, partition }

    let appId: String
    let direction: Direction
    let key: PartitionKey
    let dataDirectory: String
    let file: RealmFileOptions
    let history: HistoryOptions
    /// Objects that have been written so far, for whoever asks meanwhile.
    let progress: Lock<Int>

    struct Outcome: Hashable, Sendable {
        var partitions: Int
        var objects: Int
        /// Objects that named another partition than the one that they were in, which they name now.
        var corrected = 0
    }

    /// Does it all, durably; may take long.
    func run() -> Result<Outcome, MigrationFailure> {
        Result { () throws(MigrationFailure) in
            do {
                switch direction {
                case .flexible: return try unite()
                case .partition: return try divide()
                }
            } catch let failure as MigrationFailure {
                throw failure
            } catch {
                throw MigrationFailure("the objects can't be moved: \(error)")
            }
        }
    }

    private func path(_ address: RealmAddress) -> String { dataDirectory + "/" + address.path }

    private var flexibleAddress: RealmAddress { RealmAddress(appId: appId, partition: nil) }

    // MARK: To flexible sync

    private func unite() throws -> Outcome {
        try DataDirectory.make(flexibleAddress.folder, in: dataDirectory)
        let partitions = try partitions()
        for partition in partitions { try checkType(partition.value) }
        let union = try PartitionUnion(
            path: path(flexibleAddress), file: file, options: history, field: key.field)
        do {
            for partition in partitions {
                let realm = try ServerRealm(path: partition.path, file: file, options: history)
                try union.add(realm.snapshot(), partition.value) { objects in progress.withLock { $0 = objects } }
                try realm.close()
            }
            try union.finish()
        } catch {
            union.abandon()
            throw error
        }
        try DataDirectory.sync(dataDirectory + "/" + flexibleAddress.folder)
        return Outcome(partitions: partitions.count, objects: union.objects, corrected: union.corrected)
    }

    private func checkType(_ partition: PartitionValue) throws(MigrationFailure) {
        guard !key.accepts(partition) else { return }
        throw MigrationFailure(
            "partition \(partition.text) isn't a value of the partition key \(key.text): name the key with "
                + "--partition-key" + (partition == .null ? ", with ? behind its type" : ""))
    }

    // MARK: To partitions

    private func divide() throws -> Outcome {
        try DataDirectory.make(flexibleAddress.folder, in: dataDirectory)
        let flexible = try ServerRealm(path: path(flexibleAddress), file: file, options: history)
        defer { try? flexible.close() }
        let present = try partitions()
        let split = try PartitionSplit(flexible.snapshot(), field: key.field, known: present.map(\.value))
        var paths: [String: PartitionValue] = [:]
        for partition in present { paths[partition.path] = partition.value }
        for value in split.partitions {
            paths[path(RealmAddress(appId: appId, partition: value))] = value
        }
        var objects = 0
        for (path, value) in paths.sorted(by: { $0.key < $1.key }) {
            let realm = try ServerRealm(path: path, file: file, options: history)
            do {
                try RealmBox.note(value, in: realm, at: path)
                try split.write(value, into: realm)
                try realm.close()
            } catch {
                try? realm.close()
                throw error
            }
            objects += split.count(in: value)
            progress.withLock { $0 = objects }
        }
        try DataDirectory.sync(dataDirectory + "/" + flexibleAddress.folder)
        return Outcome(partitions: paths.count, objects: objects)
    }

    // MARK: Files

    private struct Partition {
        var path: String
        var value: PartitionValue
    }

    /// The app's partitions, in the order of their files' names.
    private func partitions() throws -> [Partition] {
        let folder = dataDirectory + "/" + flexibleAddress.folder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return try names.sorted().compactMap { name in
            let path = folder + "/" + name
            if let address = RealmAddress(appId: appId, fileName: name), let value = address.partition {
                return Partition(path: path, value: value)
            }
            guard RealmAddress.isDigest(name) else { return nil }
            let realm = try ServerRealm(path: path, file: file, options: history)
            let text = try realm.partitionText()
            try realm.close()
            guard let text, let value = PartitionValue(text: text) else {
                throw MigrationFailure(
                    "the partition of \(path) has a long name, which an earlier version didn't write down: have a "
                        + "client open it once, and migrate then")
            }
            return Partition(path: path, value: value)
        }
    }

    /// Removes the realm of flexible sync of an app that is synced by partition again.
    func removeFlexible() throws { try ServerRealm.delete(path(flexibleAddress)) }
}
