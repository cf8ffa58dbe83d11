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

    @Test func numbersAreWhatIsWritten() throws {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<2_000).map { _ in Double.random(in: 0..<1, using: &generator) }
        let edges: [Double] = [0.30000000000000004, 1.7976931348623157e308, .leastNonzeroMagnitude, -0.1]
        for double in random + edges {
            #expect(try object(#"{"d": \#(double)}"#) == ["d": .double(double)])
        }
        for integer in [Int64.min, .max, 9_007_199_254_740_993, 0] {
            #expect(try object(#"{"s": [\#(integer)]}"#) == ["s": .array([.int64(integer)])])
        }
        for text in ["-9223372036854775809", "-9223372036854775810", "9223372036854775808", "-18446744073709551615"] {
            #expect(throws: WireError.self) { try object(#"{"s": [\#(text)]}"#) }
        }
        // A Double would be another number.
        #expect(throws: WireError.self) { try object(#"{"d": 9007199254740993}"#) }
    }

    @Test func collectionsThatAreNullAreEmpty() throws {
        let empty = try object(#"{"l": null, "s": null, "m": null}"#)
        #expect(try empty == object(#"{"l": [], "s": [], "m": {}}"#))
        #expect(throws: WireError.self) { try object(#"{"l": [null]}"#) }
    }
}
