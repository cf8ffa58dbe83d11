import Model
import Store

/// The elements of a live collection that have one value of a key. Empty while none has it.
public struct ResultsSection<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
    RealmSectionedResult, Identifiable
{
    public typealias Element = SectionElement

    /// What the elements have in common.
    public let key: Key
    let state: SectionedState<Key, SectionElement>

    init(_ key: Key, _ state: SectionedState<Key, SectionElement>) {
        self.key = key
        self.state = state
    }

    public var id: Key { key }

    public var count: Int { state.sections.positions(of: key).count }

    /// An element. Traps if there are fewer.
    public subscript(position: Int) -> SectionElement {
        let positions = state.sections.positions(of: key)
        if !positions.indices.contains(position) { fail(.indexOutOfBounds(position, positions.count)) }
        return state.element(at: positions[position])
    }

    public func makeIterator() -> SectionIterator<SectionElement> {
        SectionIterator(state, state.sections.positions(of: key))
    }

    public var description: String { sectionsDescription }
}

/// One pass over the elements of a section, those that it had at the start.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
    private let collection: _CollectionState
    private var rows: ArraySlice<ListElement>

    init<Key>(_ state: SectionedState<Key, Element>, _ positions: [Int]) {
        collection = state.collection
        rows = positions.map { state.collection.row(at: $0) }[...]
    }

    public mutating func next() -> Element? {
        rows.popFirst().map { .read(collection.stored($0)) }
    }
}

public typealias RLMSectionIterator = SectionIterator

// MARK: - Confinement
extension ResultsSection {
    public var realm: Realm? { Realm(state.collection.core) }

    public var isFrozen: Bool { state.collection.core.isFrozen }

    public var isInvalidated: Bool { !state.collection.isValid }

    /// The section as it is now, for every thread.
    public func freeze() -> ResultsSection { ResultsSection(key, state.frozen()) }

    /// The live section of this thread; nil if what the collection belongs to was deleted since.
    public func thaw() -> ResultsSection? { state.thawed().map { ResultsSection(key, $0) } }
}

extension RealmSectionedResult {
    /// As that of `Results`.
    var sectionsDescription: String {
        var lines = ["\(type(of: self)) ("]
        for (position, element) in prefix(100).enumerated() {
            lines.append("    [\(position)] \("\(element)".replacing("\n", with: "\n    "))")
        }
        let count = count
        if count > 100 { lines.append("    … \(count - 100) skipped.") }
        lines.append(")")
        return lines.joined(separator: "\n")
    }
}
