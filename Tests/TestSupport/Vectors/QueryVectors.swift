import Foundation
import Model
import Query

/// The recorded queries of `queries.json`: texts that the reference has run, with arguments and outcomes.
package struct QueryVectors: Sendable {
    package struct Record: CustomStringConvertible, Sendable {
        package var category: String
        package var className: String
        package var text: String
        package var arguments: [QueryArgument]
        /// Primary keys in order, or the kind of error. Reeve's own outcome where it deviates.
        package var outcome: Outcome
        /// The reference's canonical text, where it counts.
        package var canonicalText: String?

        package var description: String { "\(className): \(text)" }
    }

    package enum Outcome: Equatable, Sendable {
        case keys([PrimaryKey])
        /// Any error of this kind; nil means any kind at all.
        case error(String?)
    }

    /// The schema that `instructions` make.
    package var schema: RealmSchema
    /// The data that all records are about, for an empty realm.
    package var instructions: [Instruction]
    package var records: [Record]

    private static let file = VectorCoding.directory.appendingPathComponent("queries.json")

    package static var isAbsent: Bool { !FileManager.default.isReadableFile(atPath: file.path) }

    package static func load() throws -> QueryVectors {
        let root = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
        let dataset = root["dataset"] as? [String: Any] ?? [:]
        let instructions = try (dataset["instructions"] as? [[String: Any]] ?? []).map(VectorCoding.instruction)
        let records = try (root["records"] as? [[String: Any]] ?? []).map(record)
        return QueryVectors(schema: RealmSchema(declaredBy: instructions), instructions: instructions, records: records)
    }

    private static func record(_ json: [String: Any]) throws -> Record {
        let deviation = json["reeve"] as? [String: Any]
        let source = deviation ?? json
        let outcome: Outcome
        if let keys = source["result"] as? [Any] {
            outcome = .keys(try keys.map(VectorCoding.key))
        } else if let kind = source["error"] as? String {
            outcome = .error(json["quirk"] == nil ? kind : nil)
        } else {
            throw VectorCoding.Unreadable("\(json)")
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

    private static func value(_ json: Any) throws -> Value {
        guard case .value(let value) = try VectorCoding.payload(json) else { throw VectorCoding.Unreadable("\(json)") }
        return value
    }

    private static func shape(_ json: [String: Any]) throws -> GeoShape {
        func point(_ json: Any?) throws -> GeoPoint {
            guard let pair = json as? [Double], pair.count >= 2 else {
                throw VectorCoding.Unreadable("\(json ?? "point")")
            }
            return GeoPoint(longitude: pair[0], latitude: pair[1])
        }
        if let circle = json["circle"] as? [String: Any] {
            return .circle(center: try point(circle["center"]), radius: circle["radius_radians"] as? Double ?? .nan)
        }
        if let rings = json["polygon"] as? [[Any]] { return .polygon(try rings.map { try $0.map(point) }) }
        if let corners = json["box"] as? [Any], corners.count == 2 {
            return .box(try point(corners[0]), try point(corners[1]))
        }
        throw VectorCoding.Unreadable("\(json)")
    }
}

extension RealmSchema {
    /// The classes and properties that instructions add.
    package init(declaredBy instructions: [Instruction]) {
        var classes: [ClassSchema] = []
        for instruction in instructions {
            switch instruction {
            case .addTable(let name, let kind, let key):
                var added = ClassSchema(name, kind: kind, [])
                if let key, let type = key.type {
                    added.primaryKey = key.name
                    added.properties.append(PropertySchema(key.name, type, nullable: key.isNullable))
                }
                classes.append(added)
            case .addColumn(let name, let property, let column):
                guard let index = classes.firstIndex(where: { $0.name == name }),
                    let type = ValueType(rawValue: column.type)
                else { continue }
                classes[index].properties.append(
                    PropertySchema(
                        property, type, nullable: column.isNullable, collection: column.collection,
                        target: column.target))
            default: continue
            }
        }
        self.init(classes)
    }

    /// Instructions that make the classes and properties.
    package var declaration: [Instruction] {
        let tables: [Instruction] = classes.map { owner in
            let key = owner.primaryKey.flatMap(owner.property).map {
                KeyColumn(name: $0.name, type: $0.type, isNullable: $0.isNullable)
            }
            return .addTable(className: owner.name, kind: owner.kind, key: key)
        }
        let columns = classes.flatMap { owner in
            owner.properties.filter { $0.name != owner.primaryKey }.map { property in
                Instruction.addColumn(
                    className: owner.name, property: property.name,
                    ColumnDeclaration(
                        type: property.type.rawValue, isNullable: property.isNullable, collection: property.collection,
                        target: property.target,
                        keyType: property.collection == .dictionary ? ValueType.string.rawValue : nil))
            }
        }
        return tables + columns
    }
}
