import Model
import Testing

@Suite struct TimestampTextTests {
    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00Z"), (0, 1, "1970-01-01T00:00:00.000000001Z"),
        (0, -500_000_000, "1969-12-31T23:59:59.5Z"), (-1, -500_000_000, "1969-12-31T23:59:58.5Z"),
        (951_782_400, 0, "2000-02-29T00:00:00Z"), (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
        (-62_135_769_600, 0, "0000-12-30T00:00:00Z"), (64_092_211_200, 0, "4001-01-01T00:00:00Z"),
        (-62_198_755_200, 0, "-0001-01-01T00:00:00Z")
    ])
    func textAndBack(seconds: Int64, nanoseconds: Int32, text: String) {
        let value = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        #expect(value.description == text)
        #expect(Timestamp(text) == value)
    }

    @Test func otherFormsAreRead() {
        #expect(Timestamp("1970-01-02") == Timestamp(seconds: 86_400))
        #expect(Timestamp("1970-01-01 01:00") == Timestamp(seconds: 3600))
        #expect(Timestamp("1970-01-01T02:00:00+02:00") == Timestamp(seconds: 0))
        #expect(Timestamp("1969-12-31T19:00:00-0500") == Timestamp(seconds: 0))
    }

    @Test(arguments: [
        "", "1970", "1970-13-01", "1970-02-30", "1970-01-01T24:00:00Z", "1970-01-01T00:00:00.1234567890Z",
        "1970-01-01T00:00:00Zx", "1970-01-01T00:00:00.Z", "x970-01-01"
    ])
    func whatIsNoDateIsRefused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func everyDayOfFourCenturiesSurvives() {
        for day in stride(from: -150_000, through: 150_000, by: 1) {
            let value = Timestamp(seconds: Int64(day) * 86_400)
            #expect(Timestamp(value.description) == value)
        }
    }
}
