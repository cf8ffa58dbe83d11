import Foundation

/// Reads instructions from memory, one at a time, without allocating. A stream that arrives in several pieces,
/// each of whole instructions, is read by one reader a piece with the same intern table:
///
///     var reader = ChangesetReader(bytes, strings: strings)
///     while let instruction = try reader.next() { … }
///
/// Accepts both layouts (C-30) and refuses everything that C-59 and C-60 name. After an error the reader and its
/// table are of no further use.
public struct ChangesetReader {
    /// What the interned indices mean; grows while reading.
    public let strings: InternTable
    private var cursor: UnsafeByteCursor
    /// `strings.count`, at hand.
    private var stringCount: UInt32
    private var instruction: UnsafeRawPointer

    /// Reads `bytes`, which must outlive the reader and what it yields. `base` is how many bytes of the stream
    /// came before, for the offsets of errors.
    public init(_ bytes: UnsafeRawBufferPointer, strings: InternTable = InternTable(), base: Int = 0) {
        self.strings = strings
        cursor = UnsafeByteCursor(bytes, base: base)
        stringCount = UInt32(strings.count)
        instruction = cursor.position
    }

    /// Bytes of the stream read so far.
    public var offset: Int { cursor.offset }

    /// Where in the stream the instruction last read begins.
    public var instructionOffset: Int { cursor.offset(of: instruction) }

    /// The next instruction, nil at the end.
    public mutating func next() throws(ChangesetError) -> RawInstruction? {
        while !cursor.isAtEnd {
            let from = cursor.position
            let number = try cursor.signed64()
            guard let byte = UInt8(exactly: number), let opcode = Opcode(rawValue: byte) else {
                throw cursor.failure(.unknownOpcode, "C-51", at: from, "unknown opcode \(number)")
            }
            instruction = from
            switch opcode {
            case .update:
                let path = try path()
                let payload = try payload()
                if path.rest.lastIndex != nil {
                    return .updateElement(path, payload, priorSize: try cursor.unsigned32())
                }
                return .update(path, payload, isDefault: try cursor.boolean())
            case .createObject: return .createObject(target: try internedIndex(), key: try key())
            case .eraseObject: return .eraseObject(target: try internedIndex(), key: try key())
            case .internString: try defineString()
            case .addTable: return try addTable()
            case .eraseTable: return .eraseTable(target: try internedIndex())
            case .addColumn: return try addColumn()
            case .eraseColumn: return .eraseColumn(target: try internedIndex(), property: try internedIndex())
            case .addInteger: return .addInteger(try path(), try cursor.signed64())
            case .arrayInsert:
                return .arrayInsert(try elementPath(), try payload(), priorSize: try cursor.unsigned32())
            case .arrayMove:
                return .arrayMove(
                    try elementPath(), to: try cursor.unsigned32(), priorSize: try cursor.unsigned32())
            case .arrayErase: return .arrayErase(try elementPath(), priorSize: try cursor.unsigned32())
            case .clear: return .clear(try path(), try collectionKind())
            case .setInsert: return .setInsert(try path(), try setElement())
            case .setErase: return .setErase(try path(), try setElement())
            }
        }
        return nil
    }
}

// MARK: - Interned strings

extension ChangesetReader {
    @inline(__always)
    private mutating func internedIndex() throws(ChangesetError) -> UInt32 {
        let from = cursor.position
        let index = try cursor.unsigned32()
        guard index < stringCount else {
            throw cursor.failure(.internedIndexUndefined, "C-29", at: from, "interned string \(index) is not defined")
        }
        return index
    }

    @inline(never)
    private mutating func defineString() throws(ChangesetError) {
        let from = cursor.position
        let index = try cursor.unsigned32()
        guard index == stringCount else {
            throw cursor.failure(
                .internedIndexOutOfOrder, "C-29", at: from, "string interned as \(index), \(stringCount) is next")
        }
        let bytes = try cursor.bytes(limit: ChangesetLimit.stringLength)
        let (known, isNew) = strings.intern(bytes)
        guard isNew else {
            throw cursor.failure(
                .internedStringRepeated, "C-29", at: from, "string \(index) was interned before as \(known)")
        }
        stringCount += 1
    }
}

// MARK: - Keys, paths, values

extension ChangesetReader {
    @inline(__always)
    private mutating func type(rule: String) throws(ChangesetError) -> PayloadType {
        let from = cursor.position
        let number = try cursor.signed64()
        guard let byte = Int8(exactly: number), let type = PayloadType(rawValue: byte) else {
            throw cursor.failure(.unknownPayloadType, rule, at: from, "unknown type \(number)")
        }
        return type
    }

    @inline(__always)
    private mutating func key() throws(ChangesetError) -> RawKey {
        let from = cursor.position
        switch try type(rule: "C-37") {
        case .null: return .null
        case .int: return .int(try cursor.signed64())
        case .string: return .string(try internedIndex())
        case .objectId: return .objectId(ObjectId(loading: try cursor.take(12)))
        case .uuid: return .uuid(UUID(loading: try cursor.take(16)))
        case .globalKey: return .global(high: try cursor.unsigned64(), low: try cursor.unsigned64())
        case let other:
            throw cursor.failure(.badPrimaryKeyType, "C-37", at: from, "\(other) is not a type of primary keys")
        }
    }

    @inline(__always)
    private mutating func path() throws(ChangesetError) -> RawPath {
        let target = try internedIndex()
        let key = try key()
        let property = try internedIndex()
        let count = try cursor.unsigned32()
        return RawPath(target: target, key: key, property: property, rest: count == 0 ? .none : try steps(count))
    }

    private mutating func steps(_ count: UInt32) throws(ChangesetError) -> RawSteps {
        let start = cursor.position
        var last: RawStep?
        for _ in 0..<count {
            let from = cursor.position
            let number = try cursor.signed64()
            if number < 0 {
                last = .name(try internedIndex())
            } else if let index = UInt32(exactly: number) {
                last = .index(index)
            } else {
                throw cursor.failure(.indexTooLarge, "C-60", at: from, "list index \(number) above 2^32 - 1")
            }
        }
        return RawSteps(start: start, count: Int(count), last: last)
    }

    private mutating func elementPath() throws(ChangesetError) -> RawPath {
        let path = try path()
        guard path.rest.lastIndex != nil else {
            throw cursor.failure(.pathWithoutIndex, "C-59", at: instruction, "list instruction without an index")
        }
        return path
    }

    private mutating func setElement() throws(ChangesetError) -> RawPayload {
        let from = cursor.position
        let payload = try payload()
        switch payload {
        case .embeddedObject, .list, .dictionary, .erased, .set:
            throw cursor.failure(.badSetElement, "C-60", at: from, "a set cannot hold this")
        default: return payload
        }
    }

    @inline(__always)
    private mutating func payload() throws(ChangesetError) -> RawPayload {
        let from = cursor.position
        switch try type(rule: "C-33") {
        case .null: return .null
        case .int: return .int(try cursor.signed64())
        case .bool: return .bool(try cursor.boolean())
        case .string: return .string(try cursor.bytes(limit: ChangesetLimit.stringLength))
        case .binary: return .binary(try cursor.bytes(limit: ChangesetLimit.binaryLength))
        case .timestamp: return .timestamp(try timestamp())
        case .float:
            let bits = UInt32(littleEndian: try cursor.take(4).loadUnaligned(as: UInt32.self))
            return .float(Float(bitPattern: bits))
        case .double:
            let bits = UInt64(littleEndian: try cursor.take(8).loadUnaligned(as: UInt64.self))
            return .double(Double(bitPattern: bits))
        case .decimal: return .decimal(try decimal())
        case .link: return .link(target: try internedIndex(), key: try key())
        case .objectId: return .objectId(ObjectId(loading: try cursor.take(12)))
        case .uuid: return .uuid(UUID(loading: try cursor.take(16)))
        case .embeddedObject: return .embeddedObject
        case .list: return .list
        case .dictionary: return .dictionary
        case .erased: return .erased
        case .set: return .set
        case .globalKey:
            throw cursor.failure(.unknownPayloadType, "C-32", at: from, "a global key is not a value")
        }
    }

    /// C-41. Pairs that are no instant pass here and are refused when applied (C-60).
    private mutating func timestamp() throws(ChangesetError) -> Timestamp {
        let seconds = try cursor.signed64()
        let from = cursor.position
        let number = try cursor.signed64()
        guard let nanoseconds = Int32(exactly: number) else {
            throw cursor.failure(.timestampOutOfRange, "C-59", at: from, "\(number) nanoseconds")
        }
        return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    }

    /// C-40, in the form that it travels in (C-60).
    private mutating func decimal() throws(ChangesetError) -> Decimal128 {
        let from = cursor.position
        let coefficient = try cursor.coefficient()
        let exponent = try cursor.signed64()
        let isNegative = try cursor.boolean()
        guard let decimal = Decimal128(joining: coefficient, exponent: exponent, isNegative: isNegative) else {
            throw cursor.failure(
                .decimalOutOfRange, "C-60", at: from, "decimal with coefficient \(coefficient), exponent \(exponent)")
        }
        // Other words for infinity and zero would be written in this form.
        return decimal.canonical
    }
}

// MARK: - Schema

extension ChangesetReader {
    private mutating func addTable() throws(ChangesetError) -> RawInstruction {
        let target = try internedIndex()
        var from = cursor.position
        let number = try cursor.unsigned8()
        guard let kind = ClassKind(rawValue: number) else {
            throw cursor.failure(.unknownKind, "C-59", at: from, "unknown class kind \(number)")
        }
        if kind == .embedded { return .addTable(target: target, kind: kind, key: nil) }
        let name = try internedIndex()
        from = cursor.position
        let type: ValueType? =
            switch try self.type(rule: "C-52") {
            case .int: .int
            case .string: .string
            case .objectId: .objectId
            case .uuid: .uuid
            case .globalKey: nil
            case let other:
                throw cursor.failure(.badPrimaryKeyType, "C-52", at: from, "\(other) is not a type of primary keys")
            }
        let column = RawKeyColumn(name: name, type: type, isNullable: try cursor.boolean())
        return .addTable(target: target, kind: kind, key: column)
    }

    private mutating func addColumn() throws(ChangesetError) -> RawInstruction {
        let target = try internedIndex()
        let property = try internedIndex()
        let type = try type(rule: "C-33")
        let isNullable = try cursor.boolean()
        let collection = try collectionKind()
        let column = RawColumn(
            type: type, isNullable: isNullable, collection: collection,
            target: type == .link ? try internedIndex() : nil,
            keyType: collection == .dictionary ? try self.type(rule: "C-33") : nil)
        return .addColumn(target: target, property: property, column)
    }

    private mutating func collectionKind() throws(ChangesetError) -> CollectionKind {
        let from = cursor.position
        let number = try cursor.unsigned8()
        guard let kind = CollectionKind(rawValue: number) else {
            throw cursor.failure(.unknownKind, "C-59", at: from, "unknown collection kind \(number)")
        }
        return kind
    }
}
