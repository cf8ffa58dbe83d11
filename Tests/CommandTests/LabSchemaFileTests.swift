import Foundation
import Model
import TestSupport
import Testing
import Wire

@testable import reeve

/// Schemas for `reeve lab`.
@Suite struct LabSchemaFileTests {
    private let directory = TemporaryDirectory()

    private func file(_ text: String) throws -> String {
        let path = directory.path("schema.json")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func whatTheSchemaCommandPrintsIsRead() throws {
        let schema = RealmSchema([
            ClassSchema(
                "Task", primaryKey: "_id",
                [
                    PropertySchema("_id", .objectId), PropertySchema("name", .string, nullable: true, indexed: true),
                    PropertySchema("tags", .string, collection: .set),
                    PropertySchema("steps", .link, collection: .list, target: "Step"),
                    PropertySchema("any", .mixed, nullable: true)
                ]), ClassSchema("Step", kind: .embedded, [PropertySchema("done", .bool)])
        ])
        let classes = RealmDescription.json(schema)
        let document: [String: Any] = ["schemaVersion": 3, "classes": classes]
        for value in [document, classes] as [Any] {
            let path = try file(String(decoding: JSONSerialization.data(withJSONObject: value), as: UTF8.self))
            #expect(LabSchemaFile.isJSON(path))
            #expect(try LabSchemaFile.schema(path) == schema)
        }
    }

    @Test(arguments: [
        ("{", "JSON"), ("{\"a\": 1}", "classes"), ("[{\"name\": \"A\"}]", "properties"),
        ("[{\"name\": \"A\", \"properties\": [{\"name\": \"a\"}]}]", "type"),
        ("[{\"name\": \"A\", \"properties\": [{\"name\": \"a\", \"type\": \"integer\"}]}]", "integer"),
        ("[{\"name\": \"A\", \"properties\": [{\"name\": \"a\", \"type\": \"link\", \"target\": \"B\"}]}]", "A.a"),
        ("[{\"name\": \"A\", \"kind\": \"big\", \"properties\": []}]", "big")
    ]) func faultsAreNamed(text: String, what: String) throws {
        let path = try file(text)
        do {
            _ = try LabSchemaFile.schema(path)
            Issue.record("taken")
        } catch {
            let message = (error as? WireError)?.message ?? "\(error)"
            #expect(message.contains(what), "\(message)")
        }
    }

    @Test func aRealmIsNoJSON() throws {
        let path = directory.path("a.realm")
        try Data([0, 0, 0, 0, 0x7B]).write(to: URL(fileURLWithPath: path))
        #expect(!LabSchemaFile.isJSON(path) && !LabSchemaFile.isJSON(directory.path("none")))
    }
}
