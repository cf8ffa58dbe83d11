import Model
import Store

/// One step into a list or dictionary inside a Mixed, or into a collection of them.
package enum MixedStep: Hashable, Sendable {
    case index(Int)
    case key(String)
}

/// What lies at a place in a property of mixed values.
enum MixedNode {
    /// As a whole: a value or a link; what the open transaction has changed, also collections.
    case element(ListElement)
    /// Collections of the file, read in place.
    case list(ListView)
    case dictionary(DictionaryView)

    init(_ content: MixedContent) {
        switch content {
        case .value(let value): self = .element(.value(value))
        case .object(let table, let key): self = .element(.object(table, key))
        case .list(let list): self = .list(list)
        case .dictionary(let dictionary): self = .dictionary(dictionary)
        }
    }

    /// `.single` for values and links.
    var kind: CollectionKind {
        switch self {
        case .element(.list), .list: .list
        case .element(.dictionary), .dictionary: .dictionary
        case .element: .single
        }
    }

    /// How many elements a collection has.
    var count: Int {
        switch self {
        case .element(.list(let elements)): elements.count
        case .element(.dictionary(let keys, _)): keys.count
        case .list(let list): list.count
        case .dictionary(let dictionary): dictionary.count
        case .element: 0
        }
    }

    /// The keys of a dictionary, in the order of their bytes.
    var keys: [String] {
        switch self {
        case .element(.dictionary(let keys, _)): keys
        case .dictionary(let dictionary): (0..<dictionary.count).map { dictionary.key(at: $0) }
        default: []
        }
    }

    /// What a step leads to; nil if nothing is there.
    func child(_ step: MixedStep) -> MixedNode? {
        switch (self, step) {
        case (.element(let element), _): return element.child(step).map { .element($0) }
        case (.list(let list), .index(let index)):
            return index >= 0 && index < list.count ? MixedNode(list.mixed(at: index)) : nil
        case (.dictionary(let dictionary), .key(let key)):
            return dictionary.index(of: key).map { MixedNode(dictionary.values.mixed(at: $0)) }
        default: return nil
        }
    }

    /// The whole, copied.
    var element: ListElement {
        switch self {
        case .element(let element): return element
        case .list(let list): return .list((0..<list.count).map { MixedNode(list.mixed(at: $0)).element })
        case .dictionary(let dictionary):
            let values = dictionary.values
            return .dictionary(keys, (0..<dictionary.count).map { MixedNode(values.mixed(at: $0)).element })
        }
    }
}

extension ListElement {
    func child(_ step: MixedStep) -> ListElement? {
        switch (self, step) {
        case (.list(let elements), .index(let index)): return elements.indices.contains(index) ? elements[index] : nil
        case (.dictionary(let keys, let values), .key(let key)):
            let (index, isThere) = keys.placeInByteOrder(of: key)
            return isThere ? values[index] : nil
        default: return nil
        }
    }

    /// The collection that it is; `.single` for values and links.
    var kind: CollectionKind { MixedNode.element(self).kind }

    /// Changes what some steps lead to. Nothing happens if they lead nowhere.
    mutating func change(at steps: ArraySlice<MixedStep>, _ body: (inout ListElement) -> Void) {
        guard let step = steps.first else { return body(&self) }
        switch (self, step) {
        case (.list(var elements), .index(let index)):
            guard elements.indices.contains(index) else { return }
            self = .null
            elements[index].change(at: steps.dropFirst(), body)
            self = .list(elements)
        case (.dictionary(let keys, var values), .key(let key)):
            let (index, isThere) = keys.placeInByteOrder(of: key)
            guard isThere else { return }
            self = .null
            values[index].change(at: steps.dropFirst(), body)
            self = .dictionary(keys, values)
        default: break
        }
    }

    /// Where in it links to an object are: the last one first, so that removing one leaves the other places right.
    func places(of link: ListElement) -> [[MixedStep]] {
        if self == link { return [[]] }
        switch self {
        case .list(let elements):
            return elements.indices.reversed().flatMap { index in
                elements[index].places(of: link).map { [.index(index)] + $0 }
            }
        case .dictionary(let keys, let values):
            return values.indices.reversed().flatMap { index in
                values[index].places(of: link).map { [.key(keys[index])] + $0 }
            }
        default: return []
        }
    }
}
