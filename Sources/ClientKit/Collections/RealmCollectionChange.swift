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

    private func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace, _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        guard let state = _rlmState else { fail(.observeUnmanaged) }
        let model = state.model
        let paths = keyPaths.flatMap { $0.isEmpty ? nil : $0 }?.map { path in
            model?.persisted.columnPath(path) ?? path.split(separator: ".").map(String.init)
        }
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
        if Task.isCancelled { return NotificationToken(end: nil) }
        return observe(keyPaths, .actor(actor)) { change in
            // The core calls from the actor.
            let change = UnsafeTransfer(change)
            actor.assumeIsolated { block($0, change.value) }
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { _KeyPathTracer.names($0).joined(separator: ".") }, on: queue, block)
    }
}

extension _CollectionState {
    /// What is watched for this collection.
    var observed: ObservedSource {
        switch source {
        case .values(let query): return .list(query.info, query.key, query.column)
        case .objects(let query):
            if case .list(let owner, let key, let column) = query.source, query.condition == .constant(true),
                query.descriptors.isEmpty
            {
                return .list(owner, key, column)
            }
            return .results(query)
        }
    }
}
