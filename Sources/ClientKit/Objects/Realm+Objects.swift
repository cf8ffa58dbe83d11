import Model
import Store

extension Realm {
    /// What `add` and `create` do about an object that exists with the primary key.
    public enum UpdatePolicy: Int, Sendable {
        /// Trap.
        case error = 1
        /// Overwrite its properties.
        case all = 2
        /// Overwrite the properties that differ; only those count as changed.
        case modified = 3
    }

    /// Makes an object part of the realm, with all that it links to. In a write transaction.
    ///
    /// The object itself becomes the accessor. One that is in this realm already stays as it is. Traps if it belongs to
    /// another realm, was deleted, or, with `.error`, if its primary key is taken.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        core.checkWrite("add an object of class '\(object._rlmPersisted.name)'")
        ObjectWriter(core).add(object, update: update)
    }

    /// Adds one object after the other.
    public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Element: Object {
        for object in objects { add(object, update: update) }
    }

    /// Creates an object, or updates the one that has the primary key. In a write transaction.
    ///
    /// - Parameter value: a dictionary by property names, an array in the order of the properties, or an object, whose
    ///   values are copied. What is missing has its default in a new object, and stays in an updated one.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error) -> T {
        core.checkWrite("create an object of class '\(type.className())'")
        let model = core.model(of: type)
        let key = ObjectWriter(core).create(model, value, update: update)
        return unsafeDowncast(ObjectBase.accessor(model, key), to: T.self)
    }

    /// Creates an object that goes up to the server, and can't be read any more. In a write transaction. Traps if one with
    /// the primary key has been created in the same transaction.
    ///
    /// - Parameter value: as for other objects. Objects of plain classes that it links to become part of the realm.
    public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
        core.checkWrite("create an object of class '\(type.className())'")
        _ = ObjectWriter(core).create(core.model(of: type), value, update: .error)
    }

    /// Deletes an object. Links to it become nil, and it leaves the lists it is in. In a write transaction.
    public func delete(_ object: ObjectBase) {
        guard let owner = object._rlmCore, let model = object._rlmModel, owner === core else {
            fail(.deleteOfForeign(object._rlmPersisted.name))
        }
        core.checkWrite("delete an object of class '\(model.persisted.name)'")
        object._checkManaged()
        core.delete(model.info, object._rlmKey)
        object._rlmGeneration = 0
    }

    /// Deletes one object after the other.
    public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
        for object in Array(objects) { delete(object) }
    }

    /// Deletes the objects that are the values of a map, and removes all its keys.
    public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
        for object in map.values.compactMap({ $0 }) where !object.isInvalidated { delete(object) }
        map.removeAll()
    }

    /// Deletes all objects of all classes of the realm's schema.
    public func deleteAll() {
        core.checkWrite("delete all objects")
        for name in core.infos.keys.sorted() {
            // Those of asymmetric classes aren't here any more, or are on their way.
            if let info = core.info(className: name), info.schema.kind != .asymmetric { core.deleteAll(info) }
        }
    }

    /// The object with a primary key; nil if there is none. Traps if the class has no primary key or one of another type.
    public func object<T: Object, KeyType>(ofType type: T.Type, forPrimaryKey key: KeyType) -> T? {
        core.check()
        return find(core.model(of: type), key).map { unsafeDowncast($0, to: T.self) }
    }

    /// As `object(ofType:forPrimaryKey:)`.
    func find(_ model: ManagedClass, _ key: Any) -> ObjectBase? {
        let (persisted, info) = (model.persisted, model.info)
        guard let index = persisted.primaryKeyIndex else { fail(.noPrimaryKey(persisted.name)) }
        let property = persisted.properties[index]
        guard let primary = AnyCoercion.primaryKey(key, as: property.type), property.isOptional || primary != .null
        else {
            fail(.invalidPrimaryKey("\(key)", persisted.name, expected: property.typeDescription))
        }
        return core.find(info, primary).map { ObjectBase.accessor(model, $0) }
    }

    /// The classes of the realm's schema: as the app declares them, if it does.
    package var schemaClasses: [PersistedClass] {
        core.infos.sorted { $0.key < $1.key }.map { name, info in
            core.classes.types[name] ?? ManagedClass.dynamic(info).persisted
        }
    }
}
