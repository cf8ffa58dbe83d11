import Testing

@testable import Model

struct WideIntegerTests {
    @Test func `digits are counted right around every power of ten`() {
        for power in 1...UInt128.largestPowerOfTen {
            let value = UInt128.powersOfTen[power]
            #expect(value.digitCount == power + 1)
            #expect((value - 1).digitCount == power)
        }
        #expect(UInt128(0).digitCount == 1)
        #expect(UInt128.max.digitCount == 39)
        for power in 0...37 {
            let wide = WideInteger(UInt128.powersOfTen[38], times: UInt128.powersOfTen[power])
            #expect(wide.digitCount == 39 + power)
            #expect((wide - WideInteger(low: 1)).digitCount == 38 + power)
        }
    }

    @Test func `division undoes multiplication`() {
        for a in [1, 3, UInt128.max, 1 << 64, UInt128.powersOfTen[34] - 1] as [UInt128] {
            for b in [1, 7, UInt128.max, 1 << 64, UInt128.powersOfTen[36]] as [UInt128] {
                let rest = b - 1
                let (quotient, remainder) = (WideInteger(a, times: b) + WideInteger(low: rest)).divided(by: b)
                #expect(quotient == WideInteger(low: a))
                #expect(remainder == rest)
            }
        }
    }
}
