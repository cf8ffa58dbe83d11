import Model
import Store

/// An object whose class is known by its name only. Its properties are read and assigned by name.
///
/// ```swift
/// for dog in realm.dynamicObjects("Dog") {
///     print(dog["name"] as? String ?? "", dog.age as? Int ?? 0)
/// }
/// ```
/// Links lead to other dynamic objects; collections of objects are `List<DynamicObject>`, `MutableSet<DynamicObject>` and
/// `Map<String, DynamicObject?>`, those of values are typed by their elements.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// A property by its name. Traps for unknown names (MK-24).
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What a migration block is given of the objects before and after.
public typealias MigrationObject = DynamicObject

extension Realm {
    /// All objects of a class by its name. Traps if it is not in the realm's schema.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        core.check()
        let model = dynamicModel(typeName)
        if model.info.schema.kind != .topLevel { fail(.classNotManaged(typeName)) }
        return Results(_CollectionState(core, .objects(CollectionQuery(model.info)), model))
    }

    /// The object with a primary key; nil if there is none. Traps if the class is not in the realm's schema, has no
    /// primary key or one of another type.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        core.check()
        let model = dynamicModel(typeName)
        return find(model, key).map { unsafeDowncast($0, to: DynamicObject.self) }
    }

    /// Creates an object of a class by its name, or updates the one that has the primary key. In a write transaction.
    ///
    /// - Parameter value: a dictionary by property names, an array in the order of the properties, or an object, whose
    ///   values are copied. What is missing has the default of the Swift class with that name, if there is one, else
    ///   null, zero or nothing.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        core.checkWrite("create an object of class '\(typeName)'")
        let model = dynamicModel(typeName)
        if model.info.schema.kind == .embedded {
            fail(Mistake("Embedded objects cannot be created directly: '\(typeName)' is part of other objects."))
        }
        if model.info.schema.kind == .asymmetric {
            fail(Mistake("Objects of the asymmetric class '\(typeName)' can't be read: use create(_:value:)."))
        }
        let key = ObjectWriter(core).create(model, value, update: update)
        return unsafeDowncast(ObjectBase.accessor(model, key), to: DynamicObject.self)
    }

    private func dynamicModel(_ name: String) -> ManagedClass {
        guard let info = core.info(className: name) else { fail(.classNotManaged(name)) }
        return ManagedClass.dynamic(info)
    }
}

extension ObjectBase {
    /// The place of a collection of objects, seen without their Swift class. Traps for other properties.
    fileprivate func dynamicPlace(_ name: String, _ kind: CollectionKind) -> (model: ManagedClass, index: Int) {
        guard _rlmCore != nil else {
            fail(Mistake("Unmanaged objects have no dynamic collections: '\(name)' of a managed object does."))
        }
        let model = ManagedClass.dynamic(_checkManaged().model.info)
        guard let index = model.persisted.index(of: name) else {
            fail(Mistake("Invalid property name '\(name)' for class '\(model.persisted.name)'."))
        }
        let property = model.persisted.properties[index]
        guard property.collection == kind, property.type == .link, !property.isComputed else {
            fail(
                Mistake(
                    "'\(model.persisted.name).\(name)' is no \(kind) of objects, but \(property.typeDescription)."))
        }
        return (model, index)
    }

    fileprivate func list(_ name: String) -> List<DynamicObject> {
        let (model, index) = dynamicPlace(name, .list)
        let core = model.info.core
        return List(List.Place(core, model, _rlmKey, index, seen: core.access.pointee.generation))
    }
}

extension Object {
    /// A list of objects by the property's name, whatever their Swift class.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> { list(propertyName) }

    /// A set of objects by the property's name, whatever their Swift class.
    public func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        let (model, index) = dynamicPlace(propertyName, .set)
        return MutableSet(CollectionPlace(model.info.core, model, _rlmKey, index))
    }

    /// A map of objects by the property's name, whatever their Swift class.
    public func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        let (model, index) = dynamicPlace(propertyName, .dictionary)
        return Map(CollectionPlace(model.info.core, model, _rlmKey, index))
    }
}

extension EmbeddedObject {
    /// A list of objects by the property's name, whatever their Swift class.
    public func dynamicList(_ propertyName: String) -> List<DynamicObject> { list(propertyName) }
}
