import Foundation
import Model

/// How values of objects travel: without loss, plain BSON where BSON has the type, else a document whose first key
/// begins with `$` (PROTOCOL.md, "Values").
extension Value: WireField, NullableField {
    package static var expectation: String { "a value" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        switch element.type {
        case .null: self = .null
        case .int32, .int64: self = .int(element.integer)
        case .bool: self = .bool(element.integer != 0)
        case .string: self = .string(String(decoding: element.bytes, as: UTF8.self))
        case .double: self = .double(element.number)
        case .date: self = .timestamp(Timestamp(milliseconds: element.integer))
        case .objectId: self = .objectId(element.objectId)
        case .decimal128: self = .decimal(element.decimal)
        case .binary where element.subtype == 4: self = .uuid(UUID(uuid: element.bytes.loadUnaligned(as: uuid_t.self)))
        case .binary: self = .binary(Data(element.bytes))
        case .array: throw Self.mismatch(element)
        case .document:
            guard let view = element.view else { throw Self.mismatch(element) }
            self = try Self.extended(view)
        }
    }

    static func extended(_ view: UnsafeBSONView) throws(WireDecodingError) -> Value {
        var iterator = view.makeIterator()
        guard let first = iterator.next() else {
            throw WireDecodingError(field: "", expected: expectation, found: "an empty document")
        }
        switch first.key {
        case "$ts":
            let parts = try view.get("$ts", as: [Int64].self)
            guard parts.count == 2, let nanoseconds = Int32(exactly: parts[1]) else {
                throw WireDecodingError(field: "$ts", expected: "[seconds, nanoseconds]", found: "other numbers")
            }
            return .timestamp(Timestamp(seconds: parts[0], nanoseconds: nanoseconds))
        case "$float":
            guard first.type == .double else {
                throw WireDecodingError(field: "$float", expected: "double", found: "\(first.type)")
            }
            return .float(Float(first.number))
        case "$floatBits":
            return .float(Float(bitPattern: UInt32(bitPattern: try view.get("$floatBits", as: Int32.self))))
        case "$link":
            return .link(try Link(view))
        case "$bytes":
            return .malformedString(try view.get("$bytes", as: Bytes.self).array)
        default:
            throw WireDecodingError(
                field: "", expected: expectation, found: "a document with key \"\(first.key.prefix(80))\"")
        }
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        switch self {
        case .null: writer.null(key)
        case .int(let value): writer.int64(key, value)
        case .bool(let value): writer.bool(key, value)
        case .string(let value): writer.string(key, value)
        case .malformedString(let bytes): writer.document(key) { Bytes(bytes).write("$bytes", to: $0) }
        case .binary(let value): value.withUnsafeBytes { writer.binary(key, $0) }
        case .timestamp(let value): value.write(key, to: writer)
        case .float(let value):
            writer.document(key) { writer in
                // A signalling NaN doesn't survive the way through a double.
                if Float(Double(value)).bitPattern == value.bitPattern {
                    writer.double("$float", Double(value))
                } else {
                    writer.int32("$floatBits", Int32(bitPattern: value.bitPattern))
                }
            }
        case .double(let value): writer.double(key, value)
        case .decimal(let value): writer.decimal(key, value)
        case .link(let value): value.write(key, to: writer)
        case .objectId(let value): writer.objectId(key, value)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { writer.binary(key, subtype: 4, $0) }
        }
    }
}

extension ObjectId: WireField {
    package static var expectation: String { "ObjectId" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .objectId else { throw Self.mismatch(element) }
        self = element.objectId
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) { writer.objectId(key, self) }
}

extension Timestamp: WireField {
    package static var expectation: String { "date" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard case .timestamp(let value) = try Value(field: element) else { throw Self.mismatch(element) }
        self = value
    }

    /// Both parts with the sign of `milliseconds`.
    package init(milliseconds: Int64) {
        self.init(seconds: milliseconds / 1000, nanoseconds: Int32(milliseconds % 1000) * 1_000_000)
    }

    /// The instant as a BSON date, if that loses nothing.
    package var milliseconds: Int64? {
        guard isValid, nanoseconds % 1_000_000 == 0 else { return nil }
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflow2) = whole.addingReportingOverflow(Int64(nanoseconds / 1_000_000))
        return overflow || overflow2 ? nil : sum
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        if let milliseconds {
            writer.date(key, milliseconds: milliseconds)
        } else {
            writer.document(key) { writer in
                writer.array("$ts") { writer in
                    writer.int64(.next, seconds)
                    writer.int32(.next, nanoseconds)
                }
            }
        }
    }
}

extension Link: WirePayload {
    package static var expectation: String { "a link" }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(className: try view.get("$link"), key: try view.get("key"))
    }

    package func write(to writer: BSONWriter) {
        writer.string("$link", className)
        key.write("key", to: writer)
    }
}

extension PrimaryKey: WireField, NullableField {
    package static var expectation: String { "a primary key" }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        switch element.type {
        case .null: self = .null
        case .int32, .int64: self = .int(element.integer)
        case .string: self = .string(String(decoding: element.bytes, as: UTF8.self))
        case .objectId: self = .objectId(element.objectId)
        case .binary where element.subtype == 4: self = .uuid(UUID(uuid: element.bytes.loadUnaligned(as: uuid_t.self)))
        case .document:
            let parts = try element.view?.get("$global", as: [UInt64].self) ?? []
            guard parts.count == 2 else {
                throw WireDecodingError(field: "$global", expected: "[high, low]", found: "\(parts.count) numbers")
            }
            self = .global(high: parts[0], low: parts[1])
        default: throw Self.mismatch(element)
        }
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        switch self {
        case .null: writer.null(key)
        case .int(let value): writer.int64(key, value)
        case .string(let value): writer.string(key, value)
        case .objectId(let value): writer.objectId(key, value)
        case .uuid(let value): withUnsafeBytes(of: value.uuid) { writer.binary(key, subtype: 4, $0) }
        case .global(let high, let low): writer.document(key) { $0.put("$global", [high, low]) }
        }
    }
}
