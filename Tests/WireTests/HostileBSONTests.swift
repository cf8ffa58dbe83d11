import CBSON
import Foundation
import Model
import TestSupport
import Testing

@testable import Wire

@Suite("Hostile BSON")
struct HostileBSONTests {
    private func reason(_ bytes: [UInt8], depthLimit: Int = 100) -> BSONError.Reason? {
        bytes.withUnsafeBytes { bytes in
            do throws(BSONError) {
                _ = try UnsafeBSONView(validating: bytes, depthLimit: depthLimit)
                return nil
            } catch {
                return error.reason
            }
        }
    }

    @Test("each kind of malformed document is refused by its name")
    func table() {
        let table: [(String, String, BSONError.Reason)] = [
            ("nothing", "", .truncated),
            ("three bytes", "050000", .truncated),
            ("length 0", "0000000000", .badLength),
            ("length 4", "0400000000", .badLength),
            ("negative length", "ffffffff00", .badLength),
            ("length beyond the bytes", "0600000000", .truncated),
            ("length before the end", "050000000000", .badLength),
            ("huge length", "ffffff7f00", .truncated),
            ("no end mark", "0500000001", .badLength),
            ("end mark too early", "0c0000000061000100000000", .badLength),
            ("element type without key", "0600000010 00", .truncated),
            ("key without end", "080000001061 6200", .truncated),
            ("int32 cut off", "0a000000106100 0000 00", .truncated),
            ("int64 cut off", "0e000000126100 000000000000 00", .truncated),
            ("double cut off", "0c000000016100 00000000 00", .truncated),
            ("object id cut off", "10000000076100 0000000000000000 00", .truncated),
            ("decimal cut off", "10000000136100 0000000000000000 00", .truncated),
            ("bool missing", "08000000086100 00", .truncated),
            ("bool 2", "09000000086100 02 00", .badValue),
            ("string length 0", "0d000000026100 00000000 00 00", .badLength),
            ("string length negative", "0e000000026100 ffffffff 6100 00", .badLength),
            ("string length huge", "0e000000026100 ffffff7f 6100 00", .truncated),
            ("string one too long", "0e000000026100 03000000 6100 00", .truncated),
            ("string without NUL", "0e000000026100 02000000 6161 00", .badValue),
            ("string not UTF-8", "0e000000026100 02000000 ff00 00", .invalidUTF8),
            ("string with surrogate", "10000000026100 04000000 eda08000 00", .invalidUTF8),
            ("string with overlong NUL", "0f000000026100 03000000 c08000 00", .invalidUTF8),
            ("string beyond Unicode", "11000000026100 05000000 f490808000 00", .invalidUTF8),
            ("key not UTF-8", "0c00000010ff000100000000", .invalidUTF8),
            ("binary length negative", "0d000000056100 ffffffff 00 00", .badLength),
            ("binary length huge", "0d000000056100 ffffff7f 00 00", .truncated),
            ("binary one too long", "0e000000056100 02000000 00 61 00", .truncated),
            ("binary with old subtype", "11000000056100 04000000 02 00000000 00", .badValue),
            ("UUID of 4 bytes", "11000000056100 04000000 04 00000000 00", .badValue),
            ("document length 0", "0d000000036100 00000000 00 00", .badLength),
            ("document length negative", "0d000000036100 ffffffff 00 00", .badLength),
            ("document beyond its parent", "0d000000036100 06000000 00 00", .truncated),
            ("document without end mark", "0d000000036100 05000000 01 00", .badLength),
            ("array cut off", "0b000000046100 050000 00", .truncated),
            ("undefined", "08000000066100 00", .unsupportedType(0x06)),
            ("regular expression", "0a0000000b6100 0000 00", .unsupportedType(0x0B)),
            ("database pointer", "190000000c6100 01000000 00 000000000000000000000000 00", .unsupportedType(0x0C)),
            ("code", "0d0000000d6100 01000000 00 00", .unsupportedType(0x0D)),
            ("symbol", "0d0000000e6100 01000000 00 00", .unsupportedType(0x0E)),
            ("code with scope", "160000000f6100 0e000000 01000000 00 0500000000 00", .unsupportedType(0x0F)),
            ("timestamp", "10000000116100 0000000000000000 00", .unsupportedType(0x11)),
            ("min key", "08000000ff6100 00", .unsupportedType(0xFF)),
            ("max key", "080000007f6100 00", .unsupportedType(0x7F)),
            ("type of the future", "08000000206100 00", .unsupportedType(0x20))
        ]
        for (name, hex, expected) in table { #expect(reason(bytes(hex: hex)) == expected, "\(name)") }
    }

    /// `depth` documents, each inside the one before.
    private func nested(_ depth: Int, type: UInt8) -> [UInt8] {
        var document: [UInt8] = [5, 0, 0, 0, 0]
        for _ in 1..<depth {
            let length = document.count + 8
            document = withUnsafeBytes(of: Int32(length).littleEndian) { Array($0) } + [type, 0x30, 0] + document + [0]
        }
        return document
    }

    @Test("nesting up to the limit passes, one more doesn't, a bomb costs nothing", arguments: [UInt8(3), 4])
    func depth(type: UInt8) throws {
        #expect(reason(nested(100, type: type)) == nil)
        #expect(reason(nested(101, type: type)) == .tooDeep(limit: 100))
        #expect(reason(nested(1, type: type), depthLimit: 1) == nil)
        #expect(reason(nested(2, type: type), depthLimit: 1) == .tooDeep(limit: 1))
        // The outer lengths of a bomb, without the middle: millions deep if anybody recursed.
        var bomb: [UInt8] = []
        let levels = 1_000_000
        for level in 0..<levels {
            let length = 8 * (levels - level) + 5
            bomb += withUnsafeBytes(of: Int32(length).littleEndian) { Array($0) } + [type, 0x30, 0]
        }
        bomb += [5, 0, 0, 0, 0] + [UInt8](repeating: 0, count: levels)
        #expect(reason(Array(bomb)) != nil)
        let deepest = try BSONDocument(bytes: nested(100, type: type))
        #expect(try deepest.encoded() == nested(100, type: type))
    }

    @Test("every prefix of a valid document is refused")
    func prefixes() throws {
        let whole = try BSONTests.everything.encoded()
        for length in 0..<whole.count { #expect(reason(Array(whole[..<length])) != nil, "\(length)") }
        for extra in 1...3 { #expect(reason(whole + [UInt8](repeating: 0, count: extra)) == .badLength) }
    }

    @Test("what passes validation is read by libbson to its end, whatever bytes it is")
    func fuzz() throws {
        var random = SeededGenerator(seed: randomSeed)
        let seeds = [try BSONTests.everything.encoded(), nested(20, type: 3), try WireSamples.frame()]
        var accepted = 0
        for _ in 0..<20_000 * soakFactor {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            mutate(&bytes, using: &random)
            if let document = try? BSONDocument(bytes: bytes) {
                accepted += 1
                // What is written of it reads as the same, and libbson's own validation agrees.
                let written = try document.encoded()
                #expect(try BSONDocument(bytes: written).encoded() == written, "seed \(randomSeed): \(hex(bytes))")
                #expect(libbsonAccepts(bytes), "seed \(randomSeed): \(hex(bytes))")
            }
            _ = bytes.withUnsafeBytes { bytes in try? UnsafeEnvelope(frame: bytes) }
        }
        #expect(accepted > 0)
    }

    @Test("random bytes never pass for long, and never hurt")
    func noise() {
        var random = SeededGenerator(seed: randomSeed &+ 1)
        for _ in 0..<20_000 * soakFactor {
            var bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if bytes.count >= 5, Bool.random(using: &random) {
                // Let it through the first checks.
                bytes.replaceSubrange(0..<4, with: withUnsafeBytes(of: Int32(bytes.count).littleEndian) { Array($0) })
                bytes[bytes.count - 1] = 0
                bytes[4] = BSONType.allCases.randomElement(using: &random)?.rawValue ?? 0
            }
            if let document = try? BSONDocument(bytes: bytes) {
                #expect((try? document.encoded()) != nil, "seed \(randomSeed): \(hex(bytes))")
            }
        }
    }

    /// Flips, overwrites, inserts, removes; often repairs the length so that the inside is reached.
    private func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[at] = [0, 1, 2, 4, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
            case 4 where bytes.count > 5: bytes.remove(at: at)
            default:
                let value = [-1, 0, 1, 4, 5, Int32.max, .min].randomElement(using: &random) ?? 0
                if at + 4 <= bytes.count {
                    bytes.replaceSubrange(at..<at + 4, with: withUnsafeBytes(of: value.littleEndian) { Array($0) })
                }
            }
        }
        if bytes.count >= 5, Int.random(in: 0..<4, using: &random) > 0 {
            bytes.replaceSubrange(0..<4, with: withUnsafeBytes(of: Int32(bytes.count).littleEndian) { Array($0) })
        }
    }

    private func libbsonAccepts(_ bytes: [UInt8]) -> Bool {
        guard let document = bson_new_from_data(bytes, bytes.count) else { return false }
        defer { bson_destroy(document) }
        return bson_validate(
            document, bson_validate_flags_t(BSON_VALIDATE_UTF8.rawValue | BSON_VALIDATE_UTF8_ALLOW_NULL.rawValue), nil)
    }
}
