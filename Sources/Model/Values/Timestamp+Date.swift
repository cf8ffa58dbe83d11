import Foundation

extension Timestamp {
    private static let secondsBefore2001: Int64 = 978_307_200

    /// The instant nearest to a date, to the nanosecond. Dates beyond 64-bit seconds become the first or the last
    /// instant; one that is not a number becomes 1970.
    public init(_ date: Date) {
        // The stored number counts from 2001; going through 1970 would cost digits.
        let interval = date.timeIntervalSinceReferenceDate
        guard !interval.isNaN else {
            self.init(seconds: 0)
            return
        }
        let whole = interval.rounded(.down)
        guard let seconds = Int64(exactly: whole), seconds <= Int64.max - Self.secondsBefore2001 else {
            self.init(seconds: interval < 0 ? .min : .max)
            return
        }
        self.init(
            floor: seconds + Self.secondsBefore2001, nanoseconds: Int64(((interval - whole) * 1e9).rounded()))
    }

    /// An instant from a second at or before it and 0 … 10^9 nanoseconds.
    init(floor seconds: Int64, nanoseconds: Int64) {
        var (seconds, nanoseconds) = (seconds, nanoseconds)
        if nanoseconds >= 1_000_000_000 {
            seconds += 1
            nanoseconds -= 1_000_000_000
        }
        // Both parts carry the sign (C-41).
        if seconds < 0, nanoseconds > 0 {
            seconds += 1
            nanoseconds -= 1_000_000_000
        }
        self.init(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
    }

    /// The second at or before the instant, and how long after it.
    var floored: (seconds: Int64, nanoseconds: Int32) {
        nanoseconds < 0 ? (seconds - 1, nanoseconds + 1_000_000_000) : (seconds, nanoseconds)
    }

    /// The date nearest to the instant: to about 0.1 µs in this century.
    public var date: Date {
        let whole = Double(seconds.subtractingReportingOverflow(Self.secondsBefore2001).partialValue)
        guard seconds >= Int64.min + Self.secondsBefore2001 else {
            return Date(timeIntervalSince1970: Double(seconds))
        }
        return Date(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1e9)
    }
}
