import Model

/// Any collection of a realm, without its type; still live.
@frozen
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
    private let results: Results<Element>?
    private let unmanaged: [Element]

    public init<C: RealmCollection>(_ collection: C) where C.Element == Element {
        results = collection._rlmState.map { Results($0) }
        unmanaged = collection._rlmState == nil ? collection._rlmUnmanaged : []
    }

    init(unmanaged: [Element]) {
        results = nil
        self.unmanaged = unmanaged
    }

    public var _rlmState: _CollectionState? { results?.state }
    public var _rlmUnmanaged: [Element] { unmanaged }
    public func _rlmMoved(to state: _CollectionState) -> AnyRealmCollection { AnyRealmCollection(Results(state)) }

    public var count: Int { results?.count ?? unmanaged.count }

    public subscript(position: Int) -> Element { results?[position] ?? unmanaged[position] }

    public func makeIterator() -> RLMIterator<Element> {
        results?.makeIterator() ?? RLMIterator(unmanaged)
    }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self { try container.encode(element) }
    }
}
