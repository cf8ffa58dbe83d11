import Model

/// A value on its way between a Swift type and the database. Opaque to apps.
public struct _StoredValue {
    package enum Content {
        case value(Model.Value)
        /// The target of a link, managed or not.
        case object(ObjectBase)
        /// A list or map inside of an `AnyRealmValue`.
        case nested(any PersistedCollection)
    }

    package var content: Content

    package init(_ value: Model.Value) {
        content = .value(value)
    }

    package init(_ object: ObjectBase) {
        content = .object(object)
    }

    init(nested collection: any PersistedCollection) {
        content = .nested(collection)
    }

    package static var null: _StoredValue { _StoredValue(.null) }

    package var isNull: Bool {
        if case .value(.null) = content { true } else { false }
    }

    /// The plain value; nil for the target of a link.
    package var value: Model.Value? {
        if case .value(let value) = content { value } else { nil }
    }
}
