import Model
import Store

/// One pass over the objects that a collection had at its start. Re-uses the accessor while the loop's body keeps no
/// reference to it.
@usableFromInline
final class ObjectIteration {
    private let core: RealmCore
    private let model: ManagedClass
    /// Keeps the rows readable, whatever the realm advances to meanwhile.
    private let snapshot: Snapshot
    private let table: Table
    /// nil: the rows of the table, in order.
    private let keys: [ObjectKey]?
    private let count: Int
    // The iteration is one loop's own: there is nobody whose access could conflict.
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var cluster: Cluster?
    @exclusivity(unchecked) private var clusterNumber = 0
    @exclusivity(unchecked) private var row = 0
    @exclusivity(unchecked) private var rowCount = 0
    @exclusivity(unchecked) private var chunks: UnsafeChunkSlots?
    /// The accessor handed out last.
    @exclusivity(unchecked) private var recent = UnsafeReusableAccessor()
    /// Generation for which `isDirect` was found out.
    @exclusivity(unchecked) private var generation: UInt64 = 0
    /// Whether rows may be read without asking for changes of the open transaction.
    @exclusivity(unchecked) private var isDirect = false
    private let isReusable: Bool
    private let hasCollections: Bool

    init(_ core: RealmCore, _ model: ManagedClass, _ source: KeySource) {
        self.core = core
        self.model = model
        snapshot = core.snapshot
        table = model.info.reader
        count = source.count
        if case .keys(let keys) = source { self.keys = keys } else { keys = nil }
        isReusable = model.persisted.isStateless
        hasCollections = !model.persisted.collections.isEmpty
    }

    @usableFromInline
    func next() -> ObjectBase? {
        if position >= count { return nil }
        core.check()
        let now = core.access.pointee.generation
        if now != generation { advanced(to: now) }
        let key: ObjectKey
        if let keys {
            key = keys[position]
            position += 1
            return isDirect ? located(key) : moved(to: key)
        }
        position += 1
        if row == rowCount, !nextCluster() { return nil }
        guard let cluster else { return nil }
        key = cluster.key(at: row)
        row += 1
        return isDirect ? moved(to: key, chunks, row - 1) : moved(to: key)
    }

    private func advanced(to generation: UInt64) {
        self.generation = generation
        isDirect =
            core.snapshot === snapshot && core.transaction?.recorder.overlay(model.info) == nil
    }

    private func nextCluster() -> Bool {
        repeat {
            guard clusterNumber < table.clusterCount else {
                position = count
                return false
            }
            let next = table.cluster(at: clusterNumber)
            clusterNumber += 1
            enter(next)
            row = 0
        } while rowCount == 0
        return true
    }

    private func enter(_ cluster: Cluster) {
        self.cluster = cluster
        rowCount = cluster.count
        chunks = cluster.chunks
    }

    /// The object of a key; neighbours tend to lie in one cluster.
    private func located(_ key: ObjectKey) -> ObjectBase {
        if let cluster, let row = cluster.row(of: key) { return moved(to: key, chunks, row) }
        guard let (cluster, row) = table.locate(key) else { return moved(to: key) }
        enter(cluster)
        return moved(to: key, chunks, row)
    }

    private func moved(
        to key: ObjectKey, _ chunks: UnsafeChunkSlots?, _ row: Int
    ) -> ObjectBase {
        guard let chunks else { return moved(to: key) }
        if isReusable, let object = recent.free {
            if hasCollections { object._resetCollections() }
            object._move(to: key, chunks, row, generation)
            return object
        }
        let made = ObjectBase.accessor(model, core, key, chunks, row)
        if isReusable { recent.keep(made) }
        return made
    }

    private func moved(to key: ObjectKey) -> ObjectBase {
        if isReusable, let object = recent.free {
            if hasCollections { object._resetCollections() }
            object._move(to: key)
            return object
        }
        let made = ObjectBase.accessor(model, key)
        if isReusable { recent.keep(made) }
        return made
    }
}
