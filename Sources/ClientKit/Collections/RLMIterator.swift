import Model

/// One pass over a collection, over the elements that it had at the start.
@frozen
public struct RLMIterator<Element: RealmCollectionValue>: IteratorProtocol {
    @usableFromInline let objects: ObjectIteration?
    @usableFromInline var elements: ArraySlice<Element>

    init(_ state: _CollectionState) {
        switch state.elements {
        case .objects(let keys):
            objects = state.model.map { ObjectIteration(state.core, $0, keys) }
            elements = []
        case .values(let values):
            objects = nil
            elements = values.map { .read(_StoredValue($0)) }[...]
        }
    }

    init(_ elements: [Element]) {
        objects = nil
        self.elements = elements[...]
    }

    @inlinable
    public mutating func next() -> Element? {
        guard let objects else { return elements.popFirst() }
        // Element is the class of the objects.
        return unsafeBitCast(objects.next(), to: Element?.self)
    }
}

extension RealmCollectionValue {
    /// The value of an element. Traps if the file has one of another type.
    static func read(_ stored: _StoredValue) -> Self {
        guard let value = _decode(stored) else {
            fail(Mistake("The stored element \(stored.description) is no value of \(Self.self)."))
        }
        return value
    }
}
