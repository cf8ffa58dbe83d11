import Dispatch
import Foundation
import Model
import Store

/// What happened to an observed object.
@frozen
public enum ObjectChange<ObjectType> {
    /// Kept for source compatibility; not sent.
    case error(_ error: NSError)
    /// Properties were assigned, or their collections changed.
    case change(_ object: ObjectType, _ properties: [PropertyChange])
    /// The object was deleted. Nothing follows.
    case deleted
}

/// A property of an observed object that changed.
public struct PropertyChange {
    /// Name in Swift.
    public let name: String
    /// nil for collections, and for changes that the observing thread itself made.
    public let oldValue: Any?
    /// nil for collections.
    public let newValue: Any?
}

extension ObjectBase {
    /// Calls `block` after each transaction that changed the object, until the token is released.
    ///
    /// - Parameters:
    ///   - keyPaths: names of properties; nil for all. Paths through links report changes of linked objects.
    ///   - queue: the serial queue to be called on; nil: where the realm lives.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(keyPaths, DeliveryPlace(queue), block)
    }

    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        _observe(_KeyPathTracer.paths(keyPaths), DeliveryPlace(queue), block)
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public final func observe<A: Actor, T: ObjectBase>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        _observe(keyPaths, actor, block)
    }

    public final func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        _observe(_KeyPathTracer.paths(keyPaths), actor, block)
    }

    private func _observe<A: Actor, T: ObjectBase>(
        _ keyPaths: [String]?, _ actor: A, _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observing(on: actor, block) { _observe(keyPaths, $0, $1) }
    }

    private func _observe<T: ObjectBase>(
        _ keyPaths: [String]?, _ place: DeliveryPlace, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        guard _rlmCore != nil else { fail(.observeUnmanaged) }
        let (core, model) = _checkManaged()
        if core.isFrozen { fail(.doesNotChange("observe a frozen object")) }
        let persisted = model.persisted
        let paths = keyPaths.flatMap { $0.isEmpty ? nil : $0 }?.map { persisted.columnPath($0) }
        let key = _settledKey
        return core.observeObject(model.info, key, keyPaths: paths, on: place) { core, notice in
            guard let info = core.storedInfo(named: persisted.name) else { return }
            let model = ManagedClass.of(info, persisted.type)
            switch notice {
            case .deleted: block(.deleted)
            case .change(let properties):
                guard let object = ObjectBase.accessor(model, key) as? T else { return }
                let changes = properties.compactMap { property -> PropertyChange? in
                    guard let index = model.index(of: property) else { return nil }
                    return PropertyChange(
                        name: persisted.properties[index].name,
                        oldValue: property.old.flatMap { model.anyValue($0, index) },
                        newValue: property.new.flatMap { model.anyValue($0, index) })
                }
                block(.change(object, changes))
            }
        }
    }
}

extension ManagedClass {
    /// The property that a notice is about; nil if the app's class doesn't have it.
    fileprivate func index(of property: ObjectNotice.Property) -> Int? {
        guard let origin = property.origin else {
            return columns.firstIndex { $0?.id == property.column.id }
        }
        return persisted.properties.indices.first { index in
            guard let name = persisted.properties[index].originProperty else { return false }
            let source = targetModel(index)
            guard source.info.table.id == origin.table, let position = source.persisted.index(of: name) else {
                return false
            }
            return source.columns[position]?.id == origin.column
        }
    }

    /// A value of property `index` as its Swift type would show it, nil flattened.
    func anyValue(_ element: ListElement, _ index: Int) -> Any? {
        switch element {
        case .link(let key): return target(index, key)
        case .list, .dictionary: return nil
        case .value(let value): return persisted.properties[index].wrapper.swiftValue(_StoredValue(value))
        case .object(let table, let key):
            // An object of a class that this process doesn't know can't be shown.
            guard let name = info.core.storedInfo(table)?.name, let target = info.core.info(className: name),
                let model = ManagedClass.known(target)
            else { return nil }
            return persisted.properties[index].wrapper.swiftValue(_StoredValue(ObjectBase.accessor(model, key)))
        }
    }
}

extension PersistedClass {
    /// A dotted path of Swift names by stored names, inverse links as `InverseStep`s. Traps for an unknown property
    /// (MK-52).
    package func columnPath(_ path: String) -> [String] {
        var persisted: PersistedClass? = self
        return path.split(separator: ".", omittingEmptySubsequences: false).map { name in
            guard let property = persisted?.property(String(name)) else {
                fail(.propertyNotFound(self.name, path))
            }
            persisted = property.targetClass
            guard let origin = property.originProperty, let source = persisted else { return property.columnName }
            guard let column = source.property(origin)?.columnName else { fail(.propertyNotFound(source.name, origin)) }
            return InverseStep(className: source.name, property: column).name
        }
    }
}
