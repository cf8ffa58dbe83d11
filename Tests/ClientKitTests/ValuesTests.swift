import Foundation
import RealmSwift
import Testing

@Suite struct ValuesTests {
    @Test("VA-02: generated ids differ and rise")
    func generated() {
        let ids = (0..<1_000).map { _ in RealmSwift.ObjectId.generate() }
        #expect(Set(ids).count == 1_000)
        #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 5)
    }

    @Test("VA-03 … VA-06: forms of an id")
    func forms() throws {
        #expect(ObjectId().stringValue == "000000000000000000000000")
        let id = try ObjectId(string: "5f4dd1F6ad7a0a0f60b9c6a2")
        #expect("\(id)" == "5f4dd1f6ad7a0a0f60b9c6a2")
        #expect(ObjectId("5f4dd1f6ad7a0a0f60b9c6a2") == id)
        #expect(ObjectId("5f4dd1f6ad7a0a0f60b9c6a3") > id)
        let made = ObjectId(timestamp: Date(timeIntervalSince1970: 1_000_000), machineId: 10, processId: 20)
        #expect(made.timestamp == Date(timeIntervalSince1970: 1_000_000))
    }

    @Test("VA-04: a malformed string throws invalidInput", arguments: ["", "5f", "zf4dd1f6ad7a0a0f60b9c6a2"])
    func malformed(_ text: String) {
        #expect(performing: { try ObjectId(string: text) }, throws: { $0 as? Realm.Error != nil })
    }

    @Test("VA-01: ids are coded as strings")
    func codedId() throws {
        let id = ObjectId.generate()
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(id)\"]")
        #expect(try JSONDecoder().decode([RealmSwift.ObjectId].self, from: data) == [id])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([RealmSwift.ObjectId].self, from: Data("[\"x\"]".utf8))
        }
    }

    @Test("VA-07 … VA-09: decimals compute and compare as numbers")
    func decimals() throws {
        let a: RealmSwift.Decimal128 = 1.10
        let b: RealmSwift.Decimal128 = "2.200"
        #expect(a + b == 3.3)
        #expect(b - a == a)
        #expect(a * 2 == b)
        #expect(b / a == 2)
        #expect(a < b)
        #expect((a / 0).stringValue.contains("Inf"))
        let nan = try Decimal128(string: "no number")
        #expect(nan.isNaN)
        #expect(nan != nan)
        #expect(Decimal128(value: 5) == Decimal128(value: "5.0"))
        #expect(Decimal128(value: 5).hashValue == Decimal128(value: "5.0").hashValue)
        #expect(a.decimalValue == Decimal(string: "1.1"))
        #expect(try JSONDecoder().decode(RealmSwift.Decimal128.self, from: JSONEncoder().encode(a)) == a)
        #expect(RealmSwift.Decimal128.min < RealmSwift.Decimal128.max)
        #expect((-1 * a).magnitude == a)
    }
}
