import Foundation
import Model
import TestSupport
import Testing

@testable import Wire

@Suite("Values on the wire")
struct ValueMappingTests {
    private func reread<Field: WireField>(_ field: Field) throws -> (Field?, BSONValue?) {
        let writer = BSONWriter()
        field.write("v", to: writer)
        return try writer.withBytes { bytes in
            let view = try UnsafeBSONView(validating: bytes)
            return (try view.element("v").map { try Field(field: $0) }, view.element("v").map { BSONValue($0) })
        }
    }

    static let values: [Value] = [
        .null, .int(0), .int(.min), .int(.max), .bool(true), .bool(false), .string(""), .string("a\u{0}b🐎"),
        .string("\u{E9}"), .string("e\u{301}"),
        .malformedString([0xFF, 0]), .binary(Data()), .binary(Data(0...255)),
        .timestamp(Timestamp(seconds: 0)), .timestamp(Timestamp(seconds: 1, nanoseconds: 5_000_000)),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 1)),
        .timestamp(Timestamp(seconds: -1, nanoseconds: -999_000_000)),
        .timestamp(Timestamp(seconds: -1, nanoseconds: -999_999_999)),
        .timestamp(Timestamp(seconds: 0, nanoseconds: -1_000_000)),
        .timestamp(Timestamp(seconds: 1, nanoseconds: -1_000_000)),
        .timestamp(Timestamp(seconds: .max, nanoseconds: 0)), .timestamp(Timestamp(seconds: .min, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: .max, nanoseconds: .max)), .timestamp(Timestamp(seconds: 0, nanoseconds: .min)),
        .float(0), .float(-0.0), .float(0.1), .float(.infinity), .float(.nan), .float(.signalingNaN),
        .float(Float(bitPattern: 0xFFC1_2345)), .float(Float(bitPattern: 0x7F81_2345)), .float(.leastNonzeroMagnitude),
        .double(0), .double(-0.0), .double(0.1), .double(.infinity), .double(.nan), .double(.signalingNaN),
        .decimal(Decimal128(low: .max, high: .max)), .decimal(Decimal128(low: 0, high: 0x3040_0000_0000_0000)),
        .objectId(ObjectId(high: .max, low: .max)), .uuid(WireSamples.uuid),
        .link(Link(className: "Dog", key: .null)), .link(Link(className: "Dog", key: .int(-1))),
        .link(Link(className: "", key: .string(""))),
        .link(Link(className: "Dog", key: .objectId(WireSamples.objectId))),
        .link(Link(className: "Dog", key: .uuid(WireSamples.uuid))),
        .link(Link(className: "Dog", key: .global(high: .max, low: 1 << 63)))
    ]

    @Test("every value survives, to the last bit")
    func values() throws {
        for value in Self.values { #expect(try reread(value).0 == value, "\(value)") }
        #expect(try reread(Self.values).0 == Self.values)
    }

    @Test("plain BSON where BSON has the type")
    func plain() throws {
        let table: [(Value, BSONValue)] = [
            (.int(1), .int64(1)), (.string("a"), .string("a")),
            (.timestamp(Timestamp(seconds: 1, nanoseconds: 5_000_000)), .date(1005)),
            (.timestamp(Timestamp(seconds: -1, nanoseconds: -5_000_000)), .date(-1005)),
            (
                .timestamp(Timestamp(seconds: 1, nanoseconds: 1)),
                .document(["$ts": .array([.int64(1), .int32(1)])])
            ),
            (.float(0.5), .document(["$float": .double(0.5)])), (.double(0.5), .double(0.5)),
            (.float(.signalingNaN), .document(["$floatBits": .int32(0x7FA0_0000)])),
            (.uuid(WireSamples.uuid), .binary(subtype: 4, Data(0..<16))),
            (.binary(Data([1])), .binary(subtype: 0, Data([1]))),
            (
                .link(Link(className: "Dog", key: .int(3))),
                .document(["$link": .string("Dog"), "key": .int64(3)])
            ),
            (
                .link(Link(className: "Dog", key: .global(high: 1, low: 2))),
                .document([
                    "$link": .string("Dog"), "key": .document(["$global": .array([.int64(1), .int64(2)])])
                ])
            )
        ]
        for (value, expected) in table { #expect(try reread(value).1 == expected, "\(value)") }
    }

    @Test("random timestamps and floats")
    func random() throws {
        var random = SeededGenerator(seed: randomSeed)
        for _ in 0..<5000 * soakFactor {
            let value: Value
            if Bool.random(using: &random) {
                value = .float(Float(bitPattern: UInt32.random(in: .min ... .max, using: &random)))
            } else {
                let seconds =
                    Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random)
                let nanoseconds =
                    Int32.random(in: -999...999, using: &random)
                    * [1, 1000, 1_000_000][Int.random(in: 0..<3, using: &random)]
                value = .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
            }
            #expect(try reread(value).0 == value, "seed \(randomSeed)")
        }
    }

    @Test("what is no value says why")
    func refusals() throws {
        func text(_ value: BSONValue) throws -> String? {
            try (["v": value] as BSONDocument).encoded().withUnsafeBytes { bytes in
                guard let element = try UnsafeBSONView(validating: bytes).element("v") else { return nil }
                do throws(WireDecodingError) {
                    _ = try Value(field: element)
                    return nil
                } catch {
                    return error.inside("v").description
                }
            }
        }
        let table: [(BSONValue, String)] = [
            (.array([]), "field \"v\" is array; expected a value"),
            (.document([:]), "field \"v\" is an empty document; expected a value"),
            (.document(["a": .null]), "field \"v\" is a document with key \"a\"; expected a value"),
            (
                .document(["$ts": .array([.int64(1)])]),
                "field \"v.$ts\" is other numbers; expected [seconds, nanoseconds]"
            ),
            (
                .document(["$ts": .array([.int64(1), .int64(1 << 40)])]),
                "field \"v.$ts\" is other numbers; expected [seconds, nanoseconds]"
            ),
            (.document(["$float": .int32(1)]), "field \"v.$float\" is int32; expected double"),
            (.document(["$link": .string("Dog")]), "field \"v.key\" is missing; expected a primary key"),
            (
                .document(["$link": .string("Dog"), "key": .double(1)]),
                "field \"v.key\" is double; expected a primary key"
            ),
            (
                .document(["$link": .string("Dog"), "key": .document(["$global": .array([.int32(1)])])]),
                "field \"v.key.$global\" is 1 numbers; expected [high, low]"
            )
        ]
        for (value, expected) in table { #expect(try text(value) == expected) }
    }

    @Test("a schema keeps everything, and wrong names are listed with the right ones")
    func schema() throws {
        #expect(try reread(WireSamples.schema).0 == WireSamples.schema)
        for type in ValueType.allCases {
            for collection in CollectionKind.allCases {
                let property = PropertySchema(
                    "p", type, nullable: true, collection: collection, target: "T", indexed: true)
                #expect(try reread(property).0 == property)
            }
        }
        let wrong = try (["name": .string("p"), "type": .string("number")] as BSONDocument).encoded()
        try wrong.withUnsafeBytes { bytes in
            let view = try UnsafeBSONView(validating: bytes)
            let error = #expect(throws: WireDecodingError.self) { try PropertySchema(view) }
            #expect(error?.field == "type")
            #expect(error?.expected.contains("\"objectId\"") == true)
        }
    }
}
