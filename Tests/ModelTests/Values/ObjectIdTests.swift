import Foundation
import Testing

@testable import Model

struct ObjectIdTests {
    @Test func `text is 24 hexadecimal digits, printed in lower case`() throws {
        let id = try #require(ObjectId("0123456789abCDef01234567"))
        #expect(id.high == 0x0123_4567_89ab_cdef)
        #expect(id.low == 0x0123_4567)
        #expect(id.description == "0123456789abcdef01234567")
        #expect(ObjectId().description == "000000000000000000000000")
    }

    @Test(arguments: [
        "", "0123456789abcdef0123456", "0123456789abcdef012345678", "0123456789abcdef0123456g",
        "0123456789abcdef01234 67"
    ])
    func `other text is refused`(text: String) {
        #expect(ObjectId(text) == nil)
    }

    @Test func `bytes are in the order of the text (C-42)`() throws {
        let id = try #require(ObjectId("0123456789abcdef01234567"))
        var bytes = [UInt8](repeating: 0, count: 12)
        bytes.withUnsafeMutableBytes { space in
            guard let start = space.baseAddress else { return }
            id.store(to: start)
        }
        #expect(bytes.hex == id.description)
        #expect(bytes.withUnsafeBytes { $0.baseAddress.map { ObjectId(loading: $0) } } == id)
    }

    @Test func `order is that of the bytes (C-42)`() throws {
        let texts = [
            "000000000000000000000000", "0000000000000000000000ff", "00000000000000ff00000000",
            "7fffffffffffffffffffffff", "ff0000000000000000000000"
        ]
        let ids = texts.compactMap { ObjectId($0) }
        #expect(ids.count == texts.count)
        #expect(ids.sorted() == ids)
        #expect(ids.reversed().sorted() == ids)
    }

    @Test func `parts stand where C-42 puts them`() {
        let id = ObjectId.make(seconds: 0x5f9b_1c2d, process: 0x3e_4f5a_6b7c, counter: 0xff8d_9e0f)
        #expect(id.description == "5f9b1c2d3e4f5a6b7c8d9e0f")
        #expect(id.seconds == 0x5f9b_1c2d)
    }

    @Test func `generated ids carry the time and differ, on several threads`() async {
        let before = UInt32(Date().timeIntervalSince1970)
        let ids = await withTaskGroup(of: [ObjectId].self) { group in
            for _ in 0..<4 { group.addTask { (0..<5_000).map { _ in ObjectId.generate() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let after = UInt32(Date().timeIntervalSince1970)
        #expect(Set(ids).count == 20_000)
        #expect(ids.allSatisfy { $0.seconds >= before && $0.seconds <= after })
        #expect(Set(ids.map { $0.high & 0xffff_ffff }).count == 1)
    }

    @Test func `words of a UUID are its bytes`() throws {
        let uuid = try #require(UUID(uuidString: "3b241101-e2bb-4255-8caf-4136c566a962"))
        #expect(uuid.words == (0x3b24_1101_e2bb_4255, 0x8caf_4136_c566_a962))
        #expect(UUID(high: uuid.words.high, low: uuid.words.low) == uuid)
    }
}
