/// A decimal floating-point number with 34 digits: the two words of the IEEE 754-2008 BID encoding.
///
/// `==` and hashing compare the words, so 1.0 and 1.00 differ here; `compare(_:)` is numeric.
public struct Decimal128: Hashable, Sendable {
    public var low: UInt64
    public var high: UInt64

    @inlinable
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }
}
