import Model

extension Optional: OptionalProtocol {
    public func _rlmInferWrappedType() -> Wrapped {
        guard let self else { preconditionFailure("an optional without value") }
        return self
    }
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _RealmSchemaDiscoverable {
    public static var _shape: _PropertyShape { Wrapped._shape.optional }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
}

extension Optional: _Persistable where Wrapped: _PersistableInsideOptional & RealmCollectionValue {
    public static func _defaultValue() -> Wrapped? { nil }

    @inlinable @inline(__always)
    public static func _load(_ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int) -> Wrapped? {
        Wrapped._loadOptional(chunk, row, object, index)
    }

    public static func _get(_ object: ObjectBase, _ index: Int) -> Wrapped? {
        let stored = object._readStored(index)
        return stored.isNull ? nil : Wrapped._decode(stored)
    }

    public static func _set(_ object: ObjectBase, _ index: Int, _ value: Wrapped?) {
        object._writeStored(index, value?._rlmEncoded ?? .null)
    }

    public var _rlmContent: _StoredValue? { self?._rlmEncoded ?? .null }

    public static func _make(_ content: _StoredValue) -> Wrapped?? {
        if content.isNull { return .some(nil) }
        guard let value = Wrapped._decode(content) else { return nil }
        return .some(value)
    }

    public static func _traced(_ tracer: _KeyPathTracer, _ index: Int) -> Wrapped? {
        tracer.noteOptional(index, Wrapped.self)
    }
}

extension Optional: _DefaultConstructible where Wrapped: _DefaultConstructible {
    public init() { self = nil }
}

extension Optional: RealmCollectionValue where Wrapped: _RealmCollectionValueInsideOptional {
    public static func _decode(_ stored: _StoredValue) -> Wrapped?? {
        if stored.isNull { return .some(nil) }
        guard let value = Wrapped._decode(stored) else {
            // A stored value that no value of the type stands for reads as nil where nil may be.
            let isPartial =
                Wrapped.self is any RealmEnum.Type || Wrapped.self is any FailableCustomPersistable.Type
            return isPartial ? .some(nil) : nil
        }
        return .some(value)
    }

    public var _rlmEncoded: _StoredValue { self?._rlmEncoded ?? .null }

    public static var _isConverted: Bool { Wrapped._isConverted }
}

extension Optional: _RealmCollectionValueInsideOptional where Wrapped: _RealmCollectionValueInsideOptional {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}
extension Optional: KeypathSortable where Wrapped: KeypathSortable {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered & _RealmCollectionValueInsideOptional {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric & _RealmCollectionValueInsideOptional {}
extension Optional: _QueryBinary where Wrapped: _QueryBinary & _RealmCollectionValueInsideOptional {}
extension Optional: _QueryString where Wrapped: _QueryString & _RealmCollectionValueInsideOptional {}
