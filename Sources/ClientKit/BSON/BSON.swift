import Foundation

/// A value that may name a partition. Which ones a realm can be opened with: strings, integers, object ids, UUIDs, null.
public protocol PartitionValue: Sendable {}

/// A value that a document of MongoDB can hold.
public protocol BSON: PartitionValue, Equatable {}

/// A document: fields by name. An absent value is null.
public typealias Document = [String: AnyBSON?]

extension NSNull: BSON {}
extension Int: BSON {}
extension Int32: BSON {}
extension Int64: BSON {}
extension Bool: BSON {}
extension Double: BSON {}
extension String: BSON {}
extension Data: BSON {}
extension Date: BSON {}
extension Decimal128: BSON {}
extension ObjectId: BSON {}
extension UUID: BSON {}
extension Dictionary: PartitionValue, BSON where Key == String, Value == AnyBSON? {}
extension Array: PartitionValue, BSON where Element == AnyBSON? {}
extension NSRegularExpression: BSON {}

/// The value below all others.
public struct MinKey: BSON, Hashable {
    public init() {}
}

/// The value above all others.
public struct MaxKey: BSON, Hashable {
    public init() {}
}
