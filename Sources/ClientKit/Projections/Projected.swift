/// A property of a projection: what a key path leads to from the object that is projected. The path must begin with a
/// persisted property.
@propertyWrapper
public struct Projected<T: ObjectBase, Value> {
    let keyPath: KeyPath<T, Value>

    public init(_ projectedKeyPath: KeyPath<T, Value>) {
        keyPath = projectedKeyPath
    }

    @available(*, unavailable, message: "@Projected can only be used in classes derived from Projection")
    public var wrappedValue: Value {
        get { preconditionFailure("@Projected outside of a Projection class") }
        set { preconditionFailure("@Projected outside of a Projection class") }
    }

    /// Reads and writes through to the object. Writing traps if the key path can't be written through.
    public static subscript<EnclosingSelf: Projection<T>>(
        _enclosingInstance projection: EnclosingSelf,
        wrapped wrappedKeyPath: KeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: KeyPath<EnclosingSelf, Self>
    ) -> Value {
        get {
            let keyPath = projection[keyPath: storageKeyPath].keyPath
            projection.rootObject._rlmTracer?.recording.projected.append(keyPath)
            return projection.rootObject[keyPath: keyPath]
        }
        set {
            let keyPath = projection[keyPath: storageKeyPath].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<T, Value> else {
                let name = ProjectedClass.of(projection).properties.first { $0.keyPath == keyPath }?.name
                fail(
                    Mistake(
                        "Projected property '\(name ?? "")' of '\(EnclosingSelf.self)' is not writable: its key path "
                            + "can only be read."))
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// A projected property without its types.
protocol AnyProjected {
    var anyKeyPath: AnyKeyPath { get }
}

extension Projected: AnyProjected {
    var anyKeyPath: AnyKeyPath { keyPath }
}
