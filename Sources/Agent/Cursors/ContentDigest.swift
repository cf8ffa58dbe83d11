/// 128 bits that tell contents apart. Not for secrets: whoever chooses the contents can make two alike.
struct ContentDigest: Hashable, Sendable {
    var high: UInt64
    var low: UInt64

    /// Two lanes of a multiply-and-fold hash, eight bytes at a time.
    init(_ bytes: UnsafeRawBufferPointer) {
        var first: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F &+ UInt64(bytes.count)
        var at = 0
        func take(_ word: UInt64) {
            first = Self.fold(first ^ word, 0xA076_1D64_78BD_642F) ^ second.rotated(by: 23)
            second = Self.fold(second ^ word, 0xE703_7ED1_A0B4_28DB) &+ first
        }
        while at + 8 <= bytes.count {
            take(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var rest: UInt64 = 0
        for (shift, byte) in bytes[at...].enumerated() { rest |= UInt64(byte) << UInt64(shift * 8) }
        take(rest)
        take(0x8EBC_6AF0_9C88_C6E3)
        high = first
        low = second
    }

    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        // An odd factor loses nothing of its operand in the lower half.
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    /// How many bytes it has.
    static let size = 16

    var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// The digest of a number in a row of them. The bytes must be there.
    init(_ bytes: [UInt8], at index: Int) {
        func word(_ start: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) } }
        high = word(index * Self.size)
        low = word(index * Self.size + 8)
    }

    /// 32 hexadecimal digits.
    var text: String {
        func digits(_ word: UInt64) -> String {
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return digits(high) + digits(low)
    }
}

extension UInt64 {
    fileprivate func rotated(by count: UInt64) -> UInt64 { self << count | self >> (64 - count) }
}
