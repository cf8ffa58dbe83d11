/// Bindings to the properties of an object that a view observes.
@dynamicMemberLookup
public struct _ObservedWrapper<Object: ObservableObject> {
    let object: Object

    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Object, Subject>) -> Binding<Subject> {
        let object = object
        return Binding(get: { object[keyPath: keyPath] }, set: { object[keyPath: keyPath] = $0 })
    }
}

/// An object that somebody else owns; the view is evaluated again when the object changes.
@MainActor @preconcurrency @propertyWrapper
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    public typealias Wrapper = _ObservedWrapper<ObjectType>

    public var wrappedValue: ObjectType

    public init(wrappedValue: ObjectType) {
        self.wrappedValue = wrappedValue
    }

    public init(initialValue: ObjectType) {
        wrappedValue = initialValue
    }

    public var projectedValue: Wrapper { Wrapper(object: wrappedValue) }
}

extension ObservedObject: InstalledProperty {
    mutating func install(_ place: InstallationPlace) {
        (wrappedValue.objectWillChange as? ObservableObjectPublisher)?.note()
    }
}
