import Testing

@testable import Model

struct InternTableTests {
    private func intern(_ string: String, in table: InternTable) -> (index: UInt32, isNew: Bool) {
        var string = string
        return string.withUTF8 { table.intern(UnsafeRawBufferPointer($0)) }
    }

    @Test func `ten thousand strings keep their indices while the table grows`() {
        let table = InternTable()
        let strings = (0..<10_000).map { String(repeating: "x", count: $0 % 50) + "\($0)" }
        for (index, string) in strings.enumerated() {
            #expect(intern(string, in: table) == (UInt32(index), true))
        }
        for (index, string) in strings.enumerated() {
            #expect(intern(string, in: table) == (UInt32(index), false))
            #expect(table.string(UInt32(index)) == string)
        }
        #expect(table.count == strings.count)
        table.removeAll()
        #expect(table.count == 0)
        #expect(intern("new", in: table) == (0, true))
    }

    @Test func `bytes that are not UTF-8 have no string`() {
        let table = InternTable()
        let (index, isNew) = ([0xff, 0xfe] as [UInt8]).withUnsafeBytes { table.intern($0) }
        #expect(isNew)
        #expect(table.string(index) == nil)
        #expect([UInt8](table.bytes(index)) == [0xff, 0xfe])
    }
}
