import Dispatch
import Model
import Store

/// What projections are to those who observe them.
public protocol ProjectionObservable: AnyObject, ThreadConfined, RealmCollectionValue {
    /// The class that is projected.
    associatedtype Root: ObjectBase
    var rootObject: Root { get }
    init(projecting object: Root)
}

/// What `PropertyChange` is for projections: its name is that of the projected property.
public typealias ProjectedPropertyChange = PropertyChange

extension ProjectionObservable {
    /// Calls `block` after each transaction that changed what is projected, until the token is released.
    ///
    /// - Parameters:
    ///   - keyPaths: names of projected properties; nil for all.
    ///   - queue: the serial queue to be called on; nil: where the realm lives.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(named(keyPaths), DeliveryPlace(queue), block)
    }

    public func observe(
        keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(led(keyPaths), DeliveryPlace(queue), block)
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        observe(named(keyPaths), actor, block)
    }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        observe(led(keyPaths), actor, block)
    }

    private func observe<A: Actor>(
        _ properties: [ProjectedClass.Property], _ actor: A,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observing(on: actor, block) { observe(properties, $0, $1) }
    }

    /// The projected properties of some names. Traps if there is none of a name (MK-52).
    private func named(_ names: [String]?) -> [ProjectedClass.Property] {
        let projected = ProjectedClass.of(self)
        guard let names, !names.isEmpty else { return projected.properties }
        return names.map { name in
            guard let property = projected.property(name) else { fail(.propertyNotFound("\(Self.self)", name)) }
            return property
        }
    }

    /// The projected properties that key paths begin with.
    private func led(_ keyPaths: [PartialKeyPath<Self>]) -> [ProjectedClass.Property] {
        let projected = ProjectedClass.of(self)
        guard !keyPaths.isEmpty else { return projected.properties }
        return keyPaths.flatMap { keyPath in
            let first = _KeyPathTracer.projected(keyPath)
            let properties = projected.properties.filter { $0.keyPath == first }
            if properties.isEmpty { fail(.propertyNotFound("\(Self.self)", "\(keyPath)")) }
            return properties
        }
    }

    private func observe(
        _ properties: [ProjectedClass.Property], _ place: DeliveryPlace,
        _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        guard rootObject._rlmCore != nil else { fail(.observeUnmanaged) }
        let (core, model) = rootObject._checkManaged()
        if core.isFrozen { fail(.doesNotChange("observe a frozen object")) }
        let (info, key) = (model.info, rootObject._settledKey)
        return core.register(place) { core in
            guard let info = core.counterpart(of: info) else { return Notifier(core) }
            return ProjectionNotifier(core, info, key, properties) { notice in
                switch notice {
                case .deleted: block(.deleted)
                case .change(let properties, let old):
                    let root = ManagedClass.of(info, Root.self).root(key, Root.self)
                    let before = old.flatMap { $0() }.flatMap { core in
                        core.counterpart(of: info).map { ManagedClass.of($0, Root.self).root(key, Root.self) }
                    }
                    block(
                        .change(
                            Self(projecting: root),
                            properties.map { property in
                                PropertyChange(
                                    name: property.name, oldValue: before.flatMap { $0.projectedValue(property) },
                                    newValue: root.projectedValue(property))
                            }))
                }
            }
        }
    }
}

extension ManagedClass {
    fileprivate func root<Root: ObjectBase>(_ key: ObjectKey, _ type: Root.Type) -> Root {
        unsafeDowncast(ObjectBase.accessor(self, key), to: type)
    }
}

extension ObjectBase {
    /// nil for collections, as in every change of an object.
    fileprivate func projectedValue(_ property: ProjectedClass.Property) -> Any? {
        guard let value = self[keyPath: property.keyPath].flatMap({ AnyCoercion.unwrapped($0) }) else { return nil }
        let isCollection = value is any ThreadConfined & Sequence
        return isCollection ? nil : value
    }
}

enum ProjectionNotice {
    /// `old` gives the realm as it was, unless the change was made where it is observed.
    case change([ProjectedClass.Property], old: (() -> RealmCore?)?)
    case deleted
}

/// Tells about what a projection shows of one object.
final class ProjectionNotifier: Notifier {
    private let info: ClassInfo
    private let key: ObjectKey
    private let properties: [(property: ProjectedClass.Property, filter: PathFilter)]
    private let block: (ProjectionNotice) -> Void
    private var isGone = false

    init(
        _ core: RealmCore, _ info: ClassInfo, _ key: ObjectKey, _ properties: [ProjectedClass.Property],
        _ block: @escaping (ProjectionNotice) -> Void
    ) {
        self.info = info
        self.key = key
        self.properties = properties.map { ($0, PathFilter($0.paths, info)) }
        self.block = block
        super.init(core)
    }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        guard !isGone else { return nil }
        guard info.reader.contains(key) else {
            isGone = true
            return { [block] in block(.deleted) }
        }
        let changed = properties.filter { view.isModified(info, key, $0.filter) }.map(\.property)
        guard !changed.isEmpty else { return nil }
        let (snapshot, grant) = seen
        let old = view.isOwn ? nil : { [weak core] in core?.frozen(snapshot, grant) }
        return { [block] in block(.change(changed, old: old)) }
    }
}
