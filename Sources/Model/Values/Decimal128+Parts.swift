extension Decimal128 {
    /// Largest coefficient, 10^34 − 1.
    public static let maximumCoefficient = UInt128(10_000_000_000_000_000) * 1_000_000_000_000_000_000 - 1
    /// Exponents are stored with this added.
    public static let exponentBias: Int64 = 6176

    public static let zero = Decimal128(low: 0, high: UInt64(exponentBias) << 49)
    public static let nan = Decimal128(low: 0, high: 0x7c00_0000_0000_0000)
    public static let infinity = Decimal128(low: 0, high: 0x7800_0000_0000_0000)

    /// The word with these fields put side by side (C-40), special values included; nil where C-60 forbids it.
    public init?(joining coefficient: UInt128, exponent: Int64, isNegative: Bool) {
        guard coefficient <= Self.maximumCoefficient, exponent >= -Self.exponentBias,
            exponent <= 16_383 - Self.exponentBias
        else { return nil }
        low = UInt64(truncatingIfNeeded: coefficient)
        high =
            UInt64(truncatingIfNeeded: coefficient >> 64) | UInt64(exponent + Self.exponentBias) << 49
            | (isNegative ? 1 << 63 : 0)
    }

    /// The fields of the word as they travel (C-40): meaningful for special values only as bits.
    public var split: (coefficient: UInt128, exponent: Int64, isNegative: Bool) {
        let top = high & 0x0001_ffff_ffff_ffff
        return (
            UInt128(top) << 64 | UInt128(low), Int64((high >> 49) & 0x3fff) - Self.exponentBias, high >> 63 != 0
        )
    }

    public var isNegative: Bool { high >> 63 != 0 }
    public var isNaN: Bool { high & 0x7c00_0000_0000_0000 == 0x7c00_0000_0000_0000 }
    public var isSignalingNaN: Bool { high & 0x7e00_0000_0000_0000 == 0x7e00_0000_0000_0000 }
    public var isInfinite: Bool { high & 0x7c00_0000_0000_0000 == 0x7800_0000_0000_0000 }
    public var isFinite: Bool { high & 0x7800_0000_0000_0000 != 0x7800_0000_0000_0000 }
    public var isZero: Bool { isFinite && finite.coefficient == 0 }

    /// What a finite number is made of. A word that IEEE 754 calls non-canonical stands for zero.
    public var finite: (coefficient: UInt128, exponent: Int, isNegative: Bool) {
        if high & 0x6000_0000_0000_0000 == 0x6000_0000_0000_0000 {
            return (0, Int((high >> 47) & 0x3fff) - Int(Self.exponentBias), isNegative)
        }
        let (coefficient, exponent, isNegative) = split
        return (coefficient <= Self.maximumCoefficient ? coefficient : 0, Int(exponent), isNegative)
    }

    /// The same value in a form that may travel (C-60): itself, or zero for a non-canonical word.
    public var canonical: Decimal128 {
        if isNaN { return split.coefficient <= Self.maximumCoefficient ? self : .nan }
        if isInfinite { return isNegative ? Decimal128(low: 0, high: 0xf800_0000_0000_0000) : .infinity }
        let (coefficient, exponent, isNegative) = finite
        return Decimal128(joining: coefficient, exponent: Int64(exponent), isNegative: isNegative) ?? self
    }
}
