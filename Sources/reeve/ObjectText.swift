import Foundation
import Model
import Wire

/// Objects as people and scripts see them, and back.
enum ObjectText {
    // MARK: Out

    /// A value for JSON: numbers, strings, booleans, null, arrays. What JSON lacks becomes a string: object ids and UUIDs
    /// in their usual form, dates in ISO 8601, data in base64, decimals and non-finite numbers by their digits. A
    /// link is the primary key of its target.
    static func json(_ value: BSONValue) -> Any {
        switch value {
        case .null: return NSNull()
        case .bool(let value): return value
        case .int32(let value): return Int(value)
        case .int64(let value): return Int(value)
        case .double(let value): return value.isFinite ? value as Any : "\(value)"
        case .string(let value): return value
        case .array(let values): return values.map(json)
        case .objectId, .date, .decimal128, .binary: return text(value)
        case .document(let document): return extended(document)
        }
    }

    static func json(_ object: BSONDocument) -> [String: Any] {
        Dictionary(object.elements.map { ($0.key, json($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// A value in a table.
    static func text(_ value: BSONValue) -> String {
        switch value {
        case .null: return "-"
        case .bool(let value): return value ? "true" : "false"
        case .int32(let value): return "\(value)"
        case .int64(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return value
        case .objectId(let value): return value.description
        case .date(let milliseconds): return Timestamp(milliseconds: milliseconds).description
        case .decimal128(let value): return value.description
        case .binary(4, let data) where data.count == 16: return uuid(data).uuidString.lowercased()
        case .binary(_, let data): return data.base64EncodedString()
        case .array(let values): return "[" + values.map(text).joined(separator: ", ") + "]"
        case .document(let document):
            let value = extended(document)
            return value is NSNull ? "-" : value is String ? "\(value)" : Output.jsonText(value)
        }
    }

    private static func extended(_ document: BSONDocument) -> Any {
        switch (document.elements.first?.key, document.elements.first?.value) {
        case ("$ts", .array(let parts)) where parts.count == 2:
            return Timestamp(seconds: integer(parts[0]), nanoseconds: Int32(clamping: integer(parts[1]))).description
        case ("$float", .double(let value)): return value.isFinite ? value as Any : "\(value)"
        case ("$floatBits", .int32(let bits)): return "\(Float(bitPattern: UInt32(bitPattern: bits)))"
        case ("$link", _): return document["key"].map(json) ?? NSNull()
        case ("$global", .array(let parts)): return parts.map(text).joined(separator: "-")
        case ("$entries", _):
            let entries = WireDictionary.entries(.document(document)) ?? []
            return Dictionary(entries.map { ($0.key, json($0.value)) }, uniquingKeysWith: { _, last in last })
        default: return json(document)
        }
    }

    private static func integer(_ value: BSONValue) -> Int64 {
        switch value {
        case .int32(let value): Int64(value)
        case .int64(let value): value
        default: 0
        }
    }

    private static func uuid(_ data: Data) -> UUID {
        data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    // MARK: In

    /// The object that a JSON object describes, by the class's properties. Throws `typeMismatch` naming property and value.
    static func object(_ json: [String: Any], _ schema: ClassSchema, in realm: RealmSchema) throws -> BSONDocument {
        var document = BSONDocument()
        for (name, value) in json.sorted(by: { $0.key < $1.key }) {
            guard let property = schema.property(name) else {
                throw WireError(.unknownProperty, "\(schema.name) has no property \"\(name)\"")
            }
            document[name] = try self.value(value, property, schema, realm)
        }
        return document
    }

    private static func value(
        _ value: Any, _ property: PropertySchema, _ schema: ClassSchema, _ realm: RealmSchema
    ) throws -> BSONValue {
        switch (property.collection, value) {
        case (.single, _): return try single(value, property, schema, realm)
        // Collections are never null: other databases write an empty one so.
        case (.list, is NSNull), (.set, is NSNull): return .array([])
        case (.dictionary, is NSNull): return WireDictionary.value([])
        case (.list, let elements as [Any]), (.set, let elements as [Any]):
            return .array(try elements.map { try single($0, property, schema, realm) })
        case (.dictionary, let entries as [String: Any]):
            let sorted = entries.sorted { $0.key < $1.key }
            return WireDictionary.value(
                try sorted.map { (key: $0.key, value: try single($0.value, property, schema, realm)) })
        default: throw mismatch(value, property, schema)
        }
    }

    /// The primary key that a piece of text names.
    static func key(_ text: String, _ schema: ClassSchema) throws -> PrimaryKey {
        guard let name = schema.primaryKey, let property = schema.property(name) else {
            throw WireError(.typeMismatch, "\(schema.name) has no primary key; delete with --where instead")
        }
        let key: PrimaryKey? =
            switch property.type {
            case .int: Int64(text).map(PrimaryKey.int)
            case .string: .string(text)
            case .objectId: ObjectId(text).map(PrimaryKey.objectId)
            case .uuid: UUID(uuidString: text).map(PrimaryKey.uuid)
            default: nil
            }
        guard let key else { throw mismatch(text, property, schema) }
        return key
    }

    private static func single(
        _ value: Any, _ property: PropertySchema, _ schema: ClassSchema, _ realm: RealmSchema
    ) throws -> BSONValue {
        if value is NSNull {
            guard property.isNullable else { throw mismatch(value, property, schema) }
            return .null
        }
        let converted: BSONValue? =
            switch property.type {
            case .bool: boolean(value).map(BSONValue.bool)
            case .int: number(value).flatMap(integer).map(BSONValue.int64)
            case .double: double(value).map(BSONValue.double)
            case .float: double(value).flatMap(float).map(BSONValue.double)
            case .string: (value as? String).map(BSONValue.string)
            case .binary: (value as? String).flatMap { Data(base64Encoded: $0) }.map { .binary(subtype: 0, $0) }
            case .timestamp: (value as? String).flatMap { Timestamp($0) }.map(timestamp)
            case .objectId: (value as? String).flatMap { ObjectId($0) }.map(BSONValue.objectId)
            case .uuid: (value as? String).flatMap { UUID(uuidString: $0) }.map(uuidValue)
            case .decimal: decimal(value).map(BSONValue.decimal128)
            case .link: try link(value, property, realm)
            case .mixed: mixed(value)
            }
        guard let converted else { throw mismatch(value, property, schema) }
        return converted
    }

    /// What a JSON value is in a Mixed: whole numbers become ints, arrays and objects collections.
    private static func mixed(_ value: Any) -> BSONValue? {
        switch value {
        case is NSNull: .null
        case let number as NSNumber where isBoolean(number): .bool(number.boolValue)
        case let number as NSNumber: integer(number).map(BSONValue.int64) ?? .double(nearest(number))
        case let bool as Bool: .bool(bool)
        case let text as String: .string(text)
        case let elements as [Any]: .array(elements.map { mixed($0) ?? .null })
        case let entries as [String: Any]:
            WireDictionary.value(
                entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: mixed($0.value) ?? .null) })
        default: nil
        }
    }

    private static func link(_ value: Any, _ property: PropertySchema, _ realm: RealmSchema) throws -> BSONValue? {
        guard let target = property.target.flatMap({ realm.classSchema($0) }) else { return nil }
        if target.kind == .embedded {
            return try (value as? [String: Any]).map { .document(try object($0, target, in: realm)) }
        }
        guard let name = target.primaryKey else { return nil }
        let key = try object([name: value], target, in: realm)[name] ?? .null
        return .document(["$link": .string(target.name), "key": key])
    }

    private static func timestamp(_ value: Timestamp) -> BSONValue {
        if let milliseconds = value.milliseconds { return .date(milliseconds) }
        return .document(["$ts": .array([.int64(value.seconds), .int32(value.nanoseconds)])])
    }

    private static func uuidValue(_ value: UUID) -> BSONValue {
        .binary(subtype: 4, withUnsafeBytes(of: value.uuid) { Data($0) })
    }

    /// Foundation gives booleans as numbers too: only what JSON wrote as `true` or `false` is one.
    private static func boolean(_ value: Any) -> Bool? {
        if let number = value as? NSNumber { return isBoolean(number) ? number.boolValue : nil }
        return value as? Bool
    }

    private static func number(_ value: Any) -> NSNumber? {
        guard let number = value as? NSNumber, !isBoolean(number) else { return nil }
        return number
    }

    private static func double(_ value: Any) -> Double? {
        if let number = number(value) {
            let double = nearest(number)
            // A whole number that a Double can't hold would become another one.
            if let integer = integer(number), Int64(exactly: double) != integer { return nil }
            return double
        }
        return (value as? String).flatMap { ["nan", "inf", "-inf"].contains($0) ? Double($0) : nil }
    }

    /// The nearest single-precision number; nil if the value is too large for one.
    private static func float(_ value: Double) -> Double? {
        let nearest = Double(Float(value))
        return nearest.isInfinite && value.isFinite ? nil : nearest
    }

    private static func decimal(_ value: Any) -> Decimal128? {
        if let text = value as? String { return Decimal128(text) }
        return number(value).flatMap { Decimal128($0.stringValue) }
    }

    /// The whole number that a JSON number is. Foundation reads long ones as decimals, of which only the text is exact.
    static func integer(_ number: NSNumber) -> Int64? {
        number is NSDecimalNumber ? Int64(number.stringValue) : Int64(exactly: number)
    }

    /// The Double nearest to a JSON number.
    private static func nearest(_ number: NSNumber) -> Double {
        number is NSDecimalNumber ? Double(number.stringValue) ?? number.doubleValue : number.doubleValue
    }

    static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    private static func mismatch(_ value: Any, _ property: PropertySchema, _ schema: ClassSchema) -> WireError {
        let shown = value is NSNull ? "null" : "\(value)".prefix(60)
        return WireError(
            .typeMismatch,
            "\(shown) is not a value of \(schema.name).\(property.name), which is \(RealmDescription.type(property))",
            facts: ["class": .string(schema.name), "property": .string(property.name)])
    }
}
