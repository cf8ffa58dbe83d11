/// An object that a view further up gave by `environmentObject(_:)`. Traps if none did.
@MainActor @preconcurrency @propertyWrapper
public struct EnvironmentObject<ObjectType: ObservableObject>: DynamicProperty {
    private var object: ObjectType?

    public init() {}

    public var wrappedValue: ObjectType {
        guard let object else {
            preconditionFailure("No ObservableObject of type \(ObjectType.self) found: a view further up must give one")
        }
        return object
    }

    public var projectedValue: _ObservedWrapper<ObjectType> { _ObservedWrapper(object: wrappedValue) }
}

extension EnvironmentObject: InstalledProperty {
    mutating func install(_ place: InstallationPlace) {
        object = place.environment.objects[ObjectIdentifier(ObjectType.self)] as? ObjectType
        (object?.objectWillChange as? ObservableObjectPublisher)?.note()
    }
}
