/// A decimal floating-point number with 34 digits: the two words of the IEEE 754-2008 BID encoding.
///
/// `==` and hashing compare the words, so 1.0 and 1.00 differ here; `compare(_:)` is numeric.
package struct Decimal128: Hashable, Sendable {
    package var low: UInt64
    package var high: UInt64

    @inlinable
    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }
}
