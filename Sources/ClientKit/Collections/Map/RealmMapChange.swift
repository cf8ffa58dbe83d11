import Dispatch
import Model
import Store

/// What happened to an observed map.
@frozen
public enum RealmMapChange<Collection: RealmKeyedCollection> {
    /// The first call, after the map was read.
    case initial(Collection)
    /// Keys that went, that came, and whose values were assigned or changed.
    case update(
        Collection, deletions: [Collection.Key], insertions: [Collection.Key], modifications: [Collection.Key])
    /// Kept for source compatibility; not sent.
    case error(any Error)
}

extension Map {
    /// Calls `block` once with the map, then after each transaction that changed it or its objects, until the token is
    /// released.
    ///
    /// - Parameters:
    ///   - keyPaths: properties of the objects whose changes count; nil for all.
    ///   - queue: the serial queue to be called on; nil: where the realm lives.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil, _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        observe(keyPaths, DeliveryPlace(queue), block)
    }

    /// As `observe(keyPaths:on:_:)`, with the block isolated to an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        observing(on: actor, block) { observe(keyPaths, $0, $1) }
    }

    private func observe(
        _ keyPaths: [String]?, _ place: DeliveryPlace, _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        guard let own = self.place else { fail(.observeUnmanaged) }
        let here = checked(own)
        let values = here.state
        let paths = values.columnPaths(keyPaths, of: Value.self)
        if let info = values.model?.info { _ = PathFilter(paths, info) }
        return here.core.register(place) { core in
            // The owner may be gone by now: then there is nothing to tell.
            guard let there = here.moved(to: core) else { return Notifier(core) }
            let info = there.state.model?.info
            let filter = info.map { PathFilter(paths, $0) } ?? .any
            return MapNotifier(there, filter) { notice in
                let map = Map(there)
                switch notice {
                case .initial: block(.initial(map))
                case .update(let deletions, let insertions, let modifications):
                    block(
                        .update(
                            map, deletions: deletions.map { Key._fromMapKey($0) },
                            insertions: insertions.map { Key._fromMapKey($0) },
                            modifications: modifications.map { Key._fromMapKey($0) }))
                }
            }
        }
    }
}

extension Map where Value: OptionalProtocol, Value.Wrapped: _KeyPathRoot {
    public func observe(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: queue, block)
    }

    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Value.Wrapped>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Map>) -> Void
    ) async -> NotificationToken {
        await observe(keyPaths: _KeyPathTracer.paths(keyPaths), on: actor, _isolation: _isolation, block)
    }
}

/// What happened to a map between two versions.
enum MapNotice {
    case initial
    case update(deletions: [String], insertions: [String], modifications: [String])
}

/// Tells about a map property.
final class MapNotifier: Notifier {
    private let place: CollectionPlace
    private let filter: PathFilter
    private let block: (MapNotice) -> Void
    private var entries: (keys: [String], values: [ListElement])?

    init(_ place: CollectionPlace, _ filter: PathFilter, _ block: @escaping (MapNotice) -> Void) {
        self.place = place
        self.filter = filter
        self.block = block
        super.init(place.core)
    }

    override var isDue: Bool { entries == nil }

    override func advance(_ core: RealmCore, _ view: ChangeView) -> (() -> Void)? {
        // A map whose owner is gone is empty.
        var new: ([String], [ListElement]) = ([], [])
        if core.contains(place.model.info, place.key) {
            new = (place.keys, core.cells(place.model.info, place.key, place.column, place.steps))
        }
        defer { entries = new }
        guard let old = entries else { return { [block] in block(.initial) } }
        var deletions: [String] = []
        var insertions: [String] = []
        var modifications: [String] = []
        // Both are in the order of their keys.
        var (before, after) = (0, 0)
        while before < old.keys.count || after < new.0.count {
            if after == new.0.count || (before < old.keys.count && old.keys[before].precedesByBytes(new.0[after])) {
                deletions.append(old.keys[before])
                before += 1
            } else if before == old.keys.count || new.0[after].precedesByBytes(old.keys[before]) {
                insertions.append(new.0[after])
                after += 1
            } else {
                if old.values[before] != new.1[after] || isModified(new.1[after], view) {
                    modifications.append(new.0[after])
                }
                (before, after) = (before + 1, after + 1)
            }
        }
        if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty { return nil }
        return { [block] in
            block(.update(deletions: deletions, insertions: insertions, modifications: modifications))
        }
    }

    private func isModified(_ element: ListElement, _ view: ChangeView) -> Bool {
        guard case .link(let linked) = element else { return false }
        return view.isModified(place.model.info.target(of: place.column), linked, filter)
    }
}

extension String {
    fileprivate func precedesByBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
