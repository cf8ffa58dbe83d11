import Foundation
import Model
import Store

/// The class that a property of a `DynamicObject` leads to, by its name in the realm of the object.
package final class DynamicTarget: Sendable {
    package let className: String
    private weak let core: RealmCore?

    init(_ className: String, _ core: RealmCore) {
        self.className = className
        self.core = core
    }

    /// nil once the realm is closed.
    package var persisted: PersistedClass? {
        core?.storedInfo(named: className).map { ManagedClass.dynamic($0).persisted }
    }
}

extension PersistedProperty {
    /// Name of the class of a link, of a collection's objects, or of the origins of inverse links.
    package var targetName: String? {
        dynamicTarget?.className ?? objectType.map { ClassLayout.of($0).name }
    }

    /// The class of a link, of a collection's objects, or of the origins of inverse links.
    package var targetClass: PersistedClass? {
        if let dynamicTarget { return dynamicTarget.persisted }
        return objectType.map { PersistedClass.of($0) }
    }

    /// Whether a managed object is of the class that the property links to, whichever way it is looked at.
    func admits(_ object: ObjectBase) -> Bool {
        guard let objectType else { return true }
        let type = Swift.type(of: object)
        if type == objectType, type != DynamicObject.self { return true }
        guard type == DynamicObject.self || objectType == DynamicObject.self else { return false }
        return (object._rlmModel?.info.name ?? ClassLayout.of(type).name) == targetName
    }

    /// A declared property as a `DynamicObject` has it.
    init(dynamic declared: PersistedProperty, in info: ClassInfo) {
        let target = declared.targetName
        self.init(
            dynamic: declared.name, declared.columnName, declared.type,
            isOptional: declared.isOptional || declared.type == .link && declared.collection == .single,
            declared.collection, target: target, origin: declared.originProperty, isPrimaryKey: declared.isPrimaryKey,
            isIndexed: declared.isIndexed, in: info)
    }

    /// A stored property as a `DynamicObject` has it.
    init(dynamic stored: PropertySchema, name: String, isPrimaryKey: Bool, in info: ClassInfo) {
        self.init(
            dynamic: name, stored.name, stored.type,
            isOptional: stored.type != .mixed
                && (stored.type == .link ? stored.collection.holdsNullableLinks : stored.isNullable),
            stored.collection, target: stored.target, origin: nil, isPrimaryKey: isPrimaryKey,
            isIndexed: stored.isIndexed, in: info)
    }

    private init(
        dynamic name: String, _ columnName: String, _ type: ValueType, isOptional: Bool, _ collection: CollectionKind,
        target: String?, origin: String?, isPrimaryKey: Bool, isIndexed: Bool, in info: ClassInfo
    ) {
        let wrapper: any AnyPersisted.Type =
            origin == nil
            ? DynamicWrapper.of(type, isOptional: isOptional, collection)
            : Persisted<LinkingObjects<DynamicObject>>.self
        let kind = target.flatMap { info.core.storedInfo(named: $0)?.schema.kind }
        self.init(
            name: name, columnName: columnName, type: type, isOptional: isOptional, collection: collection,
            objectType: type == .link ? DynamicObject.self : nil, originProperty: origin, isPrimaryKey: isPrimaryKey,
            isIndexed: isIndexed, offset: 0, wrapper: wrapper, codec: PropertyCodec(wrapper),
            isEmbedding: origin == nil && kind == .embedded,
            dynamicTarget: target.map { DynamicTarget($0, info.core) })
    }
}

extension CollectionKind {
    /// Whether a property or an element can be a link to nothing.
    fileprivate var holdsNullableLinks: Bool { self == .single || self == .dictionary }
}

/// The Swift types of properties that nobody declared.
enum DynamicWrapper {
    static func of(_ type: ValueType, isOptional: Bool, _ collection: CollectionKind) -> any AnyPersisted.Type {
        switch type {
        case .int: wrapper(Int.self, isOptional, collection)
        case .bool: wrapper(Bool.self, isOptional, collection)
        case .string: wrapper(String.self, isOptional, collection)
        case .binary: wrapper(Data.self, isOptional, collection)
        case .timestamp: wrapper(Date.self, isOptional, collection)
        case .float: wrapper(Float.self, isOptional, collection)
        case .double: wrapper(Double.self, isOptional, collection)
        case .decimal: wrapper(Decimal128.self, isOptional, collection)
        case .objectId: wrapper(ObjectId.self, isOptional, collection)
        case .uuid: wrapper(UUID.self, isOptional, collection)
        case .mixed: wrapper(AnyRealmValue.self, false, collection)
        case .link: wrapper(DynamicObject.self, isOptional, collection)
        }
    }

    private static func wrapper<T: _PersistableInsideOptional & _RealmCollectionValueInsideOptional>(
        _ type: T.Type, _ isOptional: Bool, _ collection: CollectionKind
    ) -> any AnyPersisted.Type {
        switch collection {
        case .single: isOptional ? Persisted<T?>.self : Persisted<T>.self
        case .list: isOptional ? Persisted<List<T?>>.self : Persisted<List<T>>.self
        case .set: isOptional ? Persisted<MutableSet<T?>>.self : Persisted<MutableSet<T>>.self
        case .dictionary: isOptional ? Persisted<Map<String, T?>>.self : Persisted<Map<String, T>>.self
        }
    }
}
