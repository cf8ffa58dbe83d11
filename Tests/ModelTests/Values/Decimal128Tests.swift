import Foundation
import Testing

@testable import Model

struct Decimal128Tests {
    /// Results of another implementation; see `about` in the file.
    private struct Expected: Decodable {
        var arithmetic: [[String]]
        var text: [[String]]
        var fromDouble: [[String]]
        var toDouble: [[String]]

        static func load() throws -> Expected {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            let data = try Data(contentsOf: folder.appendingPathComponent("Fixtures/decimals.json"))
            return try JSONDecoder().decode(Expected.self, from: data)
        }
    }

    @Test func `arithmetic and comparison agree with Python's decimal to the last digit`() throws {
        let cases = try Expected.load().arithmetic
        #expect(cases.count > 1_900)
        for row in cases {
            let a = try #require(Decimal128(row[0]))
            let b = try #require(Decimal128(row[1]))
            #expect((a + b).description == row[2], "\(a) + \(b)")
            #expect((a - b).description == row[3], "\(a) - \(b)")
            #expect((a * b).description == row[4], "\(a) * \(b)")
            #expect((a / b).description == row[5], "\(a) / \(b)")
            let comparison = a.compare(b).map { String($0.rawValue) } ?? ""
            #expect(comparison == row[6], "\(a) <=> \(b)")
        }
    }

    @Test func `text is read and rounded as Python's decimal does`() throws {
        for row in try Expected.load().text {
            #expect(Decimal128(row[0])?.description == row[1], "\(row[0])")
        }
    }

    @Test(arguments: [
        "", " 1", "1 ", "+", "-", ".", "e5", "1e", "1e+", "1.2.3", "1,5", "0x10", "--1", "infinit", "1e5.0", "١"
    ])
    func `text that is no number is refused`(text: String) {
        #expect(Decimal128(text) == nil)
    }

    @Test func `printing and reading gives the same word back`() throws {
        for row in try Expected.load().arithmetic {
            let a = try #require(Decimal128(row[0]))
            #expect(Decimal128(a.description) == a)
        }
    }

    @Test func `a double is rounded to 15 digits (C-167)`() throws {
        for row in try Expected.load().fromDouble {
            let double = Double(bitPattern: try #require(UInt64(row[0], radix: 16)))
            let expected = try #require(Decimal128(row[1]))
            #expect(Decimal128(double).compare(expected) == .orderedSame, "\(double)")
            #expect(Decimal128(double).isNegative == (double.sign == .minus))
        }
        #expect(Decimal128(0.1).description == "0.1")
        #expect(Decimal128(100.0).description == "100")
        #expect(Decimal128(1e20).description == "1E+20")
        #expect(Decimal128(Float(0.1)).description == "0.1")
        #expect(Decimal128(Float(16_777_217)).description == "1.677722E+7")
        #expect(Decimal128(Double.nan).isNaN)
        #expect(Decimal128(-Double.infinity).description == "-Inf")
    }

    @Test func `a decimal becomes the nearest double`() throws {
        for row in try Expected.load().toDouble {
            let decimal = try #require(Decimal128(row[0]))
            #expect(Double(decimal).bitPattern == UInt64(row[1], radix: 16), "\(decimal)")
        }
        #expect(Double(Decimal128.nan).isNaN)
        #expect(Double(-Decimal128.infinity) == -.infinity)
    }

    @Test(arguments: [0, 1, -1, 10, .max, .min, 1 << 53 + 1] as [Int64])
    func `integers go there and back`(value: Int64) {
        let decimal = Decimal128(value)
        #expect(decimal.description == String(value))
        #expect(Int64(exactly: decimal) == value)
    }

    @Test func `integers out of range and fractions have no Int64`() throws {
        for text in ["9223372036854775808", "-9223372036854775809", "1E+19", "1E+6000", "Inf", "NaN"] {
            let decimal = try #require(Decimal128(text))
            #expect(Int64(truncating: decimal) == nil, "\(text)")
        }
        for (text, whole) in [
            ("1.5", 1), ("-1.5", -1), ("0.9", 0), ("1E-6000", 0), ("9E+18", 9_000_000_000_000_000_000)
        ] {
            let decimal = try #require(Decimal128(text))
            #expect(Int64(truncating: decimal) == Int64(whole))
        }
        #expect(Int64(exactly: try #require(Decimal128("1.5"))) == nil)
        #expect(Int64(exactly: try #require(Decimal128("150E-1"))) == 15)
    }

    @Test func `words split and join as they travel (C-40)`() throws {
        let specials: [(Decimal128, Int64, Bool)] = [
            (.nan, 9696, false), (.infinity, 9184, false), (-.infinity, 9184, true)
        ]
        for (value, exponent, isNegative) in specials {
            #expect(value.split == (0, exponent, isNegative))
            #expect(Decimal128(joining: 0, exponent: exponent, isNegative: isNegative) == value)
        }
        #expect(try #require(Decimal128("10.50")).split == (1050, -2, false))
        #expect(try #require(Decimal128("10.5")).split == (105, -1, false))
        #expect(Decimal128(joining: Decimal128.maximumCoefficient, exponent: 0, isNegative: false) != nil)
        #expect(Decimal128(joining: Decimal128.maximumCoefficient + 1, exponent: 0, isNegative: false) == nil)
        #expect(Decimal128(joining: 0, exponent: -6177, isNegative: false) == nil)
        #expect(Decimal128(joining: 0, exponent: 16_383 - 6176, isNegative: false) != nil)
        #expect(Decimal128(joining: 0, exponent: 16_384 - 6176, isNegative: false) == nil)
        #expect(Decimal128(joining: 0, exponent: .max, isNegative: false) == nil)
        #expect(Decimal128(joining: 0, exponent: .min, isNegative: false) == nil)
    }

    @Test func `words that IEEE 754 calls non-canonical are zeros`() {
        for word in [
            Decimal128(low: .max, high: 0x3041_ffff_ffff_ffff), Decimal128(low: 5, high: 0x6c10_0000_0000_0000)
        ] {
            #expect(word.isZero)
            #expect(word.compare(.zero) == .orderedSame)
            #expect(word.canonical.split.coefficient == 0)
            #expect((word + Decimal128(7)).compare(Decimal128(7)) == .orderedSame)
        }
    }
}
