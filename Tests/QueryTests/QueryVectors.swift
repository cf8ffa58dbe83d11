import Foundation
import Model
import Query

/// The recorded queries of `queries.json`: texts that the reference has run, with arguments and outcomes.
struct QueryVectors {
    struct Record: CustomStringConvertible {
        var category: String
        var className: String
        var text: String
        var arguments: [QueryArgument]
        /// Primary keys in order, or the kind of error. Reeve's own outcome where it deviates.
        var outcome: Outcome
        /// The reference's canonical text, where it counts.
        var canonicalText: String?

        var description: String { "\(className): \(text)" }
    }

    enum Outcome: Equatable {
        case keys([PrimaryKey])
        /// Any error of one of these kinds; nil means any kind at all.
        case error(String?)
    }

    var schema: RealmSchema
    /// The dataset's instructions as they stand in the file.
    var instructions: [[String: Any]]
    var records: [Record]

    /// `$REEVE_VECTORS`, or `shared/vectors` beside the package.
    static var directory: URL {
        if let path = ProcessInfo.processInfo.environment["REEVE_VECTORS"] { return URL(fileURLWithPath: path) }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/vectors")
    }

    static var isAbsent: Bool {
        !FileManager.default.isReadableFile(atPath: directory.appendingPathComponent("queries.json").path)
    }

    static func load() throws -> QueryVectors {
        let data = try Data(contentsOf: directory.appendingPathComponent("queries.json"))
        let root = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let dataset = root["dataset"] as? [String: Any] ?? [:]
        let instructions = dataset["instructions"] as? [[String: Any]] ?? []
        let records = try (root["records"] as? [[String: Any]] ?? []).map(record)
        return QueryVectors(schema: try schema(instructions), instructions: instructions, records: records)
    }

    struct Malformed: Error { var what: String }

    private static func record(_ json: [String: Any]) throws -> Record {
        let deviation = json["reeve"] as? [String: Any]
        let source = deviation ?? json
        let outcome: Outcome
        if let keys = source["result"] as? [Any] {
            outcome = .keys(try keys.map { try primaryKey(value($0)) })
        } else if let kind = source["error"] as? String {
            outcome = .error(json["quirk"] == nil ? kind : nil)
        } else {
            throw Malformed(what: "\(json)")
        }
        return Record(
            category: json["category"] as? String ?? "", className: json["class"] as? String ?? "",
            text: json["query"] as? String ?? "",
            arguments: try (json["args"] as? [Any] ?? []).map(argument), outcome: outcome,
            canonicalText: deviation == nil ? json["description"] as? String : nil)
    }

    private static func argument(_ json: Any) throws -> QueryArgument {
        if let list = json as? [Any] { return .list(try list.map(value)) }
        if let geo = (json as? [String: Any])?["geo"] as? [String: Any] { return .geo(try shape(geo)) }
        return .value(try value(json))
    }

    private static func shape(_ json: [String: Any]) throws -> GeoShape {
        func point(_ json: Any?) throws -> GeoPoint {
            guard let pair = json as? [Double], pair.count >= 2 else { throw Malformed(what: "\(json ?? "point")") }
            return GeoPoint(longitude: pair[0], latitude: pair[1])
        }
        if let circle = json["circle"] as? [String: Any] {
            return .circle(center: try point(circle["center"]), radius: circle["radius_radians"] as? Double ?? .nan)
        }
        if let rings = json["polygon"] as? [[Any]] { return .polygon(try rings.map { try $0.map(point) }) }
        if let corners = json["box"] as? [Any], corners.count == 2 {
            return .box(try point(corners[0]), try point(corners[1]))
        }
        throw Malformed(what: "\(json)")
    }

    /// A value in the vectors' form, see `format` in the file.
    static func value(_ json: Any) throws -> Value {
        if json is NSNull { return .null }
        guard let object = json as? [String: Any], let (key, content) = object.first(where: { $0.key != "bits" }) else {
            throw Malformed(what: "\(json)")
        }
        switch (key, content) {
        case ("int", let number as NSNumber): return .int(number.int64Value)
        case ("bool", let number as NSNumber): return .bool(number.boolValue)
        case ("string", let text as String): return .string(text)
        case ("stringHex", let text as String): return .malformedString(bytes(text))
        case ("binary", let text as String): return .binary(Data(bytes(text)))
        case ("timestamp", let parts as [NSNumber]) where parts.count == 2:
            return .timestamp(Timestamp(seconds: parts[0].int64Value, nanoseconds: parts[1].int32Value))
        case ("float", _):
            if let bits = (object["bits"] as? String).flatMap({ UInt32($0, radix: 16) }) {
                return .float(Float(bitPattern: bits))
            }
            if let number = content as? NSNumber { return .float(number.floatValue) }
        case ("double", _):
            if let bits = (object["bits"] as? String).flatMap({ UInt64($0, radix: 16) }) {
                return .double(Double(bitPattern: bits))
            }
            if let number = content as? NSNumber { return .double(number.doubleValue) }
        case ("decimal", let text as String):
            if let value = Decimal128(text) { return .decimal(value) }
        case ("objectId", let text as String):
            let parts = bytes(text)
            if parts.count == 12 {
                return parts.withUnsafeBytes { raw in
                    raw.baseAddress.map { .objectId(ObjectId(loading: $0)) } ?? .null
                }
            }
        case ("uuid", let text as String):
            if let uuid = UUID(uuidString: text) { return .uuid(uuid) }
        case ("link", let link as [String: Any]):
            return .link(
                Link(
                    className: link["table"] as? String ?? "",
                    key: try primaryKey(value(link["pk"] ?? NSNull()))))
        default: break
        }
        throw Malformed(what: "\(json)")
    }

    static func primaryKey(_ value: Value) throws -> PrimaryKey {
        switch value {
        case .null: .null
        case .int(let value): .int(value)
        case .string(let value): .string(value)
        case .objectId(let value): .objectId(value)
        case .uuid(let value): .uuid(value)
        default: throw Malformed(what: "\(value)")
        }
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = hexadecimal[...]
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    // MARK: Schema

    private static func schema(_ instructions: [[String: Any]]) throws -> RealmSchema {
        var classes: [ClassSchema] = []
        for instruction in instructions {
            guard let name = instruction["table"] as? String else { continue }
            switch instruction["op"] as? String {
            case "AddTable":
                var schema = ClassSchema(
                    name, kind: instruction["kind"] as? String == "embedded" ? .embedded : .topLevel, [])
                if let key = instruction["pk_field"] as? String {
                    schema.primaryKey = key
                    schema.properties.append(
                        PropertySchema(
                            key, try type(instruction["pk_type"]),
                            nullable: instruction["pk_nullable"] as? Bool ?? false))
                }
                classes.append(schema)
            case "AddColumn":
                guard let index = classes.firstIndex(where: { $0.name == name }) else {
                    throw Malformed(what: "\(instruction)")
                }
                let collections: [String: CollectionKind] = [
                    "single": .single, "list": .list, "dictionary": .dictionary, "set": .set
                ]
                classes[index].properties.append(
                    PropertySchema(
                        instruction["field"] as? String ?? "", try type(instruction["type"]),
                        nullable: instruction["nullable"] as? Bool ?? false,
                        collection: collections[instruction["collection"] as? String ?? ""] ?? .single,
                        target: instruction["link_target"] as? String))
            default: continue
            }
        }
        return RealmSchema(classes)
    }

    private static func type(_ name: Any?) throws -> ValueType {
        let types: [String: ValueType] = [
            "mixed": .mixed, "int": .int, "bool": .bool, "string": .string, "binary": .binary, "timestamp": .timestamp,
            "float": .float, "double": .double, "decimal": .decimal, "link": .link, "objectId": .objectId, "uuid": .uuid
        ]
        guard let type = (name as? String).flatMap({ types[$0] }) else { throw Malformed(what: "type \(name ?? "")") }
        return type
    }
}
