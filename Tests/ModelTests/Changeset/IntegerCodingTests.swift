import TestSupport
import Testing

@testable import Model

struct IntegerCodingTests {
    /// C-22.
    static let signed: [(Int64, String)] = [
        (0, "00"), (-1, "40"), (1, "01"), (-2, "41"), (63, "3f"), (-6, "45"), (64, "c000"), (-64, "7f"),
        (127, "ff00"), (-65, "c040"), (128, "8001"), (-8192, "ff7f"), (300, "ac02"), (-8193, "80c040"),
        (8191, "ff3f"), (8192, "80c000"), (.max, "ffffffffffffffffff00"), (.min, "ffffffffffffffffff40")
    ]
    static let unsigned: [(UInt64, String)] = [
        (0, "00"), (63, "3f"), (64, "c000"), (127, "ff00"), (128, "8001"), (300, "ac02"),
        (UInt64(UInt32.max), "ffffffff0f"), (1 << 63, "80808080808080808001"), (.max, "ffffffffffffffffff01")
    ]

    private static func written(_ body: (inout UnsafeByteWriter) -> Void) -> String {
        let space = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
        defer { space.deallocate() }
        var writer = UnsafeByteWriter(space)
        body(&writer)
        return [UInt8](UnsafeRawBufferPointer(start: space, count: writer.position - space)).hex
    }

    /// Reads a field; nil if it is refused, or if bytes are left.
    private static func read<T>(
        _ hex: String, _ body: (inout UnsafeByteCursor) throws -> T
    ) -> T? {
        [UInt8](hex: hex)?.withUnsafeBytes { bytes in
            var cursor = UnsafeByteCursor(bytes, base: 0)
            guard let value = try? body(&cursor), cursor.isAtEnd else { return nil }
            return value
        }
    }

    @Test func `the table of C-22 is written and read`() {
        for (value, hex) in Self.signed {
            #expect(Self.written { $0.signed(value) } == hex)
            #expect(Self.read(hex) { try $0.signed64() } == value)
        }
        for (value, hex) in Self.unsigned {
            #expect(Self.written { $0.unsigned(value) } == hex)
            #expect(Self.read(hex) { try $0.unsigned64() } == value)
        }
    }

    @Test func `every number around every power of two survives (C-18, C-19)`() {
        for power in 0..<64 {
            for delta in -2...2 as ClosedRange<Int64> {
                let bits = UInt64(1) << UInt64(power) &+ UInt64(bitPattern: delta)
                let unsigned = Self.written { $0.unsigned(bits) }
                #expect(Self.read(unsigned) { try $0.unsigned64() } == bits)
                let value = Int64(bitPattern: bits)
                let signed = Self.written { $0.signed(value) }
                #expect(Self.read(signed) { try $0.signed64() } == value)
                #expect(Self.read(signed) { try $0.unsigned64() } == (value < 0 ? nil : UInt64(value)))
            }
        }
    }

    @Test func `a coefficient uses all seven bits of its last byte (C-25)`() {
        for power in 0..<113 {
            let bit: UInt128 = 1 << power
            for value in [bit, bit - 1, bit + 1] {
                let hex = Self.written { $0.coefficient(value) }
                #expect(Self.read(hex) { try $0.coefficient() } == value)
            }
        }
        #expect(Self.read("7f") { try $0.coefficient() } == 127)
        #expect(Self.read("ff7f") { try $0.coefficient() } == 16_383)
        #expect(Self.read(String(repeating: "80", count: 16) + "00") { try $0.coefficient() } == 0)
        #expect(Self.read(String(repeating: "80", count: 17) + "00") { try $0.coefficient() } == nil)
    }

    @Test func `longer forms that fit are read (C-21)`() {
        #expect(Self.read("8100") { try $0.unsigned8() } == 1)
        #expect(Self.read("8180808000") { try $0.unsigned32() } == 1)
        #expect(Self.read("81808080808080808000") { try $0.unsigned64() } == 1)
        #expect(Self.read("80808080808080808040") { try $0.signed64() } == -1)
    }

    @Test func `fields wider than allowed are refused (C-21)`() {
        for hex in ["818000", "8002", "ff3f"] { #expect(Self.read(hex) { try $0.unsigned8() } == nil, "\(hex)") }
        #expect(Self.read("ff01") { try $0.unsigned8() } == 255)
        for hex in ["818080808000", "8080808010", "ffffffff1f"] {
            #expect(Self.read(hex) { try $0.unsigned32() } == nil, "\(hex)")
        }
        for hex in ["8180808080808080808000", "80808080808080808002", "80808080808080808003", "ffffffffffffffffff3f"] {
            #expect(Self.read(hex) { try $0.unsigned64() } == nil, "\(hex)")
        }
        for hex in ["80808080808080808001", "80808080808080808041", "8080808080808080808000"] {
            #expect(Self.read(hex) { try $0.signed64() } == nil, "\(hex)")
        }
    }

    @Test func `negative unsigned numbers are refused, those the reference takes among them (C-20)`() {
        for hex in ["40", "41", "7f", "c040", "ff7f"] {
            #expect(Self.read(hex) { try $0.unsigned8() } == nil, "\(hex)")
            #expect(Self.read(hex) { try $0.unsigned32() } == nil, "\(hex)")
            #expect(Self.read(hex) { try $0.unsigned64() } == nil, "\(hex)")
            #expect(Self.read(hex) { try $0.boolean() } == nil, "\(hex)")
        }
    }

    @Test func `any other number is true (C-24)`() {
        #expect(Self.read("00") { try $0.boolean() } == false)
        for hex in ["01", "02", "3f", "ff01", "8100"] { #expect(Self.read(hex) { try $0.boolean() } == true) }
        #expect(Self.read("8002") { try $0.boolean() } == nil)
    }
}
