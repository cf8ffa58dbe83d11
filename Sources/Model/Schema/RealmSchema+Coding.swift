/// The binary form of a schema. Integers are those of changesets (C-18), strings a length and UTF-8 bytes.
///
///     schema   = version u8 (1), class count, class…
///     class    = name, kind u8, has primary key u8, [name of primary key], property count, property…
///     property = name, type u8, flags u8 (1 nullable, 2 indexed, 4 has target), collection u8, [target]
extension RealmSchema {
    /// Version that `encoded` writes, the only one that `init(decoding:)` reads.
    public static let encodingVersion: UInt8 = 1

    public var encoded: [UInt8] {
        var bytes = [Self.encodingVersion]
        bytes.append(count: classes.count)
        for schema in classes { schema.encode(into: &bytes) }
        return bytes
    }

    /// Reads what `encoded` wrote. Memory is in proportion to the input.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(SchemaCodingError) {
        var reader = UnsafeSchemaReader(bytes)
        let version = try reader.byte()
        guard version == Self.encodingVersion else {
            throw SchemaCodingError(
                .unknownVersion, offset: 0,
                "schema has format \(version), this program reads format \(Self.encodingVersion)")
        }
        var classes: [ClassSchema] = []
        for _ in 0..<(try reader.count()) { classes.append(try reader.classSchema()) }
        guard reader.isAtEnd else {
            throw SchemaCodingError(.malformed, offset: reader.offset, "bytes after the end of the schema")
        }
        self.init(classes)
    }

    public init(decoding bytes: [UInt8]) throws(SchemaCodingError) {
        self = try bytes.withUnsafeBytes { bytes in
            Result { () throws(SchemaCodingError) in try RealmSchema(decoding: bytes) }
        }.get()
    }
}

/// Why bytes are not a schema.
public struct SchemaCodingError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable {
        /// Written by a newer program.
        case unknownVersion
        case truncated
        case malformed
    }

    public var code: Code
    public var offset: Int
    public var message: String

    init(_ code: Code, offset: Int, _ message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }

    public var description: String { "bad schema at \(offset): \(message)" }
}

/// Bits of a property's flags byte.
private enum PropertyFlag {
    static let nullable: UInt8 = 1
    static let indexed: UInt8 = 2
    static let hasTarget: UInt8 = 4
}

extension ClassSchema {
    fileprivate func encode(into bytes: inout [UInt8]) {
        bytes.append(text: name)
        bytes.append(kind.rawValue)
        bytes.append(primaryKey == nil ? 0 : 1)
        if let primaryKey { bytes.append(text: primaryKey) }
        bytes.append(count: properties.count)
        for property in properties {
            bytes.append(text: property.name)
            bytes.append(UInt8(bitPattern: property.type.rawValue))
            bytes.append(
                (property.isNullable ? PropertyFlag.nullable : 0) | (property.isIndexed ? PropertyFlag.indexed : 0)
                    | (property.target == nil ? 0 : PropertyFlag.hasTarget))
            bytes.append(property.collection.rawValue)
            if let target = property.target { bytes.append(text: target) }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(count: Int) {
        var rest = UInt64(count)
        while rest >= 64 {
            append(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(text: String) {
        append(count: text.utf8.count)
        append(contentsOf: text.utf8)
    }
}

/// Reads the parts of a schema from memory that outlives it.
private struct UnsafeSchemaReader {
    private var cursor: UnsafeByteCursor

    init(_ bytes: UnsafeRawBufferPointer) {
        cursor = UnsafeByteCursor(bytes, base: 0)
    }

    var isAtEnd: Bool { cursor.isAtEnd }
    var offset: Int { cursor.offset }

    mutating func byte() throws(SchemaCodingError) -> UInt8 {
        do { return try cursor.take(1).load(as: UInt8.self) } catch { throw Self.failure(error) }
    }

    mutating func count() throws(SchemaCodingError) -> UInt32 {
        do { return try cursor.unsigned32() } catch { throw Self.failure(error) }
    }

    mutating func text() throws(SchemaCodingError) -> String {
        let from = offset
        let bytes: UnsafeRawBufferPointer
        do { bytes = try cursor.bytes(limit: ChangesetLimit.stringLength) } catch { throw Self.failure(error) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SchemaCodingError(.malformed, offset: from, "name is not UTF-8")
        }
        return text
    }

    mutating func classSchema() throws(SchemaCodingError) -> ClassSchema {
        let name = try text()
        let kind = try kind(ClassKind.self)
        var primaryKey: String?
        switch try byte() {
        case 0: break
        case 1: primaryKey = try text()
        case let other: throw malformed("\(other) where 0 or 1 is expected")
        }
        var properties: [PropertySchema] = []
        for _ in 0..<(try count()) { properties.append(try property()) }
        return ClassSchema(name, kind: kind, primaryKey: primaryKey, properties)
    }

    private mutating func property() throws(SchemaCodingError) -> PropertySchema {
        let name = try text()
        let number = try byte()
        guard let type = ValueType(rawValue: Int8(bitPattern: number)) else {
            throw malformed("unknown type \(number)")
        }
        let flags = try byte()
        guard flags < PropertyFlag.hasTarget * 2 else { throw malformed("unknown flags \(flags)") }
        let collection = try kind(CollectionKind.self)
        return PropertySchema(
            name, type, nullable: flags & PropertyFlag.nullable != 0, collection: collection,
            target: flags & PropertyFlag.hasTarget != 0 ? try text() : nil,
            indexed: flags & PropertyFlag.indexed != 0)
    }

    private mutating func kind<Kind: RawRepresentable>(
        _: Kind.Type
    ) throws(SchemaCodingError) -> Kind where Kind.RawValue == UInt8 {
        let number = try byte()
        guard let kind = Kind(rawValue: number) else { throw malformed("unknown kind \(number)") }
        return kind
    }

    /// A fault of the byte just read.
    private func malformed(_ message: String) -> SchemaCodingError {
        SchemaCodingError(.malformed, offset: offset - 1, message)
    }

    private static func failure(_ error: ChangesetError) -> SchemaCodingError {
        SchemaCodingError(error.code == .truncated ? .truncated : .malformed, offset: error.offset, error.message)
    }
}
