/// ISO 8601 in UTC, to the nanosecond: `2026-11-30T05:33:00.000000001Z`. Years outside 0…9999 carry their sign.
extension Timestamp: CustomStringConvertible {
    package var description: String {
        // Both parts carry the sign; the calendar counts nanoseconds forward.
        var (seconds, nanoseconds) = (seconds, Int64(nanoseconds))
        if nanoseconds < 0 {
            guard seconds > .min else { return "\(seconds)s \(nanoseconds)ns" }
            seconds -= 1
            nanoseconds += 1_000_000_000
        }
        let days = seconds >= 0 ? seconds / 86_400 : (seconds + 1) / 86_400 - 1
        let second = seconds - days * 86_400
        let (year, month, day) = Self.civil(days)
        let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
        let date = "\(sign)\(Self.digits(abs(year), 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.digits($0, 2) }.joined(separator: ":")
        var fraction = ""
        if nanoseconds != 0 {
            fraction = Self.digits(nanoseconds, 9)
            while fraction.hasSuffix("0") { fraction.removeLast() }
            fraction = "." + fraction
        }
        return "\(date)T\(time)\(fraction)Z"
    }

    /// Reads what `description` writes; also a date alone, a space for the T, and an offset (`+02:00`) for the Z.
    package init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        let isNegative = rest.hasPrefix("-")
        if isNegative || rest.hasPrefix("+") { rest.removeFirst() }
        guard let years = Self.number(&rest, 4...12), Self.skip("-", &rest), let month = Self.number(&rest, 2...2),
            Self.skip("-", &rest), let day = Self.number(&rest, 2...2), 1...12 ~= month, 1...31 ~= day
        else { return nil }
        var seconds = Self.days(isNegative ? -years : years, month, day) * 86_400
        guard Self.civil(seconds / 86_400 - (seconds % 86_400 < 0 ? 1 : 0)).month == month else { return nil }
        var nanoseconds: Int64 = 0
        if !rest.isEmpty {
            guard Self.skip("T", &rest) || Self.skip("t", &rest) || Self.skip(" ", &rest),
                let hour = Self.number(&rest, 2...2), Self.skip(":", &rest), let minute = Self.number(&rest, 2...2),
                0...23 ~= hour, 0...59 ~= minute
            else { return nil }
            var second: Int64 = 0
            if Self.skip(":", &rest) {
                guard let value = Self.number(&rest, 2...2), 0...59 ~= value else { return nil }
                second = value
                if Self.skip(".", &rest) {
                    let digits = rest.prefix { $0.isASCII && $0.isNumber }
                    guard 1...9 ~= digits.count else { return nil }
                    nanoseconds = Int64(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
                    rest = rest.dropFirst(digits.count)
                }
            }
            guard let offset = Self.offset(&rest), rest.isEmpty else { return nil }
            seconds += hour * 3600 + minute * 60 + second - offset
        }
        if seconds < 0, nanoseconds > 0 {
            seconds += 1
            nanoseconds -= 1_000_000_000
        }
        self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    private static func offset(_ rest: inout Substring) -> Int64? {
        if rest.isEmpty || skip("Z", &rest) || skip("z", &rest) { return 0 }
        let isNegative = rest.hasPrefix("-")
        guard isNegative || rest.hasPrefix("+") else { return nil }
        rest.removeFirst()
        guard let hours = number(&rest, 2...2), skip(":", &rest) || !rest.isEmpty, let minutes = number(&rest, 2...2)
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func skip(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout Substring, _ count: ClosedRange<Int>) -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(count.upperBound)
        guard digits.count >= count.lowerBound else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int64(digits)
    }

    private static func digits(_ value: Int64, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// Date of a day counted from 1970-01-01, in the proleptic Gregorian calendar. Years begin in March for the
    /// computation, so that the leap day comes last.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
