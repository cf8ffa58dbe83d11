import Foundation
import Model

/// How a property of an object in memory is read for storing. The frequent types are read directly, since `add` does
/// it for each property of each object; the rest goes through the wrapper's witnesses.
package enum PropertyCodec: UInt8, Sendable {
    case int, bool, float, double, string, data, date, objectId, uuid
    case optionalInt, optionalBool, optionalFloat, optionalDouble, optionalString, optionalData, optionalDate
    case optionalObjectId, optionalUUID
    /// Links, and values of all other types.
    case generic
    /// Elements are stored one by one.
    case collection

    init(_ wrapper: any AnyPersisted.Type) {
        if wrapper.shape.collection != .single {
            self = .collection
            return
        }
        let types: [(any AnyPersisted.Type, PropertyCodec)] = [
            (Persisted<Int>.self, .int), (Persisted<Int?>.self, .optionalInt),
            (Persisted<Bool>.self, .bool), (Persisted<Bool?>.self, .optionalBool),
            (Persisted<Float>.self, .float), (Persisted<Float?>.self, .optionalFloat),
            (Persisted<Double>.self, .double), (Persisted<Double?>.self, .optionalDouble),
            (Persisted<String>.self, .string), (Persisted<String?>.self, .optionalString),
            (Persisted<Data>.self, .data), (Persisted<Data?>.self, .optionalData),
            (Persisted<Date>.self, .date), (Persisted<Date?>.self, .optionalDate),
            (Persisted<ObjectId>.self, .objectId), (Persisted<ObjectId?>.self, .optionalObjectId),
            (Persisted<UUID>.self, .uuid), (Persisted<UUID?>.self, .optionalUUID)
        ]
        self = types.first { ObjectIdentifier($0.0) == ObjectIdentifier(wrapper) }?.1 ?? .generic
    }

    /// Whether the value needs no more than to be read and stored.
    @inline(__always)
    package var isDirect: Bool { self != .generic && self != .collection }

    /// The value of the property whose wrapper lies at an address. `Value` must be the codec's type.
    @inline(__always)
    static func value<Value: _Persistable>(_ type: Value.Type, at wrapper: UnsafeMutableRawPointer) -> Value {
        wrapper.assumingMemoryBound(to: Persisted<Value>.self).pointee._unmanagedValue
    }

    /// The primary key that is held at an address; nil if the property is of a type that goes through witnesses.
    @inline(__always)
    func primaryKey(at wrapper: UnsafeMutableRawPointer) -> PrimaryKey? {
        switch self {
        case .objectId: .objectId(Self.value(ObjectId.self, at: wrapper).value)
        case .int: .int(Int64(Self.value(Int.self, at: wrapper)))
        case .string: .string(Self.value(String.self, at: wrapper))
        case .uuid: .uuid(Self.value(UUID.self, at: wrapper))
        default: nil
        }
    }
}

extension PersistedProperty {
    /// What an unmanaged object holds in this property. Not for collections and inverse links.
    package func content(in instance: UnsafeMutableRawPointer) -> _StoredValue {
        wrapper.content(at: instance + offset) ?? .null
    }
}
