import Model
import Store

extension ObjectBase {
    /// The class and key of a managed object, whether it still exists or not.
    package final var _managed: (info: ClassInfo, key: ObjectKey)? {
        guard let model = _model else { return nil }
        return (model.info, _key)
    }

    /// A new accessor of an object. The key must be one of the class.
    package static func accessor(_ model: ManagedClass, _ key: ObjectKey) -> ObjectBase {
        let object = model.persisted.type.init()
        object._attach(model, key)
        return object
    }

    /// A new accessor of an object of the Swift class that has the class's name.
    package static func accessor(_ info: ClassInfo, _ key: ObjectKey) -> ObjectBase {
        accessor(ManagedClass.of(info), key)
    }

    /// Makes the object an accessor of a row.
    package final func _attach(_ model: ManagedClass, _ key: ObjectKey) {
        let core = model.info.core
        _model = model
        _core = core
        _key = key
        _slots = model.slots
        _generation = 0
        _seenGeneration = 0
        _access = core.access
        _relocate(core, model)
    }

    /// Makes an unmanaged object the accessor of the row that has just been created for it.
    package final func _attachCreated(_ model: ManagedClass, _ key: ObjectKey) {
        let core = model.info.core
        _model = model
        _core = core
        _key = key
        _slots = model.slots
        _generation = 0
        _seenGeneration = core.access.pointee.generation
        _access = core.access
    }

    /// Makes an accessor that nobody else holds one of another row of the same class and realm.
    package final func _move(
        to key: ObjectKey, _ chunks: UnsafeMutablePointer<UnsafeRawPointer?>, _ row: Int, _ generation: UInt64
    ) {
        _key = key
        _chunks = chunks
        _row = row
        _generation = generation
        _seenGeneration = generation
    }

    /// As `_move` when the row is not known, or the object may be part of the open transaction.
    package final func _move(to key: ObjectKey) {
        _key = key
        _generation = 0
        _seenGeneration = 0
        if let core = _core, let model = _model { _relocate(core, model) }
    }

    /// Forgets the collections that were made for an accessor, before it is moved.
    package final func _resetCollections() {
        guard let persisted = _model?.persisted else { return }
        for index in persisted.collections {
            persisted.properties[index].wrapper.reset(at: _address + persisted.properties[index].offset)
        }
    }

    /// Finds the row anew. False if the object is gone.
    @discardableResult
    package final func _relocate(_ core: RealmCore, _ model: ManagedClass) -> Bool {
        switch core.locate(model.info, _key, generation: _seenGeneration) {
        case .row(let chunks, let row):
            _chunks = chunks
            _row = row
            let generation = core.access.pointee.generation
            _generation = generation
            _seenGeneration = generation
            return true
        case .overlay:
            _generation = 0
            _seenGeneration = core.access.pointee.generation
            return true
        case .missing:
            _generation = 0
            return false
        }
    }

    /// The chunk from which a property of the managed object is read; nil when the core must be asked. Checks
    /// confinement, and that the object exists.
    @usableFromInline
    package final func _findChunk(_ index: Int) -> UnsafeRawPointer? {
        let (core, model) = _checkManaged()
        guard _generation != 0, let column = model.columns[index], let chunks = _chunks else { return nil }
        return chunks[column.slot] ?? core.loadChunk(model.info, _key, column)
    }

    /// Checks confinement, and traps unless the object is managed and exists.
    @discardableResult
    package final func _checkManaged() -> (core: RealmCore, model: ManagedClass) {
        guard let core = _core, let model = _model else { preconditionFailure("the object is unmanaged") }
        core.check()
        if _generation != core.access.pointee.generation {
            guard _relocate(core, model) else { fail(.invalidated(model.persisted.name)) }
        }
        return (core, model)
    }

    /// Property `index` of a managed object, with the open transaction's changes.
    package final func _readStored(_ index: Int) -> _StoredValue {
        let (core, model) = _checkManaged()
        let column = model.column(index)
        guard column.property.type == .link else {
            return _StoredValue(core.value(model.info, _key, column))
        }
        guard let target = core.linkKey(model.info, _key, column) else { return .null }
        return _StoredValue(model.target(index, target))
    }

    /// Assigns property `index` of a managed object. An unmanaged object that is assigned becomes managed.
    package final func _writeStored(_ index: Int, _ stored: _StoredValue) {
        guard let core = _core, let model = _model else { preconditionFailure("the object is unmanaged") }
        let property = model.persisted.properties[index]
        core.checkWrite("set '\(model.persisted.name).\(property.name)'")
        _checkManaged()
        if index == model.persisted.primaryKeyIndex { fail(.primaryKeyChange(model.persisted.name, property.name)) }
        ObjectWriter(core).set(model, _key, index, stored)
        // The object is part of the transaction now.
        _generation = 0
    }

    package final func _trapUnreadable<Value>(_ index: Int, _ stored: _StoredValue, _ type: Value.Type) -> Never {
        let persisted = _persisted
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
