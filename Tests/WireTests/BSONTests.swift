import Foundation
import Model
import Testing

@testable import Wire

@Suite("BSON")
struct BSONTests {
    /// One of each type, and what nests.
    static let everything: BSONDocument = [
        "double": .double(-0.1), "string": .string("naïve \u{0} 🐎"), "empty": .string(""),
        "document": .document(["a": .int32(1), "b": .document([:])]),
        "array": .array([.int32(1), .array([]), .document(["x": .null])]),
        "binary": .binary(subtype: 0, Data([1, 2, 3])), "none": .binary(subtype: 0, Data()),
        "uuid": .binary(subtype: 4, Data(0..<16)), "own": .binary(subtype: 0x80, Data([9])),
        "id": .objectId(ObjectId(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C)), "true": .bool(true),
        "false": .bool(false), "date": .date(-1), "null": .null, "int32": .int32(.min), "int64": .int64(.max),
        "decimal": .decimal128(Decimal128(low: 1, high: 0x3040_0000_0000_0000)), "": .int32(0), "ключ": .int32(7)
    ]

    @Test("every type survives the way there and back")
    func roundTrip() throws {
        let bytes = try Self.everything.encoded()
        #expect(try BSONDocument(bytes: bytes) == Self.everything)
    }

    @Test("bytes of known documents")
    func golden() throws {
        let table: [(BSONDocument, String)] = [
            ([:], "0500000000"),
            (["a": .int32(1)], "0c0000001061000100000000"),
            (["hello": .string("world")], "160000000268656c6c6f0006000000776f726c640000"),
            (["d": .double(1.5)], "10000000016400000000000000f83f00"),
            (["l": .array([.bool(true), .null])], "14000000046c00 0c000000 08300001 0a3100 00 00"),
            (
                ["i": .objectId(ObjectId(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C))],
                "14000000076900 0102030405060708090a0b0c 00"
            ),
            (["t": .date(1)], "1000000009740001000000 0000000000"),
            (
                ["b": .binary(subtype: 4, Data(0..<16))],
                "1d000000056200 10000000 04 000102030405060708090a0b0c0d0e0f 00"
            ),
            (
                ["m": .decimal128(Decimal128(low: 1, high: 0x3040_0000_0000_0000))],
                "18000000136d00 0100000000000000 0000000000004030 00"
            ),
            (["n": .int64(-2)], "10000000126e00feffffffffffffff00")
        ]
        for (document, hex) in table {
            #expect(try document.encoded() == bytes(hex: hex), "\(hex)")
            #expect(try BSONDocument(bytes: bytes(hex: hex)) == document, "\(hex)")
        }
    }

    @Test("a long array gets its positions as keys")
    func positions() throws {
        let values = (0..<1234).map { BSONValue.int32(Int32($0)) }
        let bytes = try (["a": .array(values)] as BSONDocument).encoded()
        try bytes.withUnsafeBytes { bytes in
            let array = try UnsafeBSONView(validating: bytes).element("a")?.view
            #expect(array?.map(\.key) == (0..<1234).map(String.init))
        }
    }

    @Test("what nested documents have so far counts, at every depth")
    func byteCountInside() throws {
        let writer = BSONWriter()
        let text = String(repeating: "x", count: 1000)
        writer.string("a", text)
        writer.array("list") { writer in
            for number in 1...3 {
                writer.document(.next) { writer in
                    writer.string("b", text)
                    writer.document("c") { writer in
                        let before = writer.byteCount
                        writer.int64("d", 1)
                        #expect(writer.byteCount == before + 11)
                        #expect(writer.byteCount > 1000 * (number + 1))
                    }
                }
            }
        }
        #expect(try writer.finish().count == writer.byteCount)
    }

    @Test("of a key that occurs twice the first counts, and nothing is lost")
    func duplicateKeys() throws {
        var document = BSONDocument([.init("a", .int32(1)), .init("b", .null), .init("a", .int32(2))])
        let bytes = try document.encoded()
        try bytes.withUnsafeBytes { bytes in
            let view = try UnsafeBSONView(validating: bytes)
            #expect(view.element("a")?.integer == 1)
            #expect(BSONDocument(view) == document)
        }
        #expect(document["a"] == .int32(1))
        #expect(document.duplicateKey == "a")
        document["a"] = nil
        #expect(document.elements.map(\.key) == ["b"])
        #expect(document.duplicateKey == nil)
    }

    @Test("a key with NUL can't be written, and the writer recovers")
    func keyWithNUL() throws {
        let writer = BSONWriter()
        writer.document("outer") { $0.int32(.text("a\u{0}b"), 1) }
        #expect(throws: BSONError.self) { try writer.finish() }
        writer.reset()
        writer.int32("a", 1)
        #expect(try writer.finish() == bytes(hex: "0c0000001061000100000000"))
    }

    @Test("a writer that was left by an error in the middle begins anew")
    func abandoned() throws {
        struct Abandoned: Error {}
        let writer = BSONWriter()
        #expect(throws: Abandoned.self) {
            try writer.document("a") { try $0.array("b") { _ in throw Abandoned() } }
        }
        writer.reset()
        #expect(try writer.finish() == bytes(hex: "0500000000"))
    }
}

/// Bytes from hexadecimal digits; spaces don't matter.
func bytes(hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
