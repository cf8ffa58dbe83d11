import Foundation
import Model

/// A live collection in sections: elements with one value of a key belong together. Sections come in the order in
/// which their keys first appear.
///
/// ```swift
/// let dogs = realm.objects(Dog.self).sectioned(by: \.breed)
/// for section in dogs {
///     print(section.key, section.map(\.name))
/// }
/// ```
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult
{
    public typealias Element = ResultsSection<Key, SectionElement>

    let state: SectionedState<Key, SectionElement>

    init(_ state: SectionedState<Key, SectionElement>) {
        self.state = state
    }

    /// The keys of all sections, in their order.
    public var allKeys: [Key] { state.sections.keys }

    /// How many sections there are.
    public var count: Int { state.sections.keys.count }

    /// A section. Traps if there are fewer.
    public subscript(position: Int) -> ResultsSection<Key, SectionElement> {
        let keys = state.sections.keys
        if !keys.indices.contains(position) { fail(.indexOutOfBounds(position, keys.count)) }
        return ResultsSection(keys[position], state)
    }

    /// An element by the number of its section and its own number there.
    public subscript(indexPath: IndexPath) -> SectionElement {
        self[indexPath.section][indexPath.item]
    }

    public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
        SectionedResultsIterator(state)
    }

    public var description: String { sectionsDescription }
}

/// One pass over sections, those that there were at the start.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    IteratorProtocol
{
    private let state: SectionedState<Key, SectionElement>
    private var keys: ArraySlice<Key>

    init(_ state: SectionedState<Key, SectionElement>) {
        self.state = state
        keys = state.sections.keys[...]
    }

    public mutating func next() -> ResultsSection<Key, SectionElement>? {
        keys.popFirst().map { ResultsSection($0, state) }
    }
}

public typealias RLMSectionedResultsIterator = SectionedResultsIterator

// MARK: - Confinement
extension SectionedResults {
    public var realm: Realm? { Realm(state.collection.core) }

    public var isFrozen: Bool { state.collection.core.isFrozen }

    public var isInvalidated: Bool { !state.collection.isValid }

    /// The sections as they are now, for every thread.
    public func freeze() -> SectionedResults { SectionedResults(state.frozen()) }

    /// The live sections of this thread; nil if what the collection belongs to was deleted since.
    public func thaw() -> SectionedResults? { state.thawed().map { SectionedResults($0) } }
}
