import Store

extension ObjectBase: Hashable {
    /// Classes with a primary key: the same row of the same file. Frozen objects without key: the same row of the same
    /// version. Otherwise the same instance; `isSameObject(as:)` compares rows.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool {
        if a === b { return true }
        guard let model = a._rlmModel, let other = b._rlmModel, a._rlmCore != nil, b._rlmCore != nil else {
            return false
        }
        guard model.persisted.primaryKeyIndex != nil || model.info.core.isFrozen else { return false }
        if model.persisted.primaryKeyIndex == nil, model.info.core !== other.info.core { return false }
        return a._isSameRow(as: b)
    }

    public func hash(into hasher: inout Hasher) {
        if let model = _rlmModel, model.persisted.primaryKeyIndex != nil || model.info.core.isFrozen {
            hasher.combine(_settledKey.raw)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// Whether both stand for one row of one file.
    package final func _isSameRow(as other: ObjectBase) -> Bool {
        guard let model = _rlmModel, let otherModel = other._rlmModel else { return self === other }
        return _settledKey == other._settledKey && model.info.table.id == otherModel.info.table.id
            && model.info.core.isSameFile(as: otherModel.info.core)
    }
}

extension ObjectBase {
    /// Whether the object was deleted, or its realm invalidated. False while unmanaged.
    public final var isInvalidated: Bool {
        guard let core = _rlmCore, let model = _rlmModel else { return false }
        if _rlmGeneration != 0, _rlmGeneration == core.access.pointee.generation { return false }
        return !_relocate(core, model)
    }
}

extension Object {
    /// Whether both stand for one row of one file; of unmanaged objects, whether they are one.
    public final func isSameObject(as object: Object?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}

extension RealmCore {
    /// Whether both instances read the same file.
    package func isSameFile(as other: RealmCore) -> Bool {
        coordinator === other.coordinator
    }
}
