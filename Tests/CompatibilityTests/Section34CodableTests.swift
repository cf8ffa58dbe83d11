import Foundation
import RealmSwift
import TestSupport
import Testing

private final class CodableOwner: Object, Codable {
    @Persisted var name: String
    @Persisted var age: Int?
}

private final class CodableDog: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var weight: Double?
    @Persisted var born: Date?
    @Persisted var key: ObjectId
    @Persisted var price: Decimal128
    @Persisted var size: CodableSize
    @Persisted var owner: CodableOwner?
    @Persisted var tags: List<String>
    @Persisted var friends: List<CodableOwner>
}

private enum CodableSize: String, PersistableEnum, Codable {
    case small, large
}

/// Writes its own form, so that it can be encoded while it belongs to a realm.
private final class SelfEncoded: Object, Codable {
    @Persisted var name: String
    @Persisted(originProperty: "target") var sources: LinkingObjects<SelfEncoded>
    @Persisted var target: SelfEncoded?

    enum CodingKeys: String, CodingKey {
        case name
    }

    convenience required init(from decoder: any Decoder) throws {
        self.init()
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
    }
}

/// Section 34: `Codable`.
struct Section34CodableTests {
    private let directory = TemporaryDirectory()

    private func realm() throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("codable.realm")),
                objectTypes: [CodableDog.self, CodableOwner.self, SelfEncoded.self]))
    }

    private let json = """
        {"id": 3, "name": "Rex", "weight": 2.5, "born": "2024-02-03T04:05:06Z", "key": "0123456789abcdef01234567",
         "price": 1.25, "size": "large", "owner": {"name": "Ann", "age": null}, "tags": ["a", "b"],
         "friends": [{"name": "Ben", "age": 4}]}
        """

    private func decode(_ json: String) throws -> CodableDog {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(CodableDog.self, from: Data(json.utf8))
    }

    @Test("CD-01 an object is decoded with all that it links to, unmanaged")
    func decoding() throws {
        let dog = try decode(json)
        #expect(dog.realm == nil)
        #expect(dog.id == 3 && dog.name == "Rex" && dog.weight == 2.5 && dog.size == .large)
        #expect(dog.born == Date(timeIntervalSince1970: 1_706_933_106))
        #expect(dog.key.stringValue == "0123456789abcdef01234567")
        #expect(dog.price == 1.25)
        #expect(dog.owner?.name == "Ann" && dog.owner?.age == nil)
        #expect(Array(dog.tags) == ["a", "b"])
        #expect(dog.friends.map(\.age) == [4])
    }

    @Test("CD-01 a decoded object can be added")
    func addingDecoded() throws {
        let realm = try realm()
        let dog = try decode(json)
        try realm.write { realm.add(dog) }
        #expect(dog.realm == realm)
        #expect(realm.objects(CodableDog.self).first?.friends.first?.name == "Ben")
        #expect(realm.objects(CodableOwner.self).count == 2)
    }

    @Test("CD-01 missing keys: nil for optional properties, an error for others")
    func missingKeys() throws {
        let dog = try decode(
            """
            {"id": 1, "name": "Rex", "key": "0123456789abcdef01234567", "price": "2", "size": "small", "tags": [],
             "friends": []}
            """)
        #expect(dog.weight == nil && dog.born == nil && dog.owner == nil)
        let error = #expect(throws: DecodingError.self) { try decode(#"{"id": 1}"#) }
        guard case .keyNotFound(let key, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "name")
    }

    @Test("CD-02 unmanaged objects are encoded, and come back the same")
    func encoding() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        let dog = try decode(json)
        dog.owner?.age = 9
        let data = try encoder.encode(dog)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""born":"2024-02-03T04:05:06Z""#))
        #expect(text.contains(#""friends":[{"age":4,"name":"Ben"}]"#))
        let again = try decode(text)
        #expect(again.owner?.age == 9 && again.tags.count == 2 && again.key == dog.key && again.price == dog.price)
    }

    @Test("CD-02 managed objects refuse, unless the class encodes itself")
    func encodingManaged() throws {
        let realm = try realm()
        let dog = try decode(json)
        let own = SelfEncoded()
        own.name = "own"
        try realm.write {
            realm.add(dog)
            realm.add(own)
        }
        for managed in [dog, try #require(realm.objects(CodableDog.self).first), dog.freeze()] {
            let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(managed) }
            guard case .invalidValue(_, let context) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(context.debugDescription.hasPrefix("Only unmanaged Realm objects"))
        }
        #expect(String(decoding: try JSONEncoder().encode(own), as: UTF8.self) == #"{"name":"own"}"#)
        #expect(try JSONDecoder().decode(SelfEncoded.self, from: Data(#"{"name":"x"}"#.utf8)).name == "x")
    }

    @Test("CD-03 lists in both directions, results and inverse links one way")
    func collections() throws {
        let list = try JSONDecoder().decode(List<Int?>.self, from: Data("[1,null,3]".utf8))
        #expect(Array(list) == [1, nil, 3])
        #expect(String(decoding: try JSONEncoder().encode(list), as: UTF8.self) == "[1,null,3]")
        let realm = try realm()
        try realm.write {
            let first = realm.create(SelfEncoded.self, value: ["name": "first"])
            realm.create(SelfEncoded.self, value: ["name": "second", "target": first])
        }
        let all = realm.objects(SelfEncoded.self)
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
        }
        #expect(try text(all) == #"[{"name":"first"},{"name":"second"}]"#)
        #expect(try text(all[0].sources) == #"[{"name":"second"}]"#)
        #expect(try text(AnyRealmCollection(all.where { $0.target == nil })) == #"[{"name":"first"}]"#)
    }

    @Test("CD-04 object ids and decimals")
    func values() throws {
        let id = try ObjectId(string: "0123456789abcdef01234567")
        #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == #"["0123456789abcdef01234567"]"#)
        #expect(try JSONDecoder().decode([ObjectId].self, from: Data(#"["0123456789abcdef01234567"]"#.utf8)) == [id])
        #expect(String(decoding: try JSONEncoder().encode([Decimal128(1.5)]), as: UTF8.self) == #"["1.5"]"#)
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data(#"["1.5", 2, 2.25]"#.utf8)) == [1.5, 2, 2.25])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ObjectId.self, from: Data(#""x""#.utf8)) }
    }
}
