import Foundation

/// Assignments to properties whose names and types were encoded before: for recording many objects of one class. The
/// type of the value must be the field's.
extension ChangesetWriter {
    @inlinable
    @inline(__always)
    public mutating func beginUpdate(
        _ object: EncodedObject, _ field: EncodedField, extra: Int
    ) -> UnsafeByteWriter {
        var writer = begin(.update, extra: extra)
        object.write(&writer)
        field.write(&writer)
        return writer
    }

    /// An int, or a bool as 0 or 1.
    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, int: Int64) {
        var writer = beginUpdate(object, field, extra: 16)
        writer.signed(int)
        endUpdate(writer, false)
    }

    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, float: Float) {
        var writer = beginUpdate(object, field, extra: 16)
        writer.position.storeBytes(of: float.bitPattern.littleEndian, as: UInt32.self)
        writer.position += 4
        endUpdate(writer, false)
    }

    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, double: Double) {
        var writer = beginUpdate(object, field, extra: 16)
        writer.position.storeBytes(of: double.bitPattern.littleEndian, as: UInt64.self)
        writer.position += 8
        endUpdate(writer, false)
    }

    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, timestamp: Timestamp) {
        var writer = beginUpdate(object, field, extra: 24)
        writer.signed(timestamp.seconds)
        writer.signed(Int64(timestamp.nanoseconds))
        endUpdate(writer, false)
    }

    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, objectId: ObjectId) {
        var writer = beginUpdate(object, field, extra: 16)
        objectId.store(to: writer.position)
        writer.position += 12
        endUpdate(writer, false)
    }

    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, uuid: UUID) {
        var writer = beginUpdate(object, field, extra: 24)
        uuid.store(to: writer.position)
        writer.position += 16
        endUpdate(writer, false)
    }

    /// A string or binary.
    @inlinable
    @inline(__always)
    public mutating func update(_ object: EncodedObject, _ field: EncodedField, bytes: UnsafeRawBufferPointer) {
        var writer = beginUpdate(object, field, extra: 16 + bytes.count)
        writer.unsigned(UInt64(bytes.count))
        writer.bytes(bytes)
        endUpdate(writer, false)
    }
}
