import Foundation
import RealmSwift
import Testing

/// Section 26.1: values of documents.
@Suite("Section 26: BSON")
struct Section26BSONTests {
    private let id = ObjectId("64f1b6c2d3e4f5a697887960")

    @Test("MG-23: literals, and the values of all types")
    func making() throws {
        let document: Document = ["s": "x", "i": 1, "d": 1.5, "b": true, "n": nil, "a": ["x", nil], "o": ["k": 1]]
        #expect((document["s"] ?? nil) == .string("x"))
        #expect((document["i"] ?? nil) == .int64(1))
        #expect((document["d"] ?? nil) == .double(1.5))
        #expect((document["b"] ?? nil) == .bool(true))
        #expect((document["a"] ?? nil) == .array([.string("x"), nil]))
        #expect((document["o"] ?? nil) == .document(["k": 1]))
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 5)
        let regex = try NSRegularExpression(pattern: "a")
        let table: [(AnyBSON, AnyBSON)] = [
            (AnyBSON(1), .int64(1)), (AnyBSON(Int32(1)), .int32(1)), (AnyBSON(Int64(1)), .int64(1)),
            (AnyBSON(true), .bool(true)), (AnyBSON(1.5), .double(1.5)), (AnyBSON("x"), .string("x")),
            (AnyBSON(Data([1])), .binary(Data([1]))), (AnyBSON(date), .datetime(date)),
            (AnyBSON(Decimal128(floatLiteral: 1.5)), .decimal128(1.5)), (AnyBSON(id), .objectId(id)),
            (AnyBSON(uuid), .uuid(uuid)), (AnyBSON(NSNull()), .null), (AnyBSON(regex), .regex(regex)),
            (AnyBSON(document), .document(document)), (AnyBSON(["x" as AnyBSON?]), .array(["x"])),
            (AnyBSON(MinKey()), .minKey), (AnyBSON(MaxKey()), .maxKey), (AnyBSON(AnyBSON.int32(1)), .int32(1))
        ]
        for (made, expected) in table { #expect(made == expected) }
        #expect(Set(table.map(\.0)).count == table.count - 2)
    }

    @Test("MG-24: values without conversion, and with it")
    func reading() {
        #expect(AnyBSON.int32(1).int32Value == 1)
        #expect(AnyBSON.int64(1).int32Value == nil)
        #expect(AnyBSON.int64(1).int64Value == 1)
        #expect(AnyBSON.double(1.5).doubleValue == 1.5)
        #expect(AnyBSON.string("x").stringValue == "x")
        #expect(AnyBSON.bool(true).boolValue == true)
        #expect(AnyBSON.objectId(id).objectIdValue == id)
        #expect(AnyBSON.document(["k": 1]).documentValue == ["k": 1])
        #expect(AnyBSON.array([1]).arrayValue == [1])
        #expect(AnyBSON.null.isNull && !AnyBSON.int32(0).isNull)
        #expect(AnyBSON.int32(7).asInt() == 7)
        #expect(AnyBSON.int64(7).asInt32() == 7)
        #expect(AnyBSON.int64(1 << 40).asInt32() == nil)
        #expect(AnyBSON.double(7).asInt64() == 7)
        #expect(AnyBSON.double(7.5).asInt64() == nil)
        #expect(AnyBSON.int32(7).asDouble() == 7)
        #expect(AnyBSON.int64(7).asDecimal128() == 7)
        #expect(AnyBSON.string("7").asInt() == nil)
        let text: String? = AnyBSON.string("x").value()
        let number: Int? = AnyBSON.int64(7).value()
        let none: Int? = AnyBSON.string("x").value()
        let null: NSNull? = AnyBSON.null.value()
        #expect(text == "x" && number == 7 && none == nil && null != nil)
    }

    @Test("MG-25: the types that documents can hold")
    func conformances() {
        func isBSON<T: BSON>(_ value: T) -> Bool { value == value }
        #expect(isBSON(1) && isBSON("x") && isBSON(true) && isBSON(1.5) && isBSON(Data()) && isBSON(id))
        #expect(isBSON(["k": 1] as Document) && isBSON([1] as [AnyBSON?]) && isBSON(MinKey()) && isBSON(UUID()))
    }
}
