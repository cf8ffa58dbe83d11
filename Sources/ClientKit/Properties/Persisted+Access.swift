extension Persisted {
    /// The wrapper of a property in its object.
    @inlinable @inline(__always)
    static func _wrapper(_ object: ObjectBase, _ place: _PersistedPlace) -> UnsafeMutablePointer<Self> {
        (Unmanaged.passUnretained(object).toOpaque() + place.offset).assumingMemoryBound(to: Self.self)
    }

    @inlinable @inline(never)
    static func _slowGet(_ object: ObjectBase, _ place: _PersistedPlace) -> Value {
        let index = Int(place.index)
        if object._rlmAccess == nil {
            if let tracer = object._rlmTracer { return Value._traced(tracer, index) }
            return _wrapper(object, place).pointee._unmanagedValue
        }
        if Value._role == .collection {
            let wrapper = _wrapper(object, place)
            if case .value(let value) = wrapper.pointee._storage { return value }
            let value = Value._get(object, index)
            if object._keepsCollections { wrapper.pointee._storage = .value(value) }
            return value
        }
        if let chunk = object._findChunk(index) { return Value._load(chunk, object._rlmRow, object, index) }
        return Value._get(object, index)
    }

    @inlinable @inline(never)
    static func _slowSet(_ object: ObjectBase, _ place: _PersistedPlace, _ value: Value) {
        if object._rlmTracer != nil { return }
        if object._rlmAccess == nil {
            let wrapper = _wrapper(object, place)
            if Value._role == .collection {
                Value._assign(wrapper.pointee._unmanagedValue, value)
            } else {
                wrapper.pointee._storage = .value(value)
            }
        } else if Value._role == .collection {
            Value._assign(_slowGet(object, place), value)
        } else {
            Value._set(object, Int(place.index), value)
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
