import Foundation
import Testing

@testable import Model

struct ValueComparisonTests {
    private static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }

    @Test(arguments: [
        (Value.int(1), Value.double(1)), (.int(1), decimal("1.00")), (.double(0), .double(-0.0)),
        (.float(0), .double(-0.0)), (.float(0.5), .double(0.5)), (.double(0.1), decimal("0.1")),
        (.float(0.1), decimal("0.1")), (decimal("1.0"), decimal("1.00")), (decimal("-0"), .int(0)),
        (.double(.infinity), decimal("Inf")), (.float(-.infinity), decimal("-Inf")),
        (.float(.infinity), .double(.infinity)),
        (.int(1 << 53), .double(0x1p53)), (.int(.min), .double(-0x1p63))
    ])
    func `numbers are one element of a set across types (C-167)`(a: Value, b: Value) {
        #expect(a.isSameElement(as: b))
        #expect(b.isSameElement(as: a))
        #expect(a != b)
        #expect(a.compareForSort(b) == .orderedSame)
    }

    @Test(arguments: [
        (Value.int(1 << 53 + 1), Value.double(0x1p53)), (.float(0.1), .double(0.1)), (.int(.max), .double(0x1p63)),
        (.int(1), .bool(true)), (.int(0), .null), (.string("a"), .binary(Data("a".utf8))),
        (.string("\u{e9}"), .string("e\u{301}")), (.double(.infinity), decimal("-Inf")),
        (.link(Link(className: "A", key: .int(1))), .link(Link(className: "B", key: .int(1)))),
        (.double(.nan), .double(1)), (decimal("NaN"), .int(0))
    ])
    func `other elements differ (C-167)`(a: Value, b: Value) {
        #expect(!a.isSameElement(as: b))
        #expect(!b.isSameElement(as: a))
    }

    @Test func `NaNs are one element by bits, and any equals a decimal one (C-167)`() {
        let quiet = Value.double(.nan)
        let payload = Value.double(Double(bitPattern: 0x7ff8_0000_0000_0001))
        #expect(quiet.isSameElement(as: quiet))
        #expect(!quiet.isSameElement(as: payload))
        #expect(quiet.isSameElement(as: .float(.nan)))
        for value in [quiet, payload, .float(.nan), Self.decimal("NaN")] {
            #expect(value.isSameElement(as: Self.decimal("NaN")))
            #expect(Self.decimal("NaN").isSameElement(as: value))
        }
    }

    @Test func `integers and doubles compare exactly at the edges`() {
        #expect(Value.compare(.max, 0x1p63) == .orderedAscending)
        #expect(Value.compare(.min, -0x1p63) == .orderedSame)
        #expect(Value.compare(.min, -0x1p64) == .orderedDescending)
        #expect(Value.compare(1 << 53 + 1, 0x1p53) == .orderedDescending)
        #expect(Value.compare(0, 0.5) == .orderedAscending)
        #expect(Value.compare(0, -0.5) == .orderedDescending)
        #expect(Value.compare(-1, -0.5) == .orderedAscending)
        #expect(Value.compare(1, 0.5) == .orderedDescending)
        #expect(Value.compare(0, .infinity) == .orderedAscending)
        #expect(Value.compare(0, -.infinity) == .orderedDescending)
        #expect(Value.compare(0, .nan) == nil)
    }

    @Test func `comparison with NaN or no number has no result (Q-66)`() {
        let numbers: [Value] = [.int(1), .float(1), .double(1), Self.decimal("1")]
        for number in numbers {
            for other in [Value.float(.nan), .double(.nan), Self.decimal("NaN"), .null, .bool(true), .string("1")] {
                #expect(number.compareNumerically(other) == nil)
                #expect(other.compareNumerically(number) == nil)
            }
        }
    }

    @Test func `values sort by type, then by value (Q-71)`() throws {
        let low = try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000ff"))
        let high = try #require(UUID(uuidString: "ff000000-0000-0000-0000-000000000000"))
        // Strictly ascending.
        let sorted: [Value] = [
            .null, .bool(false), .bool(true),
            .double(.nan), .double(-.infinity), .int(.min), Self.decimal("-1.5"), .int(-1), .double(-0.5), .int(0),
            .float(0.1), .double(0.5), .int(1), Self.decimal("1.5"), .int(.max), .double(0x1p63), .double(.infinity),
            .string(""), .string("A"), .string("a"), .string("aa"), .string("b"), .string("e\u{301}"), .string("z"),
            .string("\u{e9}"), .string("\u{ffff}"), .string("\u{10000}"), .malformedString([0xff]),
            .binary(Data()), .binary(Data([0])), .binary(Data([0, 0])), .binary(Data([0xff])),
            .timestamp(Timestamp(seconds: -1)), .timestamp(Timestamp(seconds: 0, nanoseconds: -1)),
            .timestamp(Timestamp(seconds: 0)), .timestamp(Timestamp(seconds: 0, nanoseconds: 1)),
            .objectId(ObjectId(high: 0, low: 1)), .objectId(ObjectId(high: 1 << 63, low: 0)),
            .uuid(low), .uuid(high),
            .link(Link(className: "A", key: .null)), .link(Link(className: "A", key: .int(5))),
            .link(Link(className: "A", key: .string("x"))), .link(Link(className: "A", key: .global(high: 1, low: 2))),
            .link(Link(className: "A", key: .global(high: 2, low: 1))), .link(Link(className: "B", key: .null))
        ]
        for (i, a) in sorted.enumerated() {
            for (j, b) in sorted.enumerated() {
                let expected: ComparisonResult = i < j ? .orderedAscending : i == j ? .orderedSame : .orderedDescending
                #expect(a.compareForSort(b) == expected, "\(a) <=> \(b)")
            }
        }
        for nan in [Value.float(.nan), Self.decimal("NaN")] {
            #expect(nan.compareForSort(.double(.nan)) == .orderedSame)
            #expect(nan.compareForSort(.double(-.infinity)) == .orderedAscending)
        }
    }

    @Test func `equality is by representation`() {
        #expect(Value.double(.nan) == .double(.nan))
        #expect(Value.double(0) != .double(-0.0))
        #expect(PrimaryKey.string("\u{e9}") != .string("e\u{301}"))
        #expect(Set([PrimaryKey.string("\u{e9}"), .string("e\u{301}")]).count == 2)
        #expect(PathElement.name("\u{e9}") != .name("e\u{301}"))
        #expect(Set([Value.string("\u{e9}"), .string("e\u{301}")]).count == 2)
    }

    @Test(arguments: [
        (Value.null, "null"), (.int(-5), "-5"), (.bool(true), "true"), (.double(1.5), "1.5"), (.float(0.1), "0.1"),
        (.string("a\"b\\c\n\u{1}é"), "\"a\\\"b\\\\c\\n\\u0001é\""), (.malformedString([0xff, 0x0a]), "malformed<ff0a>"),
        (.binary(Data([0, 255])), "<00ff>"), (decimal("10.50"), "10.50"),
        (.timestamp(Timestamp(seconds: 0)), "1970-01-01T00:00:00Z"),
        (.objectId(ObjectId(high: 1, low: 2)), "000000000000000100000002"),
        (.link(Link(className: "Dog", key: .string("rex"))), "Dog[\"rex\"]"),
        (.link(Link(className: "Dog", key: .global(high: 42, low: 0))), "Dog[42-0]"),
        (.uuid(UUID(high: 0x3b24_1101_e2bb_4255, low: 0x8caf_4136_c566_a962)), "3b241101-e2bb-4255-8caf-4136c566a962")
    ])
    func `values print for people`(value: Value, text: String) {
        #expect(value.description == text)
    }

    @Test func `long binaries are cut when printed`() {
        let text = Value.binary(Data(repeating: 0xab, count: 1_000)).description
        #expect(text.hasSuffix("… 1000 bytes>"))
        #expect(text.count < 200)
    }
}
