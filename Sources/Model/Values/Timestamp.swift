/// An instant: seconds and nanoseconds since 1970-01-01T00:00:00Z without leap seconds. Both parts carry the
/// sign and |nanoseconds| < 10^9 in a valid one (C-41); the decoder lets invalid pairs through, the store refuses them.
public struct Timestamp: Hashable, Sendable {
    public var seconds: Int64
    public var nanoseconds: Int32

    @inlinable
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Whether the two parts agree in sign and the nanoseconds are less than a second (C-41).
    public var isValid: Bool {
        nanoseconds > -1_000_000_000 && nanoseconds < 1_000_000_000
            && (seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0))
    }
}

extension Timestamp: Comparable {
    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool {
        a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds
    }
}
