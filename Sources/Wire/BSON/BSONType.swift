/// The element types that the protocol uses, with their numbers in BSON.
package enum BSONType: UInt8, Sendable, CaseIterable {
    case double = 0x01
    case string = 0x02
    case document = 0x03
    case array = 0x04
    case binary = 0x05
    case objectId = 0x07
    case bool = 0x08
    case date = 0x09
    case null = 0x0A
    case int32 = 0x10
    case int64 = 0x12
    case decimal128 = 0x13
}
