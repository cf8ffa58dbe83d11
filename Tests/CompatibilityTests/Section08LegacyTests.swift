import Foundation
import RealmSwift
import TestSupport
import Testing

enum LegacyState: Int, RealmEnum {
    case asleep = 3
    case awake = 8
}

/// Declares nothing with `@Persisted`.
final class LegacyDog: Object {
    let age = RealmProperty<Int?>()
    let tag = RealmProperty<AnyRealmValue>()
    let weight = RealmOptional<Double>()
    let names = List<String>()
    let friends = List<LegacyDog>()
    let marks = MutableSet<Int>()
    let toys = Map<String, Int>()
    let ignored = RealmProperty<Int?>()
    let friendOf = LinkingObjects(fromType: LegacyDog.self, property: "friends")
    var note = "not persisted"

    /// In a legacy class, what is lazy has to be ignored.
    lazy var ignoredToo = "not persisted"
    let state = RealmProperty<LegacyState?>()

    override class func ignoredProperties() -> [String] { ["ignored", "ignoredToo"] }
    override class func indexedProperties() -> [String] { ["age"] }
}

/// Its base declares by the rules of old, itself by those of today.
final class LegacyPuppy: LegacyAnimal {
    @Persisted(primaryKey: true) var id: Int
    let plain = List<Int>()
}

class LegacyAnimal: Object {
    let sounds = List<String>()
    override class func shouldIncludeInDefaultSchema() -> Bool { self != LegacyAnimal.self }
}

/// Section 8: properties that are declared without `@Persisted`.
@Suite("Section 8: legacy declarations")
struct Section08LegacyTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("legacy.realm")),
                objectTypes: [LegacyDog.self, LegacyPuppy.self]))
    }

    @Test("LG-02, LG-03, LG-04, OB-13, OB-14: what is persisted, and how") func schema() throws {
        let schema = try #require(try open().schema["LegacyDog"])
        #expect(
            schema.properties.map(\.name)
                == ["age", "tag", "weight", "names", "friends", "marks", "toys", "friendOf", "state"])
        #expect(schema["state"]?.type == .int && schema["state"]?.isOptional == true)
        #expect(schema["age"]?.type == .int && schema["age"]?.isOptional == true && schema["age"]?.isIndexed == true)
        #expect(schema["tag"]?.type == .any)
        #expect(schema["weight"]?.type == .double && schema["weight"]?.isIndexed == false)
        #expect(schema["names"]?.isArray == true && schema["marks"]?.isSet == true && schema["toys"]?.isMap == true)
        #expect(schema["friendOf"]?.type == .linkingObjects)
    }

    @Test("PE-09: each class of a hierarchy by its own rules") func hierarchy() throws {
        let schema = try #require(try open().schema["LegacyPuppy"])
        #expect(schema.properties.map(\.name) == ["sounds", "id"])
    }

    @Test("LG-02, LG-03, LK-03: an object is added with what it holds") func adding() throws {
        let realm = try open()
        let dog = LegacyDog()
        dog.age.value = 3
        dog.tag.value = .string("red")
        dog.names.append("Rex")
        dog.marks.insert(7)
        dog.toys["ball"] = 2
        dog.friends.append(dog)
        #expect(dog.age.value == 3 && dog.weight.value == nil)
        try realm.write { realm.add(dog) }
        for dog in [dog, try #require(realm.objects(LegacyDog.self).first)] {
            #expect(dog.age.value == 3 && dog.weight.value == nil && dog.tag.value == .string("red"))
            #expect(Array(dog.names) == ["Rex"] && dog.marks.contains(7) && dog.toys["ball"] == 2)
            #expect(dog.friends.count == 1 && dog.friendOf.count == 1)
        }
        try realm.write {
            dog.age.value = nil
            dog.weight.value = 2.5
            dog.names.append("Rexie")
        }
        let read = try #require(realm.objects(LegacyDog.self).filter("age == nil AND weight > 2").first)
        #expect(read.age.value == nil && Array(read.names) == ["Rex", "Rexie"])
        #expect(read.value(forKey: "weight") as? Double == 2.5)
    }

    @Test("LG-03, WR-18, OB-03: values from dictionaries") func values() throws {
        let realm = try open()
        let values: [String: Any] = ["age": 4, "names": ["a", "b"], "toys": ["bone": 1], "weight": NSNull()]
        let unmanaged = LegacyDog(value: values)
        #expect(unmanaged.age.value == 4 && Array(unmanaged.names) == ["a", "b"] && unmanaged.toys["bone"] == 1)
        let dog = try realm.write { realm.create(LegacyDog.self, value: values) }
        #expect(dog.age.value == 4 && Array(dog.names) == ["a", "b"] && dog.toys["bone"] == 1)
    }

    @Test("LG-03: a property outlives its accessor, compares, prints and is coded") func property() throws {
        let realm = try open()
        try realm.write { realm.add(LegacyDog(value: ["age": 5])) }
        let age = try #require(realm.objects(LegacyDog.self).first).age
        #expect(
            age.value == 5 && age == RealmProperty<Int?>(5) && "\(age)" == "5" && "\(RealmProperty<Int?>())" == "nil")
        #expect(String(decoding: try JSONEncoder().encode([age]), as: UTF8.self) == "[5]")
        let decoded = try JSONDecoder().decode([RealmProperty<Int?>].self, from: Data("[6,null]".utf8))
        #expect(decoded.map(\.value) == [6, nil])
    }

    @Test("LG-03, LG-05, EN-04: optional enumerations of the old protocol") func enumerations() throws {
        let realm = try open()
        let dog = LegacyDog()
        dog.state.value = .awake
        try realm.write { realm.add(dog) }
        let read = try #require(realm.objects(LegacyDog.self).filter("state == 8").first)
        #expect(read.state.value == .awake && read.state == RealmProperty<LegacyState?>(.awake))
        try realm.write { read.state.value = .asleep }
        #expect(dog.state.value == .asleep)
        try realm.write { dog.state.value = nil }
        #expect(read.state.value == nil && realm.objects(LegacyDog.self).filter("state == nil").count == 1)
        #expect(dog.ignoredToo == "not persisted")
    }

    @Test("LG-02: iteration gives each object its own properties") func iteration() throws {
        let realm = try open()
        try realm.write { for age in 1...5 { realm.add(LegacyDog(value: ["age": age, "names": ["\(age)"]])) } }
        for (index, dog) in realm.objects(LegacyDog.self).enumerated() {
            #expect(dog.age.value == index + 1 && dog.names.first == "\(index + 1)")
        }
        let lists = realm.objects(LegacyDog.self).map { $0.names }
        #expect(lists.map { $0.first ?? "" } == ["1", "2", "3", "4", "5"])
    }

    @Test("LG-03, MK-04: a write outside of a transaction", arguments: [("MK-04 legacy", "not in a write transaction")])
    func outside(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
