import Dispatch
import Model

/// What happened to an observed collection.
@frozen
public enum RealmCollectionChange<CollectionType> {
    /// The first call, after the collection was evaluated.
    case initial(CollectionType)
    /// Deletions are positions in the former state, insertions and modifications in the new one.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Kept for source compatibility; not sent.
    case error(any Error)
}

extension RealmCollection {
    /// Calls `block` once with the collection, then after each transaction that changed it or its objects, until the
    /// token is released.
    ///
    /// - Parameters:
    ///   - keyPaths: properties whose changes count; nil for all.
    ///   - queue: the serial queue to be called on; nil: where the realm lives.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, DeliveryPlace(queue), block)
    }

    func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        guard let state = _rlmState else { fail(.observeUnmanaged) }
        let paths = state.columnPaths(keyPaths, of: Element.self)
        return state.core.observe(state.observed, keyPaths: paths, on: place) { core, _, notice in
            let collection: Self
            if core === state.core {
                collection = self
            } else {
                guard let moved = state.moved(to: core) else { return }
                collection = _rlmMoved(to: moved)
            }
            switch notice {
            case .initial: block(.initial(collection))
            case .update(let deletions, let insertions, let modifications):
                block(
                    .update(
                        collection, deletions: deletions, insertions: insertions, modifications: modifications))
            }
        }
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        observing(on: actor, block) { observe(keyPaths, $0, $1) }
    }
}

extension RealmCollection where Element: _KeyPathRoot {
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: queue, block)
    }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}

extension _CollectionState {
    /// Key paths of the elements, given by Swift names, in stored names; nil: all changes count.
    func columnPaths(_ keyPaths: [String]?, of element: any RealmCollectionValue.Type) -> [[String]]? {
        let projected = (element as? any ProjectionObservable.Type).map { ProjectedClass.of($0) }
        guard let keyPaths, !keyPaths.isEmpty else { return projected?.properties.flatMap(\.paths) }
        return keyPaths.flatMap { path in
            if let property = projected?.property(path) { return property.paths }
            return [model?.persisted.columnPath(path) ?? path.split(separator: ".").map(String.init)]
        }
    }

    /// What is watched for this collection.
    var observed: ObservedSource {
        switch source {
        case .values(let query): return .list(query.info, query.key, query.column, query.path)
        case .objects(let query):
            if case .list(let owner, let key, let column) = query.source, query.condition == .constant(true),
                query.descriptors.isEmpty
            {
                return .list(owner, key, column, [])
            }
            return .results(query)
        }
    }
}
