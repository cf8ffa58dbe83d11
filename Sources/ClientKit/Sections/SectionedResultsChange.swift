import Dispatch
import Foundation
import Model
import Store

/// What happened to observed sections.
@frozen
public enum SectionedResultsChange<CollectionType> {
    /// The first call, after the sections were made.
    case initial(CollectionType)
    /// Deletions are places in the former state, insertions and modifications in the new one. The elements of a
    /// section that went are not listed one by one, those of one that came are.
    case update(
        CollectionType, deletions: [IndexPath], insertions: [IndexPath], modifications: [IndexPath],
        sectionsToInsert: IndexSet, sectionsToDelete: IndexSet)
}

public typealias RealmSectionedResultsChange = SectionedResultsChange

extension SectionedResults {
    /// See `RealmSectionedResult`.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, DeliveryPlace(queue), block)
    }

    private func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        state.observe(keyPaths, place, only: nil) { state, notice in
            block(notice.change(of: SectionedResults(state)))
        }
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        observing(on: actor, block) { observe(keyPaths, $0, $1) }
    }
}

extension SectionedResults where SectionElement: _KeyPathRoot {
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<SectionedResults>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: queue, block)
    }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<SectionedResults>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}

extension ResultsSection {
    /// See `RealmSectionedResult`. Only changes of this section are told, also that it goes and comes.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, DeliveryPlace(queue), block)
    }

    private func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        state.observe(keyPaths, place, only: key) { [key] state, notice in
            block(notice.change(of: ResultsSection(key, state)))
        }
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        observing(on: actor, block) { observe(keyPaths, $0, $1) }
    }
}

extension ResultsSection where SectionElement: _KeyPathRoot {
    public func observe(
        keyPaths: [PartialKeyPath<SectionElement>], on queue: DispatchQueue? = nil,
        _ block: @escaping (SectionedResultsChange<ResultsSection>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: queue, block)
    }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<SectionElement>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, SectionedResultsChange<ResultsSection>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}
