import Foundation

/// A type that a field of a message can have.
package protocol WireField: Sendable {
    /// What a decoding error calls it.
    static var expectation: String { get }
    /// Reads the element, or throws an error whose path is relative to it.
    init(field element: UnsafeBSONView.Element) throws(WireDecodingError)
    func write(_ key: BSONKey, to writer: BSONWriter)
}

extension WireField {
    static func mismatch(_ element: UnsafeBSONView.Element) -> WireDecodingError {
        WireDecodingError(field: "", expected: expectation, found: "\(element.type)")
    }
}

extension UnsafeBSONView {
    /// The field, which must be there and not null.
    func get<Field: WireField>(_ key: StaticString, as type: Field.Type = Field.self) throws(WireDecodingError) -> Field
    {
        guard let element = element(key), element.type != .null || Field.self is any NullableField.Type else {
            throw WireDecodingError(field: "\(key)", expected: Field.expectation, found: nil)
        }
        do {
            return try Field(field: element)
        } catch {
            throw error.inside("\(key)")
        }
    }

    /// The field, or nil if it is missing or null.
    func find<Field: WireField>(_ key: StaticString, as type: Field.Type = Field.self) throws(WireDecodingError)
        -> Field?
    {
        guard let element = element(key), element.type != .null else { return nil }
        do {
            return try Field(field: element)
        } catch {
            throw error.inside("\(key)")
        }
    }
}

extension BSONWriter {
    func put(_ key: BSONKey, _ field: some WireField) {
        field.write(key, to: self)
    }

    /// Writes nothing for nil.
    func put(_ key: BSONKey, _ field: (some WireField)?) {
        field?.write(key, to: self)
    }
}

/// A field type for which null is a value of its own.
protocol NullableField {}

// MARK: - Numbers
/// Whole numbers are taken from int32, int64 and from doubles without a fraction: languages differ in what they send.
private func wholeNumber(_ element: UnsafeBSONView.Element) -> Int64? {
    switch element.type {
    case .int32, .int64: element.integer
    case .double: abs(element.number) <= 0x1p53 ? Int64(exactly: element.number) : nil
    default: nil
    }
}

extension Int32: WireField {
    package static var expectation: String { "int32" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard let number = wholeNumber(element), let value = Int32(exactly: number) else {
            throw Self.mismatch(element)
        }
        self = value
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.int32(key, self) }
}

extension Int64: WireField {
    package static var expectation: String { "int64" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard let number = wholeNumber(element) else { throw Self.mismatch(element) }
        self = number
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.int64(key, self) }
}

/// An int64 with the same bits, so that `UInt64.max` travels as -1.
extension UInt64: WireField {
    package static var expectation: String { "int64" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard let number = wholeNumber(element) else { throw Self.mismatch(element) }
        self = UInt64(bitPattern: number)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.int64(key, Int64(bitPattern: self)) }
}

extension Bool: WireField {
    package static var expectation: String { "bool" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .bool else { throw Self.mismatch(element) }
        self = element.integer != 0
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.bool(key, self) }
}

// MARK: - Strings and bytes
extension String: WireField {
    package static var expectation: String { "string" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .string else { throw Self.mismatch(element) }
        self = String(decoding: element.bytes, as: UTF8.self)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.string(key, self) }
}

/// Opaque bytes: binary of subtype 0 (others are taken as well).
package struct Bytes: WireField, Hashable {
    package var array: [UInt8]

    package init(_ array: [UInt8]) { self.array = array }

    package static var expectation: String { "binary" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .binary else { throw Self.mismatch(element) }
        array = Array(element.bytes)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        array.withUnsafeBytes { writer.binary(key, $0) }
    }
}

/// Sixteen bytes that name something once and for all: a transaction, a session. Binary of subtype 4.
package struct UniqueId: WireField, Hashable {
    package var uuid: UUID

    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Random bytes. Not `UUID()`, which opens a device for them each time.
    package init() {
        var random = SystemRandomNumberGenerator()
        let words: SIMD2<UInt64> = [random.next(), random.next()]
        uuid = UUID(uuid: unsafeBitCast(words, to: uuid_t.self))
    }

    /// The sixteen bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: uuid.uuid) { Array($0) } }

    package static var expectation: String { "binary of 16 bytes" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .binary, element.bytes.count == 16 else { throw Self.mismatch(element) }
        uuid = UUID(uuid: element.bytes.loadUnaligned(as: uuid_t.self))
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        withUnsafeBytes(of: uuid.uuid) { writer.binary(key, subtype: 4, $0) }
    }
}

/// Object keys packed as int64 little-endian in one binary: what a million hits cost is eight megabytes, no more.
package struct PackedKeys: WireField, Hashable {
    package var keys: [Int64]

    package init(_ keys: [Int64]) { self.keys = keys }

    package static var expectation: String { "binary of int64 values" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .binary, element.bytes.count % 8 == 0 else { throw Self.mismatch(element) }
        let bytes = element.bytes
        keys = (0..<bytes.count / 8).map {
            Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self))
        }
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        // Our platforms are little-endian; `littleEndian` costs nothing there.
        keys.map(\.littleEndian).withUnsafeBytes { writer.binary(key, $0) }
    }
}

// MARK: - Arrays and documents
extension Array: WireField where Element: WireField {
    package static var expectation: String { "array of \(Element.expectation)" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .array, let view = element.view else { throw Self.mismatch(element) }
        self = []
        for item in view {
            do {
                append(try Element(field: item))
            } catch {
                throw error.inside("\(count)")
            }
        }
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        writer.array(key) { writer in for item in self { item.write(.next, to: writer) } }
    }
}

extension BSONDocument: WireField {
    package static var expectation: String { "document" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .document, let view = element.view else { throw Self.mismatch(element) }
        self.init(view)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.value(key, .document(self)) }
}

/// A document with known fields. Fields it doesn't know are ignored.
package protocol WirePayload: WireField, Hashable {
    init(_ view: UnsafeBSONView) throws(WireDecodingError)
    func write(to writer: BSONWriter)
}

extension WirePayload {
    package static var expectation: String { "document" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .document, let view = element.view else { throw Self.mismatch(element) }
        try self.init(view)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        writer.document(key) { write(to: $0) }
    }
}

/// An enum that travels as its name.
package protocol WireName: WireField, RawRepresentable, CaseIterable where RawValue == String {}

extension WireName {
    package static var expectation: String {
        "one of " + allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        let text = try String(field: element)
        guard let value = Self(rawValue: text) else {
            throw WireDecodingError(field: "", expected: Self.expectation, found: "\"\(text.prefix(80))\"")
        }
        self = value
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.string(key, rawValue) }
}
