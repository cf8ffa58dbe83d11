public import CPlatform
public import Store

/// A persisted property.
///
///     class Dog: Object {
///         @Persisted(primaryKey: true) var _id: ObjectId
///         @Persisted var name = "Rex"
///         @Persisted(indexed: true) var age: Int
///         @Persisted var owner: Person?
///     }
///
/// A property without initial value has its type's default. In an object that belongs to a realm, reading a property
/// reads the realm's file; assigning it needs a write transaction.
@frozen
@propertyWrapper
public struct Persisted<Value: _Persistable> {
    /// First in memory, whatever `Value` is.
    @usableFromInline var _place: _PersistedPlace
    @usableFromInline var _storage: _PersistedStorage<Value>

    @inlinable
    init(_options: UInt32, _storage: _PersistedStorage<Value>) {
        _place = _PersistedPlace(options: _options)
        self._storage = _storage
    }

    /// A property with its type's default value.
    @inlinable
    public init() {
        self.init(_options: 0, _storage: .unset)
    }

    /// A property with a default value, which is made when it is first needed.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value) {
        self.init(_options: 0, _storage: .make(wrappedValue))
    }

    /// Only classes derived from `Object`, `EmbeddedObject` or `AsymmetricObject` have persisted properties.
    @available(*, unavailable, message: "@Persisted is only usable as a property of an Object or EmbeddedObject class")
    public var wrappedValue: Value {
        get { preconditionFailure("@Persisted outside of an Object class") }
        set { preconditionFailure("@Persisted outside of an Object class") }
    }

    /// How the property of an object is read and assigned. The compiler looks for it here, not in extensions.
    @inlinable
    public static subscript<EnclosingSelf: ObjectBase>(
        _enclosingInstance object: EnclosingSelf,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Self>
    ) -> Value {
        @inline(__always)
        get {
            let index = Int(object[keyPath: storageKeyPath]._place.index)
            if Value._role == .value, let access = object._rlmAccess,
                access.pointee.thread == UInt(reeve_thread_identity()),
                access.pointee.generation == object._rlmGeneration
            {
                let slot = Int(object._rlmSlots.unsafelyUnwrapped[index])
                if let chunk = object._rlmChunks.unsafelyUnwrapped[slot] {
                    return Value._load(chunk, object._rlmRow, object, index)
                }
            }
            // Not handed the key path: making one costs more than the read.
            return _slowGet(object, object[keyPath: storageKeyPath]._place)
        }
        @inline(__always)
        set {
            let place = object[keyPath: storageKeyPath]._place
            if object._rlmAccess == nil, object._rlmTracer == nil, Value._role == .value {
                // By the key path it would take an exclusivity check and two counts of references.
                _wrapper(object, place).pointee._storage = .value(newValue)
                _fixLifetime(object)
            } else {
                _slowSet(object, place, newValue)
            }
        }
    }
}

/// What a property of an unmanaged object holds. Unused once the object is managed, except by collections.
@frozen @usableFromInline
enum _PersistedStorage<Value> {
    case unset
    case make(() -> Value)
    case value(Value)
}

extension Persisted where Value.PersistedType: _PrimaryKey {
    /// The primary key of the class.
    @inlinable
    public init(primaryKey: Bool) {
        self.init(_options: primaryKey ? _PersistedOptions.primaryKey : 0, _storage: .unset)
    }

    /// The primary key of the class, with a default value.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, primaryKey: Bool) {
        self.init(_options: primaryKey ? _PersistedOptions.primaryKey : 0, _storage: .make(wrappedValue))
    }
}

extension Persisted where Value.PersistedType: _Indexable {
    /// A property with an ordered index, which makes queries for its values fast.
    @inlinable
    public init(indexed: Bool) {
        self.init(_options: indexed ? _PersistedOptions.indexed : 0, _storage: .unset)
    }

    /// A property with an ordered index and a default value.
    @inlinable
    public init(wrappedValue: @autoclosure @escaping () -> Value, indexed: Bool) {
        self.init(_options: indexed ? _PersistedOptions.indexed : 0, _storage: .make(wrappedValue))
    }
}

extension Persisted where Value: LinkingObjectsProtocol {
    /// The objects whose property `originProperty` links here.
    public init(originProperty: String) {
        self.init(_options: 0, _storage: .value(Value(fromType: Value.Element.self, property: originProperty)))
    }
}

/// `LinkingObjects`, as a constraint.
public protocol LinkingObjectsProtocol: _Persistable {
    associatedtype Element: ObjectBase & RealmCollectionValue
    init(fromType: Element.Type, property: String)
    /// Name of the property that links here; empty if none was given.
    var _originProperty: String { get }
}
