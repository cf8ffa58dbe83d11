import Foundation
import Model
import Wire

/// A schema in JSON, as `reeve schema --json` prints it.
enum LabSchemaFile {
    /// Whether a file is JSON rather than a realm.
    static func isJSON(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 64) else {
            return false
        }
        return head.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }.map {
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0)
        }
            ?? false
    }

    /// Reads an object with a member `classes`, or that array alone.
    static func schema(_ path: String) throws -> RealmSchema {
        let value: Any
        do {
            value = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw failure(path, "can't be read as JSON")
        }
        guard let classes = ((value as? [String: Any])?["classes"] ?? value) as? [[String: Any]] else {
            throw failure(path, "has no array \"classes\" of objects")
        }
        let schema = RealmSchema(try classes.map { try classSchema($0, path) })
        if let fault = schema.faults().first { throw failure(path, "isn't a schema: \(fault)") }
        return schema
    }

    private static func classSchema(_ object: [String: Any], _ path: String) throws -> ClassSchema {
        guard let name = object["name"] as? String, let properties = object["properties"] as? [[String: Any]] else {
            throw failure(path, "has a class without \"name\" or \"properties\"")
        }
        let kinds: [ClassKind] = [.topLevel, .embedded, .asymmetric]
        let kind = try named(object, "kind", kinds, path, name) ?? .topLevel
        return ClassSchema(
            name, kind: kind, primaryKey: object["primaryKey"] as? String,
            try properties.map { try property($0, path, name) })
    }

    private static func property(_ object: [String: Any], _ path: String, _ owner: String) throws -> PropertySchema {
        guard let name = object["name"] as? String else {
            throw failure(path, "has a property of \(owner) without \"name\"")
        }
        let place = "\(owner).\(name)"
        guard let type = try named(object, "type", ValueType.allCases, path, place) else {
            throw failure(path, "has no \"type\" for \(place)")
        }
        return PropertySchema(
            name, type, nullable: object["nullable"] as? Bool ?? (type == .mixed),
            collection: try named(object, "collection", CollectionKind.allCases, path, place) ?? .single,
            target: object["target"] as? String, indexed: object["indexed"] as? Bool ?? false)
    }

    /// One of some cases by its name; nil if there is no such member.
    private static func named<Case>(
        _ object: [String: Any], _ member: String, _ cases: [Case], _ path: String, _ place: String
    ) throws -> Case? {
        guard let text = object[member] as? String else { return nil }
        if let found = cases.first(where: { "\($0)" == text }) { return found }
        let names = cases.map { "\($0)" }.joined(separator: ", ")
        throw failure(path, "says \"\(text)\" for the \(member) of \(place), which isn't one of \(names)")
    }

    private static func failure(_ path: String, _ what: String) -> WireError {
        WireError(.badParams, "\(path) \(what)", facts: ["path": .string(path)])
    }
}
