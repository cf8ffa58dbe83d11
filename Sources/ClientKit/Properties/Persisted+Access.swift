public import CPlatform

extension Persisted {
    /// How the property of an object is read and assigned.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always)
        get {
            if Value._role == .value, let access = object._access,
                access.pointee.thread == UInt(reeve_thread_identity()),
                access.pointee.generation == object._generation
            {
                let index = Int(object[keyPath: storageKeyPath]._index)
                let slot = Int(object._slots.unsafelyUnwrapped[index])
                if let chunk = object._chunks.unsafelyUnwrapped[slot] {
                    return Value._load(chunk, object._row, object, index)
                }
            }
            return _slowGet(object, storageKeyPath)
        }
        @inline(__always)
        set {
            if object._access == nil, object._tracer == nil, Value._role == .value {
                object[keyPath: storageKeyPath]._storage = .value(newValue)
            } else {
                _slowSet(object, storageKeyPath, newValue)
            }
        }
    }

    @inlinable @inline(never)
    static func _slowGet<EnclosingSelf: ObjectBase>(
        _ object: EnclosingSelf, _ storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        if object._access == nil {
            if let tracer = object._tracer {
                return Value._traced(tracer, Int(object[keyPath: storageKeyPath]._index))
            }
            return object[keyPath: storageKeyPath]._unmanagedValue
        }
        let index = Int(object[keyPath: storageKeyPath]._index)
        if Value._role == .collection {
            if case .value(let value) = object[keyPath: storageKeyPath]._storage { return value }
            let value = Value._get(object, index)
            object[keyPath: storageKeyPath]._storage = .value(value)
            return value
        }
        if let chunk = object._findChunk(index) { return Value._load(chunk, object._row, object, index) }
        return Value._get(object, index)
    }

    @inlinable @inline(never)
    static func _slowSet<EnclosingSelf: ObjectBase>(
        _ object: EnclosingSelf, _ storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>, _ value: Value
    ) {
        if object._tracer != nil { return }
        let index = Int(object[keyPath: storageKeyPath]._index)
        if object._access == nil {
            if Value._role == .collection {
                Value._assign(object[keyPath: storageKeyPath]._unmanagedValue, value)
            } else {
                object[keyPath: storageKeyPath]._storage = .value(value)
            }
        } else if Value._role == .collection {
            Value._assign(_slowGet(object, storageKeyPath), value)
        } else {
            Value._set(object, index, value)
        }
    }

    /// The value of an unmanaged object's property. A default is made once.
    @inlinable
    var _unmanagedValue: Value {
        mutating get {
            switch _storage {
            case .value(let value): return value
            case .make(let make):
                let value = make()
                _storage = .value(value)
                return value
            case .unset:
                let value = Value._defaultValue()
                _storage = .value(value)
                return value
            }
        }
    }
}
