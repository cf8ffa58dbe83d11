extension ObjectId: CustomStringConvertible {
    /// Reads 24 hexadecimal digits; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard digits.count == 24 else { return nil }
        var high: UInt64 = 0
        var low: UInt32 = 0
        for (place, byte) in digits.enumerated() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if place < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt32(digit) }
        }
        self.init(high: high, low: low)
    }

    /// 24 hexadecimal digits in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: 24) { space in
            for place in 0..<24 {
                let digit =
                    place < 16
                    ? UInt8(truncatingIfNeeded: high >> UInt64(60 - place * 4)) & 15
                    : UInt8(truncatingIfNeeded: low >> UInt32(92 - place * 4)) & 15
                space[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 24
        }
    }
}
