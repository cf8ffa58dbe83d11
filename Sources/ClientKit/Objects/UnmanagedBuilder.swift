import Model

/// Assigns the properties of unmanaged objects from values of type `Any` (OB-03). Links that are given as
/// dictionaries or arrays become objects.
enum UnmanagedBuilder {
    static func assign(_ value: Any, to object: ObjectBase) {
        let persisted = object._rlmPersisted
        let input = ObjectInput(value, for: persisted)
        var position = 0
        for property in persisted.properties where !property.isComputed {
            defer { position += 1 }
            guard let value = input.value(property, position: position) else { continue }
            assign(value, to: property, of: object, persisted)
        }
    }

    static func assign(
        _ value: Any, to property: PersistedProperty, of object: ObjectBase, _ persisted: PersistedClass
    ) {
        let wrapper = object._rlmAddress + property.offset
        if property.collection == .single {
            guard let content = content(value, property), property.isNullable || !content.isNull,
                property.wrapper.assign(content, at: wrapper)
            else { property.refuse(value, of: persisted.name) }
            return
        }
        if property.collection == .dictionary { return assignMap(value, to: property, at: wrapper, persisted) }
        let elements: [Any]
        if let value = AnyCoercion.unwrapped(value) {
            guard let given = ObjectInput.elements(of: value) else { property.refuse(value, of: persisted.name) }
            elements = given
        } else {
            elements = []
        }
        let contents = elements.map { element in
            guard let content = content(element, property) else { property.refuse(element, of: persisted.name) }
            return content
        }
        guard property.wrapper.collection(at: wrapper)?.replaceUnmanaged(contents) == true else {
            property.refuse(value, of: persisted.name)
        }
    }

    private static func assignMap(
        _ value: Any, to property: PersistedProperty, at wrapper: UnsafeMutableRawPointer, _ persisted: PersistedClass
    ) {
        let given = AnyCoercion.unwrapped(value)
        guard let entries = given == nil ? [] : given.flatMap({ ObjectInput.entries(of: $0) }) else {
            property.refuse(value, of: persisted.name)
        }
        let contents = entries.map { entry in
            guard let content = content(entry.value, property) else {
                property.refuse(entry.value, of: persisted.name)
            }
            return content
        }
        let map = property.wrapper.collection(at: wrapper) as? any PersistedDictionary
        guard map?.replaceUnmanaged(entries.map(\.key), contents) == true else {
            property.refuse(value, of: persisted.name)
        }
    }

    /// A single value or element.
    private static func content(_ value: Any, _ property: PersistedProperty) -> _StoredValue? {
        guard property.type == .link, let target = property.objectType,
            let given = AnyCoercion.unwrapped(value)
        else { return AnyCoercion.stored(value, as: property.type) }
        if let object = given as? ObjectBase, Swift.type(of: object) == target { return _StoredValue(object) }
        guard ObjectInput.isInput(given) else { return nil }
        let object = target.init()
        assign(given, to: object)
        return _StoredValue(object)
    }
}
