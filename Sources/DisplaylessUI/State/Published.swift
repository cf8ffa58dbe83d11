/// A property of an observable object whose changes are published.
@propertyWrapper
public struct Published<Value> {
    final class Box: PublishedStorage {
        var value: Value
        var publisher: ObservableObjectPublisher?

        init(_ value: Value) {
            self.value = value
        }
    }

    fileprivate let box: Box

    public init(wrappedValue: Value) {
        box = Box(wrappedValue)
    }

    public init(initialValue: Value) {
        box = Box(initialValue)
    }

    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { box.value }
        nonmutating set { box.value = newValue }
    }

    public static subscript<Object: ObservableObject>(
        _enclosingInstance object: Object, wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get {
            let box = object[keyPath: storageKeyPath].box
            box.publisher?.note()
            return box.value
        }
        set {
            let box = object[keyPath: storageKeyPath].box
            (object.objectWillChange as? ObservableObjectPublisher)?.send()
            box.value = newValue
        }
    }
}

/// What a published property keeps.
protocol PublishedStorage: AnyObject {
    var publisher: ObservableObjectPublisher? { get set }
}

/// Finds the published properties among those of an object.
protocol PublishedProperty {
    var storage: any PublishedStorage { get }
}

extension Published: PublishedProperty {
    var storage: any PublishedStorage { box }
}
