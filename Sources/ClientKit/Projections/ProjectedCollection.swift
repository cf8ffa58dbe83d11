import Dispatch
import Foundation

/// A property of the objects of a list, as a live collection: `person.dogs.projectTo.name`.
public struct ProjectedCollection<Element: RealmCollectionValue>: RandomAccessCollection, CustomStringConvertible {
    let source: any ProjectedSource<Element>

    public var startIndex: Int { 0 }
    public var endIndex: Int { source.count }
    public var count: Int { source.count }

    /// The property of the object at a position. Assigning it needs a write transaction, and a property that can be
    /// written.
    public subscript(position: Int) -> Element {
        get { source.value(at: position) }
        nonmutating set { source.set(newValue, at: position) }
    }

    /// The first position of a value; nil if it isn't there.
    public func index(of value: Element) -> Int? { firstIndex(of: value) }

    /// The position of the first object for which a predicate holds.
    public func index(matching predicate: NSPredicate) -> Int? { source.index(matching: predicate) }

    /// The position of the first object for which a predicate holds.
    public func index(matching predicateFormat: String, _ arguments: Any...) -> Int? {
        source.index(matching: NSPredicate(format: predicateFormat, argumentArray: arguments))
    }

    public var description: String {
        var lines = ["ProjectedCollection<\(Element.self)> ("]
        lines += prefix(100).enumerated().map { "    [\($0)] \($1)" }
        if count > 100 { lines.append("    … \(count - 100) skipped.") }
        lines.append(")")
        return lines.joined(separator: "\n")
    }
}

// MARK: - Confinement
extension ProjectedCollection: ThreadConfined {
    public var realm: Realm? { source.realm }
    public var isInvalidated: Bool { source.isInvalidated }
    public var isFrozen: Bool { source.isFrozen }

    /// The values as they are now, for every thread.
    public func freeze() -> ProjectedCollection { ProjectedCollection(source: source.frozen()) }

    /// The live values of this thread; nil if the collection's owner was deleted since.
    public func thaw() -> ProjectedCollection? { source.thawed().map { ProjectedCollection(source: $0) } }
}

extension ProjectedCollection: Equatable {
    public static func == (a: ProjectedCollection, b: ProjectedCollection) -> Bool {
        a.source.identity == b.source.identity
    }
}

// MARK: - Observation
extension ProjectedCollection {
    /// Calls `block` once with the values, then after each transaction that changed the collection or the property of
    /// its objects, until the token is released.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, DeliveryPlace(queue), block)
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<ProjectedCollection>) -> Void
    ) async -> NotificationToken {
        observing(on: actor, block) { observe(keyPaths, $0, $1) }
    }

    private func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        source.observe(keyPaths, place) { change in
            switch change {
            case .initial(let source): block(.initial(ProjectedCollection(source: source)))
            case .update(let source, let deletions, let insertions, let modifications):
                block(
                    .update(
                        ProjectedCollection(source: source), deletions: deletions, insertions: insertions,
                        modifications: modifications))
            case .error(let error): block(.error(error))
            }
        }
    }
}

/// What a projected collection takes its values from, without the class of the objects.
protocol ProjectedSource<Element> {
    associatedtype Element: RealmCollectionValue
    var count: Int { get }
    func value(at position: Int) -> Element
    func set(_ value: Element, at position: Int)
    func index(matching predicate: NSPredicate) -> Int?
    var realm: Realm? { get }
    var isInvalidated: Bool { get }
    var isFrozen: Bool { get }
    func frozen() -> any ProjectedSource<Element>
    func thawed() -> (any ProjectedSource<Element>)?
    var identity: AnyHashable { get }
    func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace,
        _ block: @escaping (RealmCollectionChange<any ProjectedSource<Element>>) -> Void
    ) -> NotificationToken
}

/// A property of the objects of a collection.
struct ProjectedElements<Base: RealmCollection & Hashable, Element: RealmCollectionValue>: ProjectedSource
where Base.Element: ObjectBase {
    let base: Base
    let member: KeyPath<Base.Element, Element>

    var count: Int { base.count }
    func value(at position: Int) -> Element { base[position][keyPath: member] }

    func set(_ value: Element, at position: Int) {
        guard let member = member as? ReferenceWritableKeyPath<Base.Element, Element> else {
            fail(Mistake("A projected collection of \(Element.self) is not writable: its key path can only be read."))
        }
        base[position][keyPath: member] = value
    }

    func index(matching predicate: NSPredicate) -> Int? { base.index(matching: predicate) }
    var realm: Realm? { base.realm }
    var isInvalidated: Bool { base.isInvalidated }
    var isFrozen: Bool { base.isFrozen }
    func frozen() -> any ProjectedSource<Element> { ProjectedElements(base: base.freeze(), member: member) }

    func thawed() -> (any ProjectedSource<Element>)? {
        base.thaw().map { ProjectedElements(base: $0, member: member) }
    }

    var identity: AnyHashable { [AnyHashable(base), AnyHashable(member)] }

    func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace,
        _ block: @escaping (RealmCollectionChange<any ProjectedSource<Element>>) -> Void
    ) -> NotificationToken {
        let paths = keyPaths.flatMap { $0.isEmpty ? nil : $0 } ?? _KeyPathTracer.paths([member])
        return base.observe(paths, place) { [member] change in
            switch change {
            case .initial(let base): block(.initial(ProjectedElements(base: base, member: member)))
            case .update(let base, let deletions, let insertions, let modifications):
                block(
                    .update(
                        ProjectedElements(base: base, member: member), deletions: deletions, insertions: insertions,
                        modifications: modifications))
            case .error(let error): block(.error(error))
            }
        }
    }
}

/// Makes projected collections of the properties of a collection's objects.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase & RealmCollectionValue> {
    let base: any ProjectableCollection<Element>

    /// A property of all objects.
    public subscript<V: RealmCollectionValue>(dynamicMember member: KeyPath<Element, V>) -> ProjectedCollection<V> {
        // In an object that records what a key path reads, the one element records the rest of it.
        if let element = base.tracing { _ = element[keyPath: member] }
        return ProjectedCollection(source: base.projected(member))
    }
}

/// A collection of objects that can be projected.
protocol ProjectableCollection<Element> {
    associatedtype Element: ObjectBase & RealmCollectionValue
    /// The element of a collection that only records.
    var tracing: Element? { get }
    func projected<V: RealmCollectionValue>(_ member: KeyPath<Element, V>) -> any ProjectedSource<V>
}

/// See `CollectionElementMapper`.
struct Projectable<Base: RealmCollection & Hashable>: ProjectableCollection
where Base.Element: ObjectBase & RealmCollectionValue {
    let base: Base

    var tracing: Base.Element? {
        guard base._rlmState == nil, let first = base._rlmUnmanaged.first, first._rlmTracer != nil else { return nil }
        return first
    }

    func projected<V: RealmCollectionValue>(_ member: KeyPath<Base.Element, V>) -> any ProjectedSource<V> {
        ProjectedElements(base: base, member: member)
    }
}

extension List where Element: ObjectBase {
    /// The properties of the list's objects, as collections: `person.dogs.projectTo.name`.
    public var projectTo: CollectionElementMapper<Element> {
        CollectionElementMapper(base: Projectable(base: self))
    }
}
