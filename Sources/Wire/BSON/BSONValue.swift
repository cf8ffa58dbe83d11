import Foundation
import Model

/// A value of a document that outlives its frame.
package enum BSONValue: Hashable, Sendable {
    case double(Double)
    case string(String)
    case document(BSONDocument)
    case array([BSONValue])
    case binary(subtype: UInt8, Data)
    case objectId(ObjectId)
    case bool(Bool)
    /// Milliseconds since 1970.
    case date(Int64)
    case null
    case int32(Int32)
    case int64(Int64)
    case decimal128(Decimal128)

    package var type: BSONType {
        switch self {
        case .double: .double
        case .string: .string
        case .document: .document
        case .array: .array
        case .binary: .binary
        case .objectId: .objectId
        case .bool: .bool
        case .date: .date
        case .null: .null
        case .int32: .int32
        case .int64: .int64
        case .decimal128: .decimal128
        }
    }

    /// Copies the element's value.
    package init(_ element: UnsafeBSONView.Element) {
        switch element.type {
        case .double: self = .double(element.number)
        case .string: self = .string(String(decoding: element.bytes, as: UTF8.self))
        case .document: self = .document(BSONDocument(UnsafeBSONView(validated: element.bytes)))
        case .array: self = .array(UnsafeBSONView(validated: element.bytes).map { BSONValue($0) })
        case .binary: self = .binary(subtype: element.subtype, Data(element.bytes))
        case .objectId: self = .objectId(element.objectId)
        case .bool: self = .bool(element.integer != 0)
        case .date: self = .date(element.integer)
        case .null: self = .null
        case .int32: self = .int32(Int32(truncatingIfNeeded: element.integer))
        case .int64: self = .int64(element.integer)
        case .decimal128: self = .decimal128(element.decimal)
        }
    }
}

extension UnsafeBSONView.Element {
    /// Value of an object id; validation has made sure of its twelve bytes.
    package var objectId: ObjectId {
        bytes.baseAddress.map { ObjectId(loading: $0) } ?? ObjectId()
    }

    /// Value of a decimal.
    package var decimal: Decimal128 {
        Decimal128(
            low: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
            high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}
