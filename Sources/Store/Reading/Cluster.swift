import Model

/// Some neighbouring rows of a table, at most 1,000, with their columns in mapped memory.
///
/// Lives as long as its snapshot.
public final class Cluster: @unchecked Sendable {
    package unowned let table: Table
    /// Lower bound of the keys; part of the record keys of its columns.
    public let base: Int64
    public let count: Int
    /// The object keys.
    public let keys: UnsafeChunk
    /// Start of each column's chunk by slot; nil until `load` of that slot, and for collections. The memory is valid
    /// while the snapshot lives. Two more slots hold the hidden columns of global keys.
    public let chunks: UnsafeChunkSlots
    private let knownFirstIndex: Int?

    init(table: Table, base: Int64, keys: UnsafeChunk, firstIndex: Int?) {
        self.table = table
        self.base = base
        self.keys = keys
        count = keys.count
        knownFirstIndex = firstIndex
        chunks = UnsafeChunkSlots(count: table.stored.columns.count + 2)
    }

    deinit {
        chunks.deallocate()
    }

    /// Position of the first row in the table.
    public var firstIndex: Int {
        knownFirstIndex ?? table.firstIndex(ofBase: base)
    }

    @inlinable
    public func key(at row: Int) -> ObjectKey {
        keys.key(row, base: base)
    }

    @inlinable
    public func row(of key: ObjectKey) -> Int? {
        keys.row(of: key, base: base)
    }

    /// The chunk of a column, looked up on the first call. Nil for collections. A cluster that has no record of the
    /// column shows its default.
    public func load(_ slot: Int) -> UnsafeRawPointer? {
        chunks[slot] ?? table.loadChunk(self, slot)
    }

    /// The chunk of a column; nil for collections.
    public func chunk(_ slot: Int) -> UnsafeChunk? {
        load(slot).map { UnsafeChunk($0) }
    }
}
