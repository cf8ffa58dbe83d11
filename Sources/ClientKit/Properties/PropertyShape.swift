import Model

/// What kind of column a Swift type makes. Opaque to apps.
public struct _PropertyShape {
    package var type: ValueType
    package var isOptional: Bool
    package var collection: CollectionKind
    /// Class of a link, or of the elements of a collection of links.
    package var objectType: ObjectBase.Type?
    /// Inverse links: computed, no column.
    package var isLinkingObjects: Bool

    package init(
        _ type: ValueType, isOptional: Bool = false, collection: CollectionKind = .single,
        objectType: ObjectBase.Type? = nil, isLinkingObjects: Bool = false
    ) {
        self.type = type
        self.isOptional = isOptional
        self.collection = collection
        self.objectType = objectType
        self.isLinkingObjects = isLinkingObjects
    }

    package var optional: _PropertyShape {
        var copy = self
        copy.isOptional = true
        return copy
    }
}
