import Observation

/// An object that says when it is about to change, as Combine has it.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher
    var objectWillChange: ObjectWillChangePublisher { get }
}

/// Tells the views that show an object of its changes, by way of Observation.
@Observable
public final class ObservableObjectPublisher {
    private var changes: UInt64 = 0

    public init() {}

    /// Says that the object changes. On the main thread.
    public func send() {
        changes &+= 1
    }

    /// Whoever reads in a tracked scope is told of the next change.
    func note() {
        _ = changes
    }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The publisher of the object's `@Published` properties.
    public var objectWillChange: ObservableObjectPublisher {
        var mirror: Mirror? = Mirror(reflecting: self)
        var boxes: [any PublishedStorage] = []
        while let current = mirror {
            boxes += current.children.compactMap { ($0.value as? any PublishedProperty)?.storage }
            mirror = current.superclassMirror
        }
        let publisher = boxes.lazy.compactMap(\.publisher).first ?? ObservableObjectPublisher()
        for box in boxes { box.publisher = publisher }
        return publisher
    }
}
