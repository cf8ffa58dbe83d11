import Foundation
import Model

/// A value of any type that a realm stores, with its type. nil is `.none`.
///
/// ```swift
/// class Setting: Object {
///     @Persisted var value: AnyRealmValue
/// }
/// setting.value = .string("dark")
/// setting.value = .fromDictionary(["width": .int(3), "names": .fromArray([.string("a"), .none])])
/// ```
/// Lists and dictionaries nest up to 100 levels. One that is assigned is copied; what is read of a managed object is the
/// collection itself, and can be changed in a write transaction.
public enum AnyRealmValue: Hashable {
    case none
    case int(Int)
    case bool(Bool)
    case float(Float)
    case double(Double)
    case string(String)
    case data(Data)
    case date(Date)
    case object(Object)
    case objectId(ObjectId)
    case decimal128(Decimal128)
    case uuid(UUID)
    case dictionary(Map<String, AnyRealmValue>)
    case list(List<AnyRealmValue>)

    public init() { self = .none }

    /// A dictionary that belongs to no realm.
    public static func fromDictionary(_ dictionary: [String: AnyRealmValue]) -> AnyRealmValue {
        let map = Map<String, AnyRealmValue>()
        for (key, value) in dictionary { map[key] = value }
        return .dictionary(map)
    }

    /// A list that belongs to no realm.
    public static func fromArray(_ array: [AnyRealmValue]) -> AnyRealmValue {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: array)
        return .list(list)
    }

    /// By value; collections by their kind only.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .dictionary: hasher.combine(12)
        case .list: hasher.combine(13)
        }
    }
}

// MARK: - What is in it
extension AnyRealmValue {
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    public var objectIdValue: ObjectId? { if case .objectId(let value) = self { value } else { nil } }
    public var decimal128Value: Decimal128? { if case .decimal128(let value) = self { value } else { nil } }
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    public var listValue: List<AnyRealmValue>? { if case .list(let value) = self { value } else { nil } }

    /// The object, if it is one of a class.
    public func object<T: Object>(_ type: T.Type) -> T? {
        if case .object(let value) = self { value as? T } else { nil }
    }

    /// The managed object, if it is one, whatever its class.
    public var dynamicObject: DynamicObject? {
        guard case .object(let value) = self else { return nil }
        if let object = value as? DynamicObject { return object }
        guard let (info, key) = value._rlmManaged else { return nil }
        return unsafeDowncast(ObjectBase.accessor(ManagedClass.dynamic(info), key), to: DynamicObject.self)
    }
}

// MARK: - As a property
extension AnyRealmValue: _PersistableInsideOptional, _RealmCollectionValueInsideOptional, _DefaultConstructible,
    MinMaxType, AddableType, SortableType, KeypathSortable, _QueryNumeric, _QueryString
{
    public typealias PersistedType = AnyRealmValue

    public static var _shape: _PropertyShape { _PropertyShape(.mixed) }

    public static func _defaultValue() -> AnyRealmValue { .none }

    public static func _load(
        _ chunk: UnsafeRawPointer, _ row: Int, _ object: ObjectBase, _ index: Int
    ) -> AnyRealmValue {
        _get(object, index)
    }

    public static func _decode(_ stored: _StoredValue) -> AnyRealmValue? {
        switch stored.content {
        case .object(let object): return (object as? Object).map { .object($0) }
        case .nested(let list as List<AnyRealmValue>): return .list(list)
        case .nested(let map as Map<String, AnyRealmValue>): return .dictionary(map)
        case .nested: return nil
        case .value(let value):
            switch value {
            // A link that is not an object here is one to a class that this process doesn't know.
            case .null, .link, .malformedString: return AnyRealmValue.none
            case .int(let value): return .int(Int(value))
            case .bool(let value): return .bool(value)
            case .string(let value): return .string(value)
            case .binary(let value): return .data(value)
            case .timestamp(let value): return .date(value.date)
            case .float(let value): return .float(value)
            case .double(let value): return .double(value)
            case .decimal(let value): return .decimal128(Decimal128(value))
            case .objectId(let value): return .objectId(ObjectId(value))
            case .uuid(let value): return .uuid(value)
            }
        }
    }

    public var _rlmEncoded: _StoredValue {
        switch self {
        case .none: .null
        case .int(let value): value._rlmEncoded
        case .bool(let value): value._rlmEncoded
        case .float(let value): value._rlmEncoded
        case .double(let value): value._rlmEncoded
        case .string(let value): value._rlmEncoded
        case .data(let value): value._rlmEncoded
        case .date(let value): value._rlmEncoded
        case .object(let value): _StoredValue(value)
        case .objectId(let value): value._rlmEncoded
        case .decimal128(let value): value._rlmEncoded
        case .uuid(let value): value._rlmEncoded
        case .dictionary(let value): _StoredValue(nested: value)
        case .list(let value): _StoredValue(nested: value)
        }
    }
}

// MARK: - Values of type `Any`
extension AnyRealmValue {
    /// The value that something of any type is; nil if it is of no type that a realm stores.
    init?(any value: Any) {
        guard let value = AnyCoercion.unwrapped(value) else {
            self = .none
            return
        }
        switch value {
        case let value as AnyRealmValue: self = value
        // Asked first: a number object passes for a Bool, an Int or a Double, as its value allows (XR-19).
        case let number as NSNumber where type(of: value) is NSNumber.Type: self = AnyRealmValue(number: number)
        case let value as String: self = .string(value)
        case let value as Bool where type(of: value) == Bool.self: self = .bool(value)
        case let value as Double where type(of: value) == Double.self: self = .double(value)
        case let value as Float where type(of: value) == Float.self: self = .float(value)
        case let value as any BinaryInteger:
            guard let value = Int(exactly: value) else { return nil }
            self = .int(value)
        case let value as Data: self = .data(value)
        case let value as Date: self = .date(value)
        case let value as ObjectId: self = .objectId(value)
        case let value as Decimal128: self = .decimal128(value)
        case let value as UUID: self = .uuid(value)
        case let value as Object: self = .object(value)
        case let value as any RealmCollectionValue:
            guard let decoded = Self._decode(value._rlmEncoded) else { return nil }
            self = decoded
        default:
            if let entries = ObjectInput.entries(of: value) {
                let map = Map<String, AnyRealmValue>()
                for entry in entries {
                    guard let value = AnyRealmValue(any: entry.value) else { return nil }
                    map[entry.key] = value
                }
                self = .dictionary(map)
                return
            }
            guard let elements = ObjectInput.elements(of: value) else { return nil }
            let values = elements.compactMap { AnyRealmValue(any: $0) }
            guard values.count == elements.count else { return nil }
            self = .fromArray(values)
        }
    }

    /// Foundation's numbers say what they are of: what they become as constants of a query, too.
    private init(number: NSNumber) {
        if number is NSDecimalNumber, let value = Model.Decimal128(number.stringValue) {
            self = .decimal128(Decimal128(value))
            return
        }
        switch String(cString: number.objCType) {
        case "c", "B": self = .bool(number.boolValue)
        case "f": self = .float(number.floatValue)
        case "d": self = .double(number.doubleValue)
        default: self = Int(exactly: number).map { .int($0) } ?? .double(number.doubleValue)
        }
    }
}

extension AnyRealmValue: CustomStringConvertible {
    /// The value, without its type.
    public var description: String {
        switch self {
        case .none: "nil"
        case .list(let list): list.description
        case .dictionary(let map): map.description
        case .object(let object): object.description
        default: _rlmEncoded.description
        }
    }
}
