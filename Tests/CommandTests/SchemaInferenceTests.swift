import Foundation
import Model
import Testing
import Wire

@testable import reeve

@Suite struct SchemaInferenceTests {
    private func infer(_ json: String, key: String? = nil) throws -> ClassSchema {
        let objects = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        return try SchemaInference.classSchema("Thing", from: objects, key: key)
    }

    @Test func theKeyComesFirstAndOthersByName() throws {
        let schema = try infer(#"[{"b": 1, "a": "x", "k": "1"}]"#, key: "k")
        #expect(schema.properties.map(\.name) == ["k", "a", "b"])
        #expect(schema.primaryKey == "k")
    }

    @Test func whatIsMissingOrNullSomewhereIsOptional() throws {
        let schema = try infer(#"[{"a": 1, "b": 1, "c": 1}, {"a": 2, "b": null}]"#)
        #expect(schema.property("a")?.isNullable == false)
        #expect(schema.property("b")?.isNullable == true)
        #expect(schema.property("c")?.isNullable == true)
    }

    @Test func booleansAreNoNumbersAndNumbersWidenToDouble() throws {
        let schema = try infer(
            #"[{"flag": true, "n": 1, "d": 1, "s": "t"}, {"flag": false, "n": 2, "d": 0.5, "s": ""}]"#)
        #expect(schema.property("flag")?.type == .bool)
        #expect(schema.property("n")?.type == .int)
        #expect(schema.property("d")?.type == .double)
        #expect(schema.property("s")?.type == .string)
    }

    @Test func arraysBecomeLists() throws {
        let schema = try infer(#"[{"l": []}, {"l": [1, 2]}, {}]"#)
        #expect(schema.property("l") == PropertySchema("l", .int, collection: .list))
    }

    @Test func aListThatIsNullSomewhereHasNoOptionalElements() throws {
        let schema = try infer(#"[{"tags": ["a"], "n": [1, null]}, {"tags": null, "n": []}]"#)
        #expect(schema.property("tags") == PropertySchema("tags", .string, collection: .list))
        #expect(schema.property("n") == PropertySchema("n", .int, nullable: true, collection: .list))
    }

    @Test func aPropertyThatIsNullEverywhereIsAnOptionalString() throws {
        #expect(try infer(#"[{"x": null}]"#).property("x") == PropertySchema("x", .string, nullable: true))
    }

    @Test(arguments: [
        #"[{"a": 1}, {"a": "x"}]"#, #"[{"a": true}, {"a": 1}]"#, #"[{"a": {"b": 1}}]"#, #"[{"a": [[1]]}]"#,
        #"[{"a": [1]}, {"a": 1}]"#, "[]"
    ])
    func dataThatFitsNoClassIsRefused(json: String) {
        #expect(throws: WireError.self) { try infer(json) }
    }

    @Test(arguments: ["missing", "half", "list", "flag"])
    func aKeyMustBeAStringOrWholeNumberInEveryObject(key: String) {
        let json = #"[{"half": 1, "list": [1], "flag": true}, {"list": [2], "flag": false}]"#
        #expect(throws: UsageError.self) { try infer(json, key: key) }
    }
}
