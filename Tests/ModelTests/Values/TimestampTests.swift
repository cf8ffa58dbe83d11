import Foundation
import TestSupport
import Testing

@testable import Model

struct TimestampTests {
    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00Z"),
        (1_700_000_000, 500, "2023-11-14T22:13:20.0000005Z"),
        (1_700_000_000, 123_456_789, "2023-11-14T22:13:20.123456789Z"),
        (0, -500_000_000, "1969-12-31T23:59:59.5Z"),
        (-1, -500_000_000, "1969-12-31T23:59:58.5Z"),
        (-1, 0, "1969-12-31T23:59:59Z"),
        (951_782_400, 0, "2000-02-29T00:00:00Z"),
        (-2_203_891_200, 0, "1900-03-01T00:00:00Z"),
        (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
        (-62_167_219_200, 0, "0000-01-01T00:00:00Z"),
        (-62_167_219_201, 0, "-0001-12-31T23:59:59Z"),
        (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
        (253_402_300_800, 0, "+10000-01-01T00:00:00Z"),
        (Int64.max, 999_999_999, "+292277026596-12-04T15:30:07.999999999Z")
    ])
    func `text is ISO 8601 to the nanosecond`(seconds: Int64, nanoseconds: Int32, text: String) {
        let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        #expect(timestamp.description == text)
        #expect(Timestamp(text) == timestamp)
    }

    @Test(arguments: [
        ("2023-11-14", 1_699_920_000, 0), ("2023-11-14 22:13:20", 1_700_000_000, 0),
        ("2023-11-14T22:13Z", 1_699_999_980, 0), ("2023-11-15T00:13:20+02:00", 1_700_000_000, 0),
        ("2023-11-14T17:43:20-0430", 1_700_000_000, 0), ("2023-11-14t23:13:20+01", 1_700_000_000, 0),
        ("2023-11-14T22:13:20.5z", 1_700_000_000, 500_000_000),
        ("2023-11-14T22:13:20,123456789Z", 1_700_000_000, 123_456_789)
    ])
    func `other spellings are read`(text: String, seconds: Int64, nanoseconds: Int32) {
        #expect(Timestamp(text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "", "2023", "2023-11", "2023-13-01", "2023-02-29", "2023-04-31", "2023-00-10", "2023-01-00", "23-01-01",
        "2023-01-01T", "2023-01-01T24:00:00Z", "2023-01-01T00:60:00Z", "2023-01-01T00:00:60Z", "2023-01-01T00:00:00.Z",
        "2023-01-01T00:00:00ZZ", "2023-01-01T00:00:00+2", "2023-01-01T00:00:00 Z", "2023-01-01x", "٢٠٢٣-01-01",
        "+999999999999-01-01"
    ])
    func `text that is no date is refused`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `every day from 1800 to 2200 goes to the calendar and back`() {
        var expected: (year: Int64, month: Int64, day: Int64) = (1800, 1, 1)
        let first = Timestamp.days(year: 1800, month: 1, day: 1)
        for days in first..<Timestamp.days(year: 2200, month: 1, day: 1) {
            let date = Timestamp.civil(days: days)
            guard date == expected, Timestamp.days(year: date.year, month: date.month, day: date.day) == days else {
                Issue.record("day \(days): \(date), not \(expected)")
                return
            }
            let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as [Int64]
            expected.day += 1
            if expected.day > lengths[Int(date.month - 1)] { expected = (date.year, date.month + 1, 1) }
            if expected.month > 12 { expected = (date.year + 1, 1, 1) }
        }
        #expect(expected == (2200, 1, 1))
    }

    @Test func `dates convert to valid instants and back (C-41)`() {
        var generator = SeededGenerator(seed: randomSeed)
        for round in 0..<2_000 * soakFactor {
            let range = round % 2 == 0 ? 4e9 : 2e3
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -range...range, using: &generator))
            let timestamp = Timestamp(date)
            #expect(timestamp.isValid, "\(timestamp), seed \(randomSeed)")
            #expect(abs(timestamp.date.timeIntervalSince(date)) <= 1e-9, "\(date), seed \(randomSeed)")
            #expect(Timestamp(timestamp.date).date == timestamp.date, "\(date), seed \(randomSeed)")
        }
        #expect(Timestamp(Date(timeIntervalSince1970: -0.5)) == Timestamp(seconds: 0, nanoseconds: -500_000_000))
        #expect(Timestamp(Date(timeIntervalSince1970: -1.5)) == Timestamp(seconds: -1, nanoseconds: -500_000_000))
        #expect(Timestamp(Date(timeIntervalSince1970: 1.25)) == Timestamp(seconds: 1, nanoseconds: 250_000_000))
    }

    @Test func `dates beyond the range become the first or last instant`() {
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .infinity)).seconds == .max)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: -.infinity)).seconds == .min)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: 1e300)).seconds == .max)
        #expect(Timestamp(Date(timeIntervalSinceReferenceDate: .nan)) == Timestamp(seconds: 0))
        #expect(Timestamp(seconds: .min).date.timeIntervalSince1970 == -0x1p63)
        #expect(Timestamp(seconds: .min).description.hasPrefix("-292277022657-01-27T"))
        for date in [Date.distantPast, Date.distantFuture] { #expect(Timestamp(date).date == date) }
    }

    @Test func `pairs with mixed signs or too many nanoseconds are invalid (C-41)`() {
        for (seconds, nanoseconds) in [(1, -1), (-1, 1), (0, 1_000_000_000), (0, -1_000_000_000)] as [(Int64, Int32)] {
            #expect(!Timestamp(seconds: seconds, nanoseconds: nanoseconds).isValid)
        }
        for (seconds, nanoseconds) in [(0, 0), (0, -1), (0, 1), (-1, -1), (5, 0)] as [(Int64, Int32)] {
            #expect(Timestamp(seconds: seconds, nanoseconds: nanoseconds).isValid)
        }
    }
}
