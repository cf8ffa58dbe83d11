import Foundation
import Model
import Testing
import Wire

@testable import reeve

@Suite struct ObjectTextTests {
    private static let schema = ClassSchema(
        "Thing",
        [
            PropertySchema("f", .float), PropertySchema("d", .double),
            PropertySchema("l", .string, collection: .list), PropertySchema("s", .int, collection: .set),
            PropertySchema("m", .int, collection: .dictionary)
        ])

    private func object(_ json: String) throws -> BSONDocument {
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        return try ObjectText.object(parsed, Self.schema, in: RealmSchema([Self.schema]))
    }

    @Test func floatsAreTheNearestOnes() throws {
        #expect(try object(#"{"f": 0.1, "d": 0.1}"#) == ["d": .double(0.1), "f": .double(Double(Float(0.1)))])
        #expect(try object(#"{"f": 16777217}"#) == ["f": .double(16_777_216)])
        #expect(throws: WireError.self) { try object(#"{"f": 1e300}"#) }
        #expect(try object(#"{"f": "inf"}"#) == ["f": .double(.infinity)])
    }

    @Test func collectionsThatAreNullAreEmpty() throws {
        let empty = try object(#"{"l": null, "s": null, "m": null}"#)
        #expect(try empty == object(#"{"l": [], "s": [], "m": {}}"#))
        #expect(throws: WireError.self) { try object(#"{"l": [null]}"#) }
    }
}
