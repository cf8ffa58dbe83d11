/// Names a sequence of elements in `lists`: a list, a set, or the values or keys of a dictionary, of a property or inside
/// a Mixed of it.
package struct CollectionAddress: Hashable, Sendable {
    package var table: TableId
    package var column: ColumnId
    package var object: ObjectKey
    /// The collection inside a Mixed of the property; nil for the property's own.
    package var nested: NestedId?
    /// The keys of a dictionary, which lie beside its values.
    package var isKeys = false

    package init(_ table: TableId, _ column: ColumnId, _ object: ObjectKey, nested: NestedId? = nil) {
        self.table = table
        self.column = column
        self.object = object
        self.nested = nested
    }

    /// Records from this number on hold a dictionary's keys.
    static let firstKeyRecord: UInt32 = 1 << 31

    /// Key of a record of the sequence; number 0 is its root.
    package func recordKey(_ number: UInt32) -> RecordKey {
        .lists(
            table, column, object, nested: nested, number: isKeys ? number | CollectionAddress.firstKeyRecord : number)
    }

    /// The keys that belong to these values.
    package var keys: CollectionAddress {
        var keys = self
        keys.isKeys = true
        return keys
    }
}

extension CollectionAddress {
    /// The address and the record's number in a record key of `lists`; nil if it can't be one.
    init?(_ recordKey: UnsafeRawBufferPointer, number: inout UInt32) {
        guard recordKey.count == 16 || recordKey.count == 24 else { return nil }
        table = TableId(UInt16(bigEndian: recordKey.loadUnaligned(as: UInt16.self)))
        column = ColumnId(UInt16(bigEndian: recordKey.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        let raw = UInt64(bigEndian: recordKey.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        object = ObjectKey(Int64(bitPattern: raw))
        if recordKey.count == 24 {
            nested = NestedId(UInt64(bigEndian: recordKey.loadUnaligned(fromByteOffset: 12, as: UInt64.self)))
        }
        let stored = UInt32(
            bigEndian: recordKey.loadUnaligned(fromByteOffset: recordKey.count - 4, as: UInt32.self))
        isKeys = stored & CollectionAddress.firstKeyRecord != 0
        number = stored & ~CollectionAddress.firstKeyRecord
    }
}
