import Foundation
import Model

/// What a collection of a realm is at bottom. Kept apart from `RealmCollection`, as in Realm's own declarations.
public protocol RealmCollectionBase:
    RandomAccessCollection, LazyCollectionProtocol, CustomStringConvertible, ThreadConfined, _ObjcBridgeable
where Element: RealmCollectionValue, Index == Int {
    /// Another name of `Element`.
    typealias ElementType = Element
}

/// An ordered collection of a realm: `Results`, `List`, `LinkingObjects`, `AnyRealmCollection`.
///
/// It is lazy: elements are read from the file as they are asked for, and `map` or `filter` with a closure of the
/// standard library do nothing until then. `Array(…)` copies.
public protocol RealmCollection<Element>: RealmCollectionBase, Equatable where Iterator == RLMIterator<Element> {
    /// What the queries on the collection start from; nil for unmanaged lists and inverse links.
    var _rlmState: _CollectionState? { get }
    /// The collection in terms of another instance of its realm; nil if what it belongs to isn't there.
    func _rlmMoved(to core: _CollectionState) -> Self
    /// The elements of an unmanaged list.
    var _rlmUnmanaged: [Element] { get }
}

extension RealmCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public func index(after index: Int) -> Int { index + 1 }
    public func index(before index: Int) -> Int { index - 1 }

    public var isEmpty: Bool { count == 0 }
    public var first: Element? { isEmpty ? nil : self[0] }

    public var last: Element? {
        let count = count
        return count == 0 ? nil : self[count - 1]
    }

    /// The elements at some positions. Traps if one is out of range.
    public func objects(at indexes: IndexSet) -> [Element] {
        if let last = indexes.last, last >= count { fail(.indexOutOfBounds(last, count)) }
        return indexes.map { self[$0] }
    }

    /// The first position of an element; nil if it isn't there.
    public func index(of element: Element) -> Int? {
        guard let state = _rlmState else { return _rlmUnmanaged.firstIndex(of: element) }
        return state.index(of: element._rlmEncoded)
    }

    public var description: String {
        var lines = ["\(type(of: self)) ("]
        for (position, element) in prefix(100).enumerated() {
            lines.append("    [\(position)] \("\(element)".replacing("\n", with: "\n    "))")
        }
        let count = count
        if count > 100 { lines.append("    … \(count - 100) objects skipped.") }
        lines.append(")")
        return lines.joined(separator: "\n")
    }

    /// The state of a managed collection. Traps for an unmanaged one; `doing` completes "Cannot …".
    func managedState(_ doing: @autoclosure () -> String) -> _CollectionState {
        guard let state = _rlmState else { fail(.unmanagedCollection(doing())) }
        return state
    }
}

// MARK: - Confinement
extension RealmCollection {
    public var realm: Realm? { _rlmState.map { Realm($0.core) } }

    public var isFrozen: Bool { _rlmState?.core.isFrozen ?? false }

    public var isInvalidated: Bool { _rlmState.map { !$0.isValid } ?? false }

    /// The collection as it is now, for every thread.
    public func freeze() -> Self {
        let state = managedState("freeze")
        guard !state.core.isFrozen else { return self }
        guard let frozen = state.moved(to: state.core.frozen()) else { fail(.freezeInCreatingWrite) }
        return _rlmMoved(to: frozen)
    }

    /// The live collection of this thread; nil if what it belongs to was deleted since.
    public func thaw() -> Self? {
        let state = managedState("thaw")
        guard state.core.isFrozen else { return self }
        return state.moved(to: state.core.thawed()).map { _rlmMoved(to: $0) }
    }
}

extension Mistake {
    static func indexOutOfBounds(_ index: Int, _ count: Int) -> Mistake {
        index < 0
            ? Mistake("Cannot pass a negative value for index: \(index).")
            : Mistake("Index \(index) is out of bounds (must be less than \(count)).")
    }
    static func unmanagedCollection(_ doing: String) -> Mistake {
        Mistake("Cannot \(doing): only managed collections can, and this one is unmanaged: it is not in a Realm.")
    }
    static var invalidatedCollection: Mistake {
        Mistake("The collection is no longer valid: its Realm or the object it belongs to was invalidated or deleted.")
    }
    static func queryFailed(_ error: any Error) -> Mistake {
        Mistake("The query can't be evaluated: \(error)")
    }
}
