import Model

/// What a property, an element of a list or a value of a dictionary holds.
enum Slot: Sendable {
    case value(Value)
    /// An embedded object.
    case object(className: Name, fields: [Name: Slot])
    case list([Slot])
    case dictionary([Name: Slot])
    /// Elements in any order.
    case set([Value])

    static let null = Slot.value(.null)

    var isNull: Bool {
        if case .value(.null) = self { true } else { false }
    }
}

extension Slot: Equatable {
    static func == (a: Slot, b: Slot) -> Bool {
        switch (a, b) {
        case (.value(let a), .value(let b)): a == b
        case (.object(let nameA, let a), .object(let nameB, let b)): nameA == nameB && a == b
        case (.list(let a), .list(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        case (.set(let a), .set(let b)): a.count == b.count && Set(a) == Set(b)
        default: false
        }
    }
}

/// What a slot may hold (C-7, C-148).
struct SlotType: Hashable, Sendable {
    var type: ValueType
    var isNullable: Bool
    var collection: CollectionKind
    var target: Name?

    static let mixed = SlotType(type: .mixed, isNullable: true, collection: .single)

    /// What one element of it may hold.
    var element: SlotType { SlotType(type: type, isNullable: isNullable, collection: .single, target: target) }

    /// What a new object has there (C-135).
    var initial: Slot {
        switch collection {
        case .list: return .list([])
        case .dictionary: return .dictionary([:])
        case .set: return .set([])
        case .single: break
        }
        if isNullable { return .null }
        switch type {
        case .mixed, .link: return .null
        case .int: return .value(.int(0))
        case .bool: return .value(.bool(false))
        case .string: return .value(.string(""))
        case .binary: return .value(.binary(.init()))
        case .timestamp: return .value(.timestamp(Timestamp(seconds: 0, nanoseconds: 0)))
        case .float: return .value(.float(0))
        case .double: return .value(.double(0))
        case .decimal: return .value(.decimal(.zero))
        case .objectId: return .value(.objectId(ObjectId(high: 0, low: 0)))
        case .uuid: return .value(.uuid(.init(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
        }
    }
}
