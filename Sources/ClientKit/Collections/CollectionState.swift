import Foundation
import Model
import Query
import Store

/// Elements of a list property of values, in another order or without repetitions.
struct ValueQuery: Hashable {
    enum Step: Hashable {
        case sort(ascending: Bool)
        case distinct
    }

    var info: ClassInfo
    let key: ObjectKey
    let column: StoredColumn
    /// Into mixed values; empty for the property's own collection.
    var path: [MixedStep] = []
    var steps: [Step] = []
}

/// A live collection of a realm instance, and what it was evaluated to last. Opaque to apps.
public final class _CollectionState {
    enum Source: Hashable {
        case objects(CollectionQuery)
        case values(ValueQuery)
    }

    enum Elements {
        case objects(KeySource)
        case values([Value])

        var count: Int {
            switch self {
            case .objects(let keys): keys.count
            case .values(let values): values.count
            }
        }
    }

    let core: RealmCore
    let source: Source
    /// The class of the objects, as their accessors see it.
    let model: ManagedClass?
    /// Generation at which the collection was made.
    private let madeAt: UInt64
    @exclusivity(unchecked) private var cache: Elements?
    @exclusivity(unchecked) private var cachedAt: (generation: UInt64, changes: UInt64) = (0, 0)
    /// The cluster of the object that was read last, its neighbours being read next mostly, and the position of its
    /// first row. Only for `cache` of a realm that isn't frozen: those are read by many threads.
    @exclusivity(unchecked) private var nearby: Cluster?
    @exclusivity(unchecked) private var nearbyStart = 0
    @exclusivity(unchecked) private var recent = UnsafeReusableAccessor()
    /// Whether objects of `cache` may be read without asking for changes of the open transaction.
    @exclusivity(unchecked) private var isDirect = false
    /// The subscription that has been made of it.
    var subscription: Model.ObjectId?
    private var countCache: Int?
    private var countedAt: (generation: UInt64, changes: UInt64) = (0, 0)

    init(_ core: RealmCore, _ source: Source, _ model: ManagedClass? = nil) {
        self.core = core
        self.source = source
        madeAt = core.access.pointee.generation
        if let model {
            self.model = model
        } else if case .objects(let query) = source {
            self.model = ManagedClass.of(query.info)
        } else {
            self.model = nil
        }
        // Many threads read a frozen collection: it is complete from the start, and doesn't change.
        if core.isFrozen { _ = elements }
    }

    /// The query, for collections of objects.
    var query: CollectionQuery? {
        if case .objects(let query) = source { query } else { nil }
    }

    /// Whether the owner still exists, and nothing was invalidated.
    var isValid: Bool {
        core.check()
        guard core.isFrozen || core.isValid(generation: madeAt) else { return false }
        switch source {
        case .values(let query): return core.contains(query.info, query.key)
        case .objects(let query):
            switch query.source {
            case .table: return true
            case .list(let owner, let key, _): return core.contains(owner, key)
            case .backlinks(let target, let key, _): return core.contains(target, key)
            }
        }
    }

    /// Changes when the elements may have changed.
    var moment: (generation: UInt64, changes: UInt64) {
        (core.access.pointee.generation, core.changeCount)
    }

    /// The elements at this moment; evaluated anew when the realm advanced or the open transaction changed something.
    var elements: Elements {
        core.check()
        let now = moment
        if let cache, cachedAt == now { return cache }
        if !core.isFrozen, !core.isValid(generation: madeAt) { fail(.invalidatedCollection) }
        nearby = nil
        let evaluated = evaluate()
        isDirect = !core.isFrozen && model.map { core.transaction?.recorder.overlay($0.info) == nil } == true
        // Evaluating may have begun a new version.
        cachedAt = moment
        cache = evaluated
        return evaluated
    }

    private func evaluate() -> Elements {
        switch source {
        case .objects(let query):
            do {
                return .objects(try core.evaluate(query))
            } catch {
                fail(.queryFailed(error))
            }
        case .values(let query):
            guard core.contains(query.info, query.key) else { return .values([]) }
            var values = core.cells(query.info, query.key, query.column, query.path).map { core.value(of: $0) }
            for step in query.steps {
                switch step {
                case .sort(let ascending):
                    values.sort { ascending ? $0.precedes($1) : $1.precedes($0) }
                case .distinct:
                    var seen: Set<Value> = []
                    values = values.filter { seen.insert($0).inserted }
                }
            }
            return .values(values)
        }
    }

    var count: Int {
        core.check()
        let now = moment
        guard cachedAt != now || cache == nil, case .objects(let query) = source, !core.isFrozen else {
            return elements.count
        }
        if let countCache, countedAt == now { return countCache }
        if !core.isValid(generation: madeAt) { fail(.invalidatedCollection) }
        // Counting is cheaper than collecting keys, which may never be asked for.
        do {
            let count = try core.count(query)
            countedAt = moment
            countCache = count
            return count
        } catch {
            fail(.queryFailed(error))
        }
    }

    /// The object at a position; nil if the elements are values. Traps if it is out of bounds.
    @usableFromInline
    func object(at index: Int) -> ObjectBase? {
        let elements = elements
        guard index >= 0, index < elements.count else { fail(.indexOutOfBounds(index, elements.count)) }
        guard case .objects(let source) = elements, let model else { return nil }
        guard isDirect, let (cluster, row) = locate(index, source, model.info) else {
            switch source {
            case .keys(let keys): return ObjectBase.accessor(model, keys[index])
            case .table: return ObjectBase.accessor(model, core.key(model.info, at: index))
            }
        }
        let key = cluster.key(at: row)
        guard model.persisted.isStateless else { return .accessor(model, core, key, cluster.chunks, row) }
        if let object = recent.free {
            if !model.persisted.collections.isEmpty { object._resetCollections() }
            object._move(to: key, cluster.chunks, row, cachedAt.generation)
            return object
        }
        let object = ObjectBase.accessor(model, core, key, cluster.chunks, row)
        recent.keep(object)
        return object
    }

    /// Where the object at a position lies; nil if it was deleted.
    private func locate(_ index: Int, _ source: KeySource, _ info: ClassInfo) -> (Cluster, Int)? {
        let found: (cluster: Cluster, row: Int)?
        switch source {
        case .keys(let keys):
            let key = keys[index]
            if let nearby, let row = nearby.row(of: key) { return (nearby, row) }
            found = info.reader.locate(key)
        case .table:
            if let nearby {
                let row = index - nearbyStart
                if row >= 0, row < nearby.count { return (nearby, row) }
            }
            found = info.reader.locate(index: index)
        }
        guard let found else { return nil }
        nearby = found.cluster
        nearbyStart = index - found.row
        return (found.cluster, found.row)
    }

    /// The value at a position, null for objects. Traps if it is out of bounds.
    func value(at index: Int) -> _StoredValue {
        let elements = elements
        guard index >= 0, index < elements.count else { fail(.indexOutOfBounds(index, elements.count)) }
        guard case .values(let values) = elements else { return .null }
        return stored(values[index])
    }

    /// A value as it is read: the link of a Mixed is an object.
    func stored(_ value: Value) -> _StoredValue {
        guard case .link(let link) = value, let info = core.info(className: link.className),
            let model = ManagedClass.known(info), let key = core.find(info, link.key)
        else { return _StoredValue(value) }
        return _StoredValue(ObjectBase.accessor(model, key))
    }

    /// The element at a position. Traps if it is out of bounds.
    @inlinable
    func element<Element: RealmCollectionValue>(at index: Int) -> Element {
        if let object = object(at: index) {
            // Element is the class of the objects.
            return Element._isConverted ? converted(object) : unsafeBitCast(object, to: Element.self)
        }
        return readValue(at: index)
    }

    @usableFromInline
    func converted<Element: RealmCollectionValue>(_ object: ObjectBase) -> Element {
        .read(_StoredValue(object))
    }

    @usableFromInline
    func readValue<Element: RealmCollectionValue>(at index: Int) -> Element {
        .read(value(at: index))
    }

    /// The keys of the objects; empty for values.
    var keys: [ObjectKey] {
        switch elements {
        case .values: return []
        case .objects(.keys(let keys)): return keys
        case .objects(.table(let count)):
            guard let query else { return [] }
            return (0..<count).map { core.key(query.info, at: $0) }
        }
    }

    func index(of element: _StoredValue) -> Int? {
        let elements = elements
        switch (element.content, elements) {
        case (.value(let value), .values(let values)): return values.firstIndex(of: value)
        case (.object(let object), .values(let values)): return values.firstIndex(of: object.queryLink)
        case (.object(let object), .objects(let found)):
            guard let info = model?.info, let other = object._rlmCore else { return nil }
            guard other === core else {
                fail(Mistake("Object of class '\(info.name)' must be from the Realm being queried."))
            }
            guard object._rlmModel?.info === info else { return nil }
            switch found {
            case .keys(let keys): return keys.firstIndex(of: object._rlmKey)
            case .table: return info.reader.index(of: object._rlmKey)
            }
        default: return nil
        }
    }

    /// The same collection of another instance of the realm; nil if what it belongs to isn't there.
    func moved(to other: RealmCore) -> _CollectionState? {
        switch source {
        case .objects(let query):
            guard case .results(let moved)? = ObservedSource.results(query).counterpart(in: other) else { return nil }
            let state = _CollectionState(
                other, .objects(moved), model.map { ManagedClass.of(moved.info, $0.persisted.type) })
            return state.isValid ? state : nil
        case .values(var query):
            guard let info = other.counterpart(of: query.info), other.contains(info, query.key) else { return nil }
            query.info = info
            return _CollectionState(other, .values(query))
        }
    }
}

extension _CollectionState: Equatable {
    public static func == (a: _CollectionState, b: _CollectionState) -> Bool {
        a === b || (a.core === b.core && a.source == b.source)
    }
}

extension Model.Value {
    /// Sort order of a list's values.
    func precedes(_ other: Value) -> Bool {
        compareForSort(other) == .orderedAscending
    }
}
