/// A managed value that every thread may read: each read gives the value for the reading thread, or nil when it has
/// been deleted.
///
///     @ThreadSafe var dog = realm.objects(Dog.self).first
@propertyWrapper
public final class ThreadSafe<T: ThreadConfined>: @unchecked Sendable {
    private let frozen: Lock<T?>

    /// Traps for unmanaged values.
    public init(wrappedValue: T?) {
        frozen = Lock(Self.frozen(wrappedValue))
    }

    public var wrappedValue: T? {
        get { frozen.withLock { $0 }?.thaw() }
        set {
            let value = Self.frozen(newValue)
            frozen.withLock { $0 = value }
        }
    }

    private static func frozen(_ value: T?) -> T? {
        guard let value else { return nil }
        guard value.realm != nil else { fail(.threadSafeUnmanaged) }
        if value.isInvalidated { return nil }
        return value.isFrozen ? value : value.freeze()
    }
}
