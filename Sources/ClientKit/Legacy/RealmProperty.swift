import Model
import Store

/// A persisted property in a class that declares none with `@Persisted` (LG-03).
///
/// ```swift
/// class Dog: Object {
///     let age = RealmProperty<Int?>()
/// }
/// dog.age.value = 3
/// ```
public final class RealmProperty<Value: RealmPropertyType> {
    /// Where the property of a managed object is.
    private struct Place {
        weak var owner: ObjectBase?
        let core: RealmCore
        let model: ManagedClass
        let key: ObjectKey
        let index: Int

        /// An accessor of the object, also after the one that the property is a part of.
        var object: ObjectBase { owner ?? ObjectBase.accessor(model, key) }
    }

    private var place: Place?
    /// What the property of an unmanaged object holds.
    private(set) var held = Value._defaultValue()

    public init() {}

    /// An unmanaged one with a value.
    public init(_ value: Value) {
        held = value
    }

    /// Reading one of a managed object reads the realm; assigning it needs a write transaction.
    public var value: Value {
        get {
            guard let place else { return held }
            return Value._get(place.object, place.index)
        }
        set {
            guard let place else {
                held = newValue
                return
            }
            Value._set(place.object, place.index, newValue)
        }
    }

    func hold(_ content: _StoredValue) -> Bool {
        guard let value = Value._make(content) else { return false }
        held = value
        return true
    }

    func attach(to object: ObjectBase, _ index: Int) {
        guard let core = object._rlmCore, let model = object._rlmModel else { return }
        place = Place(owner: object, core: core, model: model, key: object._rlmKey, index: index)
    }
}

/// What a `RealmProperty` can hold: optional numbers, Booleans and enumerations, and `AnyRealmValue`.
public protocol RealmPropertyType: _Persistable {}

/// What a `RealmOptional` can hold.
public protocol RealmOptionalType {}

extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Bool: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType
where Wrapped: RealmOptionalType & _PersistableInsideOptional & RealmCollectionValue {}

/// The older spelling of `RealmProperty` for optional values.
public typealias RealmOptional<Value: RealmOptionalType & _PersistableInsideOptional & RealmCollectionValue> =
    RealmProperty<Value?>

extension RealmProperty: Equatable where Value: Equatable {
    public static func == (a: RealmProperty, b: RealmProperty) -> Bool { a.value == b.value }
}

extension RealmProperty: CustomStringConvertible {
    public var description: String { "\(AnyCoercion.unwrapped(value) ?? "nil")" }
}

extension RealmProperty: Encodable where Value: Encodable {
    public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension RealmProperty: Decodable where Value: Decodable {
    public convenience init(from decoder: any Decoder) throws {
        self.init()
        held = try Value(from: decoder)
    }
}
