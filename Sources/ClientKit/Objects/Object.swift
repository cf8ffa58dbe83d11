import Model

/// Base of persisted classes.
///
/// ```swift
/// class Dog: Object {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var name: String
/// }
/// ```
/// A subclass needs no registration. Its `init()` also makes accessors and serves schema discovery: it must have no
/// side effects.
open class Object: ObjectBase, RealmFetchable {
    public required init() {
        super.init()
    }

    /// An unmanaged object with values given by a dictionary, an array in the order of properties, or an object.
    public convenience init(value: Any) {
        self.init()
        UnmanagedBuilder.assign(value, to: self)
    }

    /// Legacy form of `@Persisted(primaryKey: true)`.
    open class func primaryKey() -> String? { nil }
    /// Legacy: properties that aren't marked are not persisted.
    open class func ignoredProperties() -> [String] { [] }
    /// Legacy form of `@Persisted(indexed: true)`.
    open class func indexedProperties() -> [String] { [] }
}

/// Base of classes whose objects are part of one other object: a property, a list or a map of it holds them. They can't
/// be added or created by themselves, can't go over to another object, and are deleted with what holds them.
///
/// ```swift
/// class Address: EmbeddedObject {
///     @Persisted var city: String
/// }
/// class Person: Object {
///     @Persisted var address: Address?
///     @Persisted var formerAddresses: List<Address>
/// }
/// ```
open class EmbeddedObject: ObjectBase {
    public required init() {
        super.init()
    }

    /// An unmanaged object with values given by a dictionary, an array in the order of properties, or an object.
    public convenience init(value: Any) {
        self.init()
        UnmanagedBuilder.assign(value, to: self)
    }
}

extension EmbeddedObject {
    /// Whether both stand for one row of one file; of unmanaged objects, whether they are one.
    public final func isSameObject(as object: EmbeddedObject?) -> Bool {
        object.map { _isSameRow(as: $0) } ?? false
    }
}

/// Base of classes whose objects only go up to the server: they are created, and can't be read, changed or linked to. Data
/// that a device measures is of this kind.
///
/// ```swift
/// class WeatherSensor: AsymmetricObject {
///     @Persisted(primaryKey: true) var _id: ObjectId
///     @Persisted var deviceId: String
///     @Persisted var temperature: Float
/// }
/// try realm.write { realm.create(WeatherSensor.self, value: ["deviceId": "a", "temperature": 21.5]) }
/// ```
/// For realms of flexible sync only; a subscription isn't needed. They are kept until the server has them.
open class AsymmetricObject: ObjectBase {
    public required init() {
        super.init()
    }

    /// An unmanaged object with values given by a dictionary, an array in the order of properties, or an object.
    public convenience init(value: Any) {
        self.init()
        UnmanagedBuilder.assign(value, to: self)
    }
}

/// What `Realm.objects(_:)` takes.
public protocol RealmFetchable: RealmCollectionValue {
    static func className() -> String
}

public typealias RealmSwiftObject = Object
public typealias RealmSwiftEmbeddedObject = EmbeddedObject
public typealias RealmSwiftAsymmetricObject = AsymmetricObject
