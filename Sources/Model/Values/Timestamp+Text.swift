extension Timestamp: CustomStringConvertible {
    /// ISO 8601 in UTC: `2023-11-14T22:13:20Z`, with as many decimals of a second as it takes, at most nine. Years
    /// outside 0000 … 9999 carry a sign.
    public var description: String {
        // The first second of all has no floor below it; it has no nanoseconds either, or it is not valid.
        let (seconds, nanoseconds) = isValid && seconds > .min ? floored : (seconds, 0)
        let days = Self.floorDivide(seconds, 86_400)
        // Not the difference to `days * 86_400`: the first day of all begins out of range.
        let time = (seconds % 86_400 + 86_400) % 86_400
        let (year, month, day) = Self.civil(days: days)
        let yearText =
            (0...9999).contains(year)
            ? Self.padded(year, 4) : (year < 0 ? "-" : "+") + Self.padded(abs(year), 4)
        var fraction = ""
        if nanoseconds != 0 {
            fraction = Self.padded(Int64(nanoseconds), 9)
            while fraction.last == "0" { fraction.removeLast() }
            fraction = "." + fraction
        }
        let date = "\(yearText)-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(date)T\(clock)\(fraction)Z"
    }

    /// Reads what `description` writes, and: a date alone, a space for the `T`, hours and minutes alone, an offset
    /// such as `+02:00`, `+0200` or `+02` for the `Z`, none at all (UTC). Nil for anything
    /// else, more than nine decimals among it, and for dates that the calendar does not have.
    public init?(_ text: some StringProtocol) {
        var parser = TimestampParser(Substring(text))
        guard let (seconds, nanoseconds) = parser.parse() else { return nil }
        self.init(floor: seconds, nanoseconds: nanoseconds)
    }

    private static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        return remainder < 0 ? quotient - 1 : quotient
    }

    // The proleptic Gregorian calendar in eras of 400 years that begin in March, so that leap days come last.

    /// Date of a day counted from 1970-01-01.
    static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Days from 1970-01-01 to a date.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = floorDivide(shiftedYear, 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
