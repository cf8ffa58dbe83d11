extension Persisted {
    @inlinable @inline(never)
    static func _slowGet<EnclosingSelf: ObjectBase>(
        _ object: EnclosingSelf, _ storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        if object._rlmAccess == nil {
            if let tracer = object._rlmTracer {
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
        if let chunk = object._findChunk(index) { return Value._load(chunk, object._rlmRow, object, index) }
        return Value._get(object, index)
    }

    @inlinable @inline(never)
    static func _slowSet<EnclosingSelf: ObjectBase>(
        _ object: EnclosingSelf, _ storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>, _ value: Value
    ) {
        if object._rlmTracer != nil { return }
        let index = Int(object[keyPath: storageKeyPath]._index)
        if object._rlmAccess == nil {
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
