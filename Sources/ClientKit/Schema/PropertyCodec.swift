import Foundation
import Model

/// How a property of an object in memory is read for storing. The frequent types are read directly, since `add` does
/// it for each property of each object; the rest goes through the wrapper's witnesses.
package enum PropertyCodec: Sendable {
    case int, bool, double, string, optionalString, date, objectId, uuid, generic

    init(_ wrapper: any AnyPersisted.Type) {
        let types: [(ObjectIdentifier, PropertyCodec)] = [
            (ObjectIdentifier(Persisted<Int>.self), .int),
            (ObjectIdentifier(Persisted<Bool>.self), .bool),
            (ObjectIdentifier(Persisted<Double>.self), .double),
            (ObjectIdentifier(Persisted<String>.self), .string),
            (ObjectIdentifier(Persisted<String?>.self), .optionalString),
            (ObjectIdentifier(Persisted<Date>.self), .date),
            (ObjectIdentifier(Persisted<ObjectId>.self), .objectId),
            (ObjectIdentifier(Persisted<UUID>.self), .uuid)
        ]
        self = types.first { $0.0 == ObjectIdentifier(wrapper) }?.1 ?? .generic
    }
}

extension PersistedProperty {
    /// What an unmanaged object holds in this property. Not for collections and inverse links.
    @inline(__always)
    package func content(in instance: UnsafeMutableRawPointer) -> _StoredValue {
        let wrapper = instance + offset
        func value<Value: _Persistable>(_ type: Value.Type) -> Value {
            wrapper.assumingMemoryBound(to: Persisted<Value>.self).pointee._unmanagedValue
        }
        switch codec {
        case .int: return _StoredValue(.int(Int64(value(Int.self))))
        case .bool: return _StoredValue(.bool(value(Bool.self)))
        case .double: return _StoredValue(.double(value(Double.self)))
        case .string: return _StoredValue(.string(value(String.self)))
        case .optionalString: return _StoredValue(value(String?.self).map { .string($0) } ?? .null)
        case .date: return _StoredValue(.timestamp(Timestamp(value(Date.self))))
        case .objectId: return _StoredValue(.objectId(value(ObjectId.self).value))
        case .uuid: return _StoredValue(.uuid(value(UUID.self)))
        case .generic: return self.wrapper.content(at: wrapper) ?? .null
        }
    }
}
