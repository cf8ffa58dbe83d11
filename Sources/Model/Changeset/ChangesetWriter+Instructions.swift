/// All other instructions (C-50). Paths are what follows the property: `CollectionOfOne(.index(i))` for an element
/// of a list property, `EmptyCollection()` for the property itself.
extension ChangesetWriter {
    /// Begins an instruction with a path, up to its end.
    mutating func begin(
        _ opcode: Opcode, _ object: EncodedObject, _ property: UInt32, _ path: some Collection<RawStep>, extra: Int = 0
    ) -> UnsafeByteWriter {
        var writer = begin(opcode, extra: 32 + path.count * 11 + extra)
        object.write(&writer)
        writer.unsigned(property)
        writer.unsigned(UInt64(path.count))
        for step in path { writer.step(step) }
        return writer
    }

    /// Begins an instruction with a path and a value, up to the end of the value.
    mutating func begin(
        _ opcode: Opcode, _ object: EncodedObject, _ property: UInt32, _ path: some Collection<RawStep>,
        _ payload: RawPayload
    ) -> UnsafeByteWriter {
        var writer = begin(
            opcode, object, property, path, extra: UnsafeByteWriter.payloadSize + payload.variableLength)
        writer.payload(payload)
        return writer
    }

    // MARK: Objects

    @inlinable
    public mutating func createObject(_ object: EncodedObject) {
        var writer = begin(.createObject, extra: 0)
        object.write(&writer)
        end(writer)
    }

    @inlinable
    public mutating func eraseObject(_ object: EncodedObject) {
        var writer = begin(.eraseObject, extra: 0)
        object.write(&writer)
        end(writer)
    }

    // MARK: Numbers and collections

    public mutating func addInteger(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep> = EmptyCollection(), _ amount: Int64
    ) {
        var writer = begin(.addInteger, object, property, path)
        writer.signed(amount)
        end(writer)
    }

    /// Inserts into a list; the path ends in the new element's index.
    public mutating func arrayInsert(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep>, payload: RawPayload,
        priorSize: UInt32
    ) {
        var writer = begin(.arrayInsert, object, property, path, payload)
        writer.unsigned(priorSize)
        end(writer)
    }

    /// Moves the element that the path ends in, so that it comes to stand at `to`.
    public mutating func arrayMove(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep>, to: UInt32, priorSize: UInt32
    ) {
        var writer = begin(.arrayMove, object, property, path)
        writer.unsigned(to)
        writer.unsigned(priorSize)
        end(writer)
    }

    public mutating func arrayErase(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep>, priorSize: UInt32
    ) {
        var writer = begin(.arrayErase, object, property, path)
        writer.unsigned(priorSize)
        end(writer)
    }

    public mutating func clear(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep> = EmptyCollection(),
        _ kind: CollectionKind
    ) {
        var writer = begin(.clear, object, property, path)
        writer.byte(kind.rawValue)
        end(writer)
    }

    public mutating func setInsert(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep> = EmptyCollection(),
        payload: RawPayload
    ) {
        end(begin(.setInsert, object, property, path, payload))
    }

    public mutating func setErase(
        _ object: EncodedObject, _ property: UInt32, path: some Collection<RawStep> = EmptyCollection(),
        payload: RawPayload
    ) {
        end(begin(.setErase, object, property, path, payload))
    }

    // MARK: Schema

    /// `key` is nil for embedded classes only.
    public mutating func addTable(_ target: UInt32, _ kind: ClassKind, _ key: RawKeyColumn?) {
        precondition((key == nil) == (kind == .embedded), "every class has a key column, but embedded ones (C-50)")
        var writer = begin(.addTable, extra: 0)
        writer.unsigned(target)
        writer.byte(kind.rawValue)
        if let key {
            writer.unsigned(key.name)
            writer.type(key.type.flatMap { PayloadType(rawValue: $0.rawValue) } ?? .globalKey)
            writer.byte(key.isNullable ? 1 : 0)
        }
        end(writer)
    }

    public mutating func eraseTable(_ target: UInt32) {
        var writer = begin(.eraseTable, extra: 0)
        writer.unsigned(target)
        end(writer)
    }

    public mutating func addColumn(_ target: UInt32, _ property: UInt32, _ column: RawColumn) {
        precondition(
            (column.target != nil) == (column.type == .link)
                && (column.keyType != nil) == (column.collection == .dictionary),
            "links have a target, dictionaries a key type (C-50)")
        if layout == .writingClient, column.target == nil { _ = intern("") }
        var writer = begin(.addColumn, extra: 0)
        writer.unsigned(target)
        writer.unsigned(property)
        writer.type(column.type)
        writer.byte(column.isNullable ? 1 : 0)
        writer.byte(column.collection.rawValue)
        if let target = column.target { writer.unsigned(target) }
        if let keyType = column.keyType { writer.type(keyType) }
        end(writer)
    }

    public mutating func eraseColumn(_ target: UInt32, _ property: UInt32) {
        var writer = begin(.eraseColumn, extra: 0)
        writer.unsigned(target)
        writer.unsigned(property)
        end(writer)
    }
}
