/// An object that the view owns: made when the view comes into the tree.
@MainActor @preconcurrency @propertyWrapper
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
    private let make: () -> ObjectType
    private var holder = Holder()

    final class Holder {
        var object: ObjectType?
    }

    public init(wrappedValue make: @autoclosure @escaping () -> ObjectType) {
        self.make = make
    }

    public var wrappedValue: ObjectType {
        if let object = holder.object { return object }
        let object = make()
        holder.object = object
        return object
    }

    public var projectedValue: _ObservedWrapper<ObjectType> { _ObservedWrapper(object: wrappedValue) }
}

extension StateObject: InstalledProperty {
    mutating func install(_ place: InstallationPlace) {
        holder = place.stored { holder }
        (wrappedValue.objectWillChange as? ObservableObjectPublisher)?.note()
    }
}
