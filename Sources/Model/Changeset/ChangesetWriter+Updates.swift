import Foundation

/// Assignments to properties, the instructions that there are most of (C-80). One method a type, so that nothing is
/// boxed or switched over.
extension ChangesetWriter {
    /// Begins an Update of a property, up to its value's type.
    @inlinable
    @inline(__always)
    public mutating func beginUpdate(
        _ object: EncodedObject, _ property: UInt32, _ type: PayloadType, extra: Int
    ) -> UnsafeByteWriter {
        var writer = begin(.update, extra: extra)
        object.write(&writer)
        writer.unsigned(property)
        writer.byte(0)
        writer.type(type)
        return writer
    }

    @inlinable
    @inline(__always)
    public mutating func endUpdate(_ writer: UnsafeByteWriter, _ isDefault: Bool) {
        var writer = writer
        writer.byte(isDefault ? 1 : 0)
        end(writer)
    }

    @inlinable
    public mutating func updateNull(_ object: EncodedObject, _ property: UInt32, isDefault: Bool = false) {
        endUpdate(beginUpdate(object, property, .null, extra: 8), isDefault)
    }

    @inlinable
    public mutating func update(_ object: EncodedObject, _ property: UInt32, int: Int64, isDefault: Bool = false) {
        var writer = beginUpdate(object, property, .int, extra: 16)
        writer.signed(int)
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(_ object: EncodedObject, _ property: UInt32, bool: Bool, isDefault: Bool = false) {
        var writer = beginUpdate(object, property, .bool, extra: 8)
        writer.byte(bool ? 1 : 0)
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(_ object: EncodedObject, _ property: UInt32, float: Float, isDefault: Bool = false) {
        var writer = beginUpdate(object, property, .float, extra: 16)
        writer.position.storeBytes(of: float.bitPattern.littleEndian, as: UInt32.self)
        writer.position += 4
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(_ object: EncodedObject, _ property: UInt32, double: Double, isDefault: Bool = false) {
        var writer = beginUpdate(object, property, .double, extra: 16)
        writer.position.storeBytes(of: double.bitPattern.littleEndian, as: UInt64.self)
        writer.position += 8
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, timestamp: Timestamp, isDefault: Bool = false
    ) {
        var writer = beginUpdate(object, property, .timestamp, extra: 24)
        writer.signed(timestamp.seconds)
        writer.signed(Int64(timestamp.nanoseconds))
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, objectId: ObjectId, isDefault: Bool = false
    ) {
        var writer = beginUpdate(object, property, .objectId, extra: 16)
        objectId.store(to: writer.position)
        writer.position += 12
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(_ object: EncodedObject, _ property: UInt32, uuid: UUID, isDefault: Bool = false) {
        var writer = beginUpdate(object, property, .uuid, extra: 24)
        uuid.store(to: writer.position)
        writer.position += 16
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, string: String, isDefault: Bool = false
    ) {
        var string = string
        string.withUTF8 { update(object, property, utf8: UnsafeRawBufferPointer($0), isDefault: isDefault) }
    }

    /// A string given by its bytes.
    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, utf8: UnsafeRawBufferPointer, isDefault: Bool = false
    ) {
        var writer = beginUpdate(object, property, .string, extra: 16 + utf8.count)
        writer.unsigned(UInt64(utf8.count))
        writer.bytes(utf8)
        endUpdate(writer, isDefault)
    }

    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, link target: UInt32, _ key: RawKey, isDefault: Bool = false
    ) {
        var writer = beginUpdate(object, property, .link, extra: 40)
        writer.unsigned(target)
        writer.key(key)
        endUpdate(writer, isDefault)
    }

    /// Any value.
    @inlinable
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, payload: RawPayload, isDefault: Bool = false
    ) {
        var writer = begin(.update, extra: UnsafeByteWriter.payloadSize + payload.variableLength)
        object.write(&writer)
        writer.unsigned(property)
        writer.byte(0)
        writer.payload(payload)
        endUpdate(writer, isDefault)
    }

    /// Any value, at a longer path that ends in a name (C-47).
    public mutating func update(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep>, payload: RawPayload,
        isDefault: Bool = false
    ) {
        var writer = begin(.update, object, property, path, payload)
        writer.byte(isDefault ? 1 : 0)
        end(writer)
    }

    /// Assigns to a list element; the path ends in its index (C-94).
    public mutating func updateElement(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep>, payload: RawPayload,
        priorSize: UInt32
    ) {
        var writer = begin(.update, object, property, path, payload)
        writer.unsigned(priorSize)
        end(writer)
    }
}
