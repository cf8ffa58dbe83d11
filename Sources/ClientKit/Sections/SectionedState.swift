import Model
import Store

/// The elements of a collection by the values of a key, in the order of the collection; sections in the order in which
/// their keys first appear.
struct Sections<Key: Hashable> {
    private(set) var keys: [Key] = []
    /// Of each section: where its elements are in the collection.
    private(set) var positions: [[Int]] = []
    private var numbers: [Key: Int] = [:]

    mutating func append(_ position: Int, _ key: Key) {
        if let number = numbers[key] {
            positions[number].append(position)
        } else {
            numbers[key] = keys.count
            keys.append(key)
            positions.append([position])
        }
    }

    /// Empty for a key that no element has.
    func positions(of key: Key) -> [Int] {
        numbers[key].map { positions[$0] } ?? []
    }

    func number(of key: Key) -> Int? { numbers[key] }
}

/// A live collection in sections, and what it was divided into last.
final class SectionedState<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
    /// How an element's section is found.
    struct Division {
        let key: (Element) -> Key
        /// Tells divisions apart; nil for those that a block makes, which are equal to none.
        let keyPath: AnyKeyPath?
        /// Whether the collection is gone through from its end.
        var isReversed = false
    }

    let collection: _CollectionState
    let division: Division
    private var cache: Sections<Key>?
    private var cachedAt: (generation: UInt64, changes: UInt64) = (0, 0)

    init(_ collection: _CollectionState, _ division: Division) {
        self.collection = collection
        self.division = division
        // Many threads read frozen sections: they are complete from the start.
        if collection.core.isFrozen { _ = sections }
    }

    /// The sections at this moment; made anew when the realm advanced or the open transaction changed something.
    var sections: Sections<Key> {
        collection.core.check()
        if let cache, cachedAt == collection.moment { return cache }
        var sections = Sections<Key>()
        if division.isReversed {
            for position in (0..<collection.count).reversed() {
                sections.append(position, division.key(collection.element(at: position)))
            }
        } else {
            var elements = RLMIterator<Element>(collection)
            var position = 0
            while let element = elements.next() {
                sections.append(position, division.key(element))
                position += 1
            }
        }
        // Evaluating may have begun a new version.
        cachedAt = collection.moment
        cache = sections
        return sections
    }

    func element(at position: Int) -> Element {
        collection.element(at: position)
    }

    /// The same sections of another instance of the realm; nil if what the collection belongs to isn't there.
    func moved(to core: RealmCore) -> SectionedState? {
        if core === collection.core { return self }
        return collection.moved(to: core).map { SectionedState($0, division) }
    }

    /// The sections as if they had just been asked for: not invalidated with the realm.
    func renewed() -> SectionedState {
        SectionedState(_CollectionState(collection.core, collection.source, collection.model), division)
    }

    func frozen() -> SectionedState {
        if collection.core.isFrozen { return self }
        guard let frozen = moved(to: collection.core.frozen()) else { fail(.freezeInCreatingWrite) }
        return frozen
    }

    func thawed() -> SectionedState? {
        moved(to: collection.core.thawed())
    }
}

extension SectionedState: Equatable {
    static func == (a: SectionedState, b: SectionedState) -> Bool {
        if a === b { return true }
        guard let path = a.division.keyPath, path == b.division.keyPath else { return false }
        return a.division.isReversed == b.division.isReversed && a.collection == b.collection
    }
}

extension _CollectionState {
    /// What the element at a position is, comparable across versions.
    func row(at position: Int) -> ListElement {
        switch elements {
        case .values(let values): return .value(values[position])
        case .objects(.keys(let keys)): return .link(keys[position])
        case .objects(.table): return query.map { .link(core.key($0.info, at: position)) } ?? .value(.null)
        }
    }

    /// The element that `row(at:)` stands for.
    func stored(_ row: ListElement) -> _StoredValue {
        switch row {
        case .value(let value): stored(value)
        case .object, .list, .dictionary: _StoredValue(core.value(of: row))
        case .link(let key): model.map { _StoredValue(ObjectBase.accessor($0, key)) } ?? .null
        }
    }
}
