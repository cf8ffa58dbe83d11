import Model

extension StateValue {
    /// Whether it is the same as another that was read from a realm: dictionaries and sets are then in their order.
    func isSame(as other: StateValue) -> Bool {
        switch (self, other) {
        case (.value(let a), .value(let b)): a == b
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.set(let a), .set(let b)): a == b || a.count == b.count && Set(a) == Set(b)
        case (.dictionary(let a), .dictionary(let b)):
            a.count == b.count
                && zip(a, b).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isSame(as: $1.value) }
        case (.object(let a), .object(let b)):
            a.count == b.count
                && a.allSatisfy { property in
                    b.first { $0.name.utf8.elementsEqual(property.name.utf8) }
                        .map { $0.value.isSame(as: property.value) } ?? false
                }
        default: false
        }
    }

    /// What makes a slot hold this kind of value, to be filled then.
    var payload: Payload {
        switch self {
        case .value(let value): .value(value)
        case .object: .embeddedObject
        case .list: .list
        case .dictionary: .dictionary
        case .set: .set
        }
    }

    /// What a slot holds once `payload` was put into it.
    var emptied: StateValue {
        switch self {
        case .value: self
        case .object: .object([])
        case .list: .list([])
        case .dictionary: .dictionary([])
        case .set: .set([])
        }
    }

    /// The value without links that lead nowhere: elements that are such links are left out, any other is null.
    /// - Parameter isElement: whether it is an element of a list or set.
    func keepingLinks(isElement: Bool = false, where exists: (Link) -> Bool) -> StateValue? {
        switch self {
        case .value(.link(let link)):
            if exists(link) { return self }
            return isElement ? nil : .value(.null)
        case .value: return self
        case .list(let elements):
            return .list(elements.compactMap { $0.keepingLinks(isElement: true, where: exists) })
        case .set(let elements):
            return .set(elements.filter { if case .link(let link) = $0 { exists(link) } else { true } })
        case .dictionary(let entries):
            return .dictionary(entries.map { ($0.key, $0.value.keepingLinks(where: exists) ?? .value(.null)) })
        case .object(let properties):
            return .object(properties.map { ($0.name, $0.value.keepingLinks(where: exists) ?? .value(.null)) })
        }
    }
}
