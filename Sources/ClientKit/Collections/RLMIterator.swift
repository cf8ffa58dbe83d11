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
            elements = values.map { .read(state.stored($0)) }[...]
        }
    }

    init(_ elements: [Element]) {
        objects = nil
        self.elements = elements[...]
    }

    @inlinable
    public mutating func next() -> Element? {
        guard let objects else { return elements.popFirst() }
        guard let object = objects.next() else { return nil }
        // Element is the class of the objects, or its optional.
        return Element._isConverted ? Self.converted(object) : unsafeBitCast(object, to: Element.self)
    }

    @usableFromInline
    static func converted(_ object: ObjectBase) -> Element { .read(_StoredValue(object)) }
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
