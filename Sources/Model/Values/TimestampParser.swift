/// Reads ISO 8601 dates.
struct TimestampParser {
    private var rest: Substring.UTF8View

    init(_ text: Substring) {
        rest = text.utf8
    }

    /// The second at or before the instant, and nanoseconds after it.
    mutating func parse() -> (seconds: Int64, nanoseconds: Int64)? {
        guard let days = date() else { return nil }
        // Days near both ends begin or end out of range, though instants within them are in it.
        var seconds = Int128(days) * 86_400
        guard !rest.isEmpty else { return Int64(exactly: seconds).map { ($0, 0) } }
        guard take("T") || take("t") || take(" "), let hour = number(2), hour < 24, take(":"),
            let minute = number(2), minute < 60
        else { return nil }
        seconds += Int128(hour * 3600 + minute * 60)
        var nanoseconds: Int64 = 0
        if take(":") {
            guard let second = number(2), second < 60 else { return nil }
            seconds += Int128(second)
            if take(".") || take(",") {
                guard let fraction = fraction() else { return nil }
                nanoseconds = fraction
            }
        }
        guard let offset = offset(), rest.isEmpty else { return nil }
        return Int64(exactly: seconds - Int128(offset)).map { ($0, nanoseconds) }
    }

    /// Days since 1970.
    private mutating func date() -> Int64? {
        var sign: Int64 = 1
        var year: Int64?
        if take("-") {
            sign = -1
            year = digits(4...12)
        } else if take("+") {
            year = digits(4...12)
        } else {
            year = number(4)
        }
        guard let year, take("-"), let month = number(2), (1...12).contains(month), take("-"),
            let day = number(2), day >= 1
        else { return nil }
        let days = Timestamp.days(year: sign * year, month: month, day: day)
        // A day that the month does not have comes back as one of the next month.
        guard Timestamp.civil(days: days) == (sign * year, month, day) else { return nil }
        return days
    }

    /// Seconds that the clock is ahead of UTC.
    private mutating func offset() -> Int64? {
        if rest.isEmpty || take("Z") || take("z") { return 0 }
        let isBehind = take("-")
        guard isBehind || take("+"), let hours = number(2), hours < 24 else { return nil }
        var minutes: Int64 = 0
        if !rest.isEmpty {
            _ = take(":")
            guard let written = number(2), written < 60 else { return nil }
            minutes = written
        }
        return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }

    private mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            guard count < 9 else { return nil }
            value = value * 10 + digit
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<9 { value *= 10 }
        return value
    }

    private mutating func number(_ count: Int) -> Int64? {
        digits(count...count)
    }

    private mutating func digits(_ counts: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while count < counts.upperBound, let digit = digit() {
            value = value * 10 + digit
            count += 1
        }
        return counts.contains(count) ? value : nil
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
