import Model
import Store

extension ObjectBase {
    /// The class and key of a managed object, whether it still exists or not.
    package final var _rlmManaged: (info: ClassInfo, key: ObjectKey)? {
        guard let model = _rlmModel else { return nil }
        return (model.info, _settledKey)
    }

    /// The key of a managed object, for whoever keeps or compares it. A blind transaction ends being blind.
    package final var _settledKey: ObjectKey {
        if _rlmKey.isProvisional { _rlmModel?.info.core.settle() }
        return _rlmKey
    }

    /// Whether a collection that was made for the managed object may be kept in it: not in frozen ones, which several
    /// threads may be reading.
    @usableFromInline
    package final var _keepsCollections: Bool { _rlmCore?.isFrozen == false }

    /// The object has got the key by which the file knows it.
    package final func _rename(to key: ObjectKey) {
        guard _rlmKey != key, let core = _rlmCore, let persisted = _rlmModel?.persisted else { return }
        _rlmKey = key
        _rlmGeneration = 0
        _rlmSeenGeneration = core.access.pointee.generation
        for index in persisted.collections {
            let property = persisted.properties[index]
            // One that was made here would be nobody's: what is put into it would never be stored.
            let collection = property.wrapper.keptCollection(at: _rlmAddress + property.offset)
            // An object that is just being added still has the elements of those whose turn hasn't come.
            if collection?.isAttached == true { collection?.attach(to: self, index) }
        }
        if persisted.isLegacy { _attachLegacyFields(persisted, isNew: true) }
    }

    /// A new accessor of an object. The key must be one of the class.
    package static func accessor(_ model: ManagedClass, _ key: ObjectKey) -> ObjectBase {
        let object = model.persisted.type.init()
        object._attach(model, key)
        return object
    }

    /// A new accessor of an object whose row is known, and which the open transaction hasn't changed.
    package static func accessor(
        _ model: ManagedClass, _ core: RealmCore, _ key: ObjectKey, _ chunks: UnsafeChunkSlots,
        _ row: Int
    ) -> ObjectBase {
        let object = model.persisted.type.init()
        object._rlmModel = model
        object._rlmCore = core
        object._rlmSlots = model.slots
        object._rlmAccess = core.access
        object._move(to: key, chunks, row, core.access.pointee.generation)
        object._noteManaged(model.persisted, isNew: false)
        return object
    }

    /// Makes the object an accessor of a row.
    package final func _attach(_ model: ManagedClass, _ key: ObjectKey) {
        let core = model.info.core
        _rlmModel = model
        _rlmCore = core
        _rlmKey = core.admit(self, model.info, key)
        _rlmSlots = model.slots
        _rlmGeneration = 0
        _rlmSeenGeneration = 0
        _rlmAccess = core.access
        _relocate(core, model)
        _noteManaged(model.persisted, isNew: false)
    }

    /// Makes an unmanaged object the accessor of the row that has just been created for it.
    @inline(__always)
    package final func _attachCreated(_ core: RealmCore, _ model: ManagedClass, _ key: ObjectKey) {
        _rlmModel = model
        _rlmCore = core
        _rlmKey = core.admit(self, model.info, key)
        _rlmSlots = model.slots
        _rlmGeneration = 0
        _rlmSeenGeneration = core.access.pointee.generation
        _rlmAccess = core.access
        _noteManaged(model.persisted, isNew: true)
    }

    /// Tells those properties that have to know that they are a managed object's.
    @inline(__always)
    private final func _noteManaged(_ persisted: PersistedClass, isNew: Bool) {
        if persisted.isEncodable { _markManaged(persisted) }
        if persisted.isLegacy { _attachLegacyFields(persisted, isNew: isNew) }
    }

    /// Lets the wrappers know that they hold no value any more, so that they refuse to be encoded.
    private final func _markManaged(_ persisted: PersistedClass) {
        for property in persisted.properties { property.wrapper.markManaged(at: _rlmAddress + property.offset) }
    }

    /// Makes an accessor that nobody else holds one of another row of the same class and realm.
    @inline(__always)
    package final func _move(
        to key: ObjectKey, _ chunks: UnsafeChunkSlots, _ row: Int, _ generation: UInt64
    ) {
        _rlmKey = key
        _rlmChunks = chunks
        _rlmRow = row
        _rlmGeneration = generation
        _rlmSeenGeneration = generation
    }

    /// As `_move` when the row is not known, or the object may be part of the open transaction.
    package final func _move(to key: ObjectKey) {
        _rlmKey = key
        _rlmGeneration = 0
        _rlmSeenGeneration = 0
        if let core = _rlmCore, let model = _rlmModel { _relocate(core, model) }
    }

    /// Forgets the collections that were made for an accessor, before it is moved.
    package final func _resetCollections() {
        guard let persisted = _rlmModel?.persisted else { return }
        for index in persisted.collections {
            persisted.properties[index].wrapper.reset(at: _rlmAddress + persisted.properties[index].offset)
        }
    }

    /// Finds the row anew. False if the object is gone.
    @discardableResult
    package final func _relocate(_ core: RealmCore, _ model: ManagedClass) -> Bool {
        switch core.locate(model.info, _rlmKey, generation: _rlmSeenGeneration) {
        case .row(let chunks, let row):
            _rlmChunks = chunks
            _rlmRow = row
            let generation = core.access.pointee.generation
            _rlmGeneration = generation
            _rlmSeenGeneration = generation
            return true
        case .overlay:
            _rlmGeneration = 0
            _rlmSeenGeneration = core.access.pointee.generation
            return true
        case .missing:
            _rlmGeneration = 0
            return false
        }
    }

    /// The chunk from which a property of the managed object is read; nil when the core must be asked. Checks
    /// confinement, and that the object exists.
    @usableFromInline
    package final func _findChunk(_ index: Int) -> UnsafeRawPointer? {
        let (core, model) = _checkManaged()
        guard _rlmGeneration != 0, let column = model.columns[index], let chunks = _rlmChunks else { return nil }
        return chunks[column.slot] ?? core.loadChunk(model.info, _rlmKey, column)
    }

    /// Checks confinement, and traps unless the object is managed and exists.
    @discardableResult
    package final func _checkManaged() -> (core: RealmCore, model: ManagedClass) {
        guard let core = _rlmCore, let model = _rlmModel else { preconditionFailure("the object is unmanaged") }
        core.check()
        if _rlmGeneration != core.access.pointee.generation {
            guard _relocate(core, model) else { fail(.invalidated(model.persisted.name)) }
        }
        return (core, model)
    }

    /// Property `index` of a managed object, with the open transaction's changes.
    package final func _readStored(_ index: Int) -> _StoredValue {
        let (core, model) = _checkManaged()
        let column = model.column(index)
        if column.property.type == .mixed { return CollectionPlace(core, model, _rlmKey, index).mixed }
        guard column.property.type == .link else {
            return _StoredValue(core.value(model.info, _rlmKey, column))
        }
        guard let target = core.linkKey(model.info, _rlmKey, column) else { return .null }
        return _StoredValue(model.target(index, target))
    }

    /// Assigns property `index` of a managed object. An unmanaged object that is assigned becomes managed.
    package final func _writeStored(_ index: Int, _ stored: _StoredValue) {
        guard let core = _rlmCore, let model = _rlmModel else { preconditionFailure("the object is unmanaged") }
        let property = model.persisted.properties[index]
        core.checkWrite("set '\(model.persisted.name).\(property.name)'")
        _checkManaged()
        if index == model.persisted.primaryKeyIndex { fail(.primaryKeyChange(model.persisted.name, property.name)) }
        ObjectWriter(core).set(model, _rlmKey, index, stored)
        // The object is part of the transaction now.
        _rlmGeneration = 0
    }

    package final func _trapUnreadable<Value>(_ index: Int, _ stored: _StoredValue, _ type: Value.Type) -> Never {
        let persisted = _rlmPersisted
        fail(
            Mistake(
                "The stored value \(stored.description) of '\(persisted.name).\(persisted.properties[index].name)' is "
                    + "no value of \(type): an enumeration needs a case for each stored value, or an optional property."
            ))
    }
}

extension RealmCore {
    /// The chunk of a column, for the object's cluster; nil for collections.
    package func loadChunk(_ info: ClassInfo, _ key: ObjectKey, _ column: StoredColumn) -> UnsafeRawPointer? {
        info.reader.locate(key)?.cluster.load(column.slot)
    }
}
