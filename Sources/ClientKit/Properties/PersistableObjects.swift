import Model
import Store

extension ObjectBase: _PersistableInsideOptional, _RealmCollectionValueInsideOptional {
    public typealias PersistedType = ObjectBase

    public static var _shape: _PropertyShape { _PropertyShape(.link, objectType: self) }

    /// A link that isn't optional is a fault that discovery reports; until then its value is an object.
    public static func _defaultValue() -> Self { self.init() }

    @inlinable
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Self {
        _loadOptional(chunk, row, object, index) ?? _defaultValue()
    }

    @inlinable
    public static func _loadOptional(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> Self? {
        let target = UnsafePropertyChunk.integer(chunk, row)
        if target == 0 { return nil }
        return unsafeDowncast(object._linked(index, target - 1), to: self)
    }

    public static func _decode(_ stored: _StoredValue) -> Self? {
        guard case .object(let object) = stored.content else { return nil }
        return Swift.type(of: object) == Self.self ? unsafeDowncast(object, to: Self.self) : object as? Self
    }

    public var _rlmEncoded: _StoredValue { _StoredValue(self) }

    /// Accessor of the object that a link points to.
    @usableFromInline
    package final func _linked(_ index: Int, _ key: Int64) -> ObjectBase {
        guard let model = _rlmModel else { preconditionFailure("an unmanaged object has no links to follow") }
        return model.target(index, ObjectKey(key))
    }
}

extension ObjectBase: _KeyPathRoot {
    public static func _tracingRoot(_ recording: _KeyPathTracer.Recording) -> Any {
        _KeyPathTracer.object(self, recording)
    }
}
