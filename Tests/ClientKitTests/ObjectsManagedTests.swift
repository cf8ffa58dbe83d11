import Foundation
import RealmSwift
import TestSupport
import Testing

/// A file with the classes of these tests.
private struct PetRealm {
    let directory = TemporaryDirectory()
    var configuration: Realm.Configuration

    init(_ types: [ObjectBase.Type] = [AllTypes.self, Pet.self, Puppy.self, Keeper.self, Mapped.self]) {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("pets.realm")), objectTypes: types)
    }

    func open() throws -> Realm { try Realm(configuration: configuration) }
}

@Suite struct ObjectsManagedTests {
    private let pets = PetRealm()

    @Test("WR-15: an added object is the accessor; its values are there in and after the transaction")
    func add() throws {
        let realm = try pets.open()
        let pet = Pet(value: ["id": 1, "name": "Tom", "age": 4, "weight": 2.5])
        try realm.write {
            realm.add(pet)
            #expect(pet.realm == realm)
            #expect(pet.name == "Tom")
            pet.age += 1
            #expect(pet.age == 5)
        }
        #expect(pet.age == 5)
        let found = try #require(realm.object(ofType: Pet.self, forPrimaryKey: 1))
        #expect(found.name == "Tom")
        #expect(found.weight == 2.5)
        #expect(found == pet)
        #expect(found !== pet)
        #expect(found.isSameObject(as: pet))
        #expect(found.hashValue == pet.hashValue)
    }

    @Test("PE rows: values of every type survive")
    func allTypes() throws {
        let realm = try pets.open()
        let object = AllTypes()
        let id = object._id
        object.int = .min
        object.int8 = -7
        object.int16 = 300
        object.int32 = .max
        object.int64 = 1 << 40
        object.bool = true
        object.float = 1.5
        object.double = -0.25
        object.string = "schön 🐕"
        object.data = Data([0, 255, 7])
        object.date = Date(timeIntervalSince1970: -12.5)
        object.uuid = UUID()
        object.decimal = "12345678901234567890.25"
        object.mood = .lively
        object.optInt = 0
        object.optBool = false
        object.optFloat = .infinity
        object.optDouble = 1e300
        object.optString = ""
        object.optData = Data()
        object.optDate = .distantFuture
        object.optUuid = UUID()
        object.optId = .generate()
        object.optDecimal = -1
        object.optMood = .calm
        let copy = AllTypes(value: object)
        try realm.write { realm.add(object) }
        let read = try #require(realm.object(ofType: AllTypes.self, forPrimaryKey: id))
        #expect(read.int == copy.int)
        #expect(read.int8 == copy.int8)
        #expect(read.int16 == copy.int16)
        #expect(read.int32 == copy.int32)
        #expect(read.int64 == copy.int64)
        #expect(read.bool == copy.bool)
        #expect(read.float == copy.float)
        #expect(read.double == copy.double)
        #expect(read.string == copy.string)
        #expect(read.data == copy.data)
        #expect(read.date == copy.date)
        #expect(read.uuid == copy.uuid)
        #expect(read.decimal == copy.decimal)
        #expect(read.mood == copy.mood)
        #expect(read.rank == .high)
        #expect(read.optInt == 0)
        #expect(read.optBool == false)
        #expect(read.optFloat == .infinity)
        #expect(read.optDouble == 1e300)
        #expect(read.optString == "")
        #expect(read.optData == Data())
        #expect(read.optDate == .distantFuture)
        #expect(read.optUuid == copy.optUuid)
        #expect(read.optId == copy.optId)
        #expect(read.optDecimal == -1)
        #expect(read.optMood == .calm)
        #expect(read.other == nil)
        try realm.write {
            read.optInt = nil
            read.optString = nil
            read.optData = nil
            read.optDate = nil
            read.optMood = nil
            read.other = read
        }
        #expect(object.optInt == nil)
        #expect(object.optString == nil)
        #expect(object.optData == nil)
        #expect(object.optDate == nil)
        #expect(object.optMood == nil)
        #expect(object.other == object)
    }

    @Test("PE-13: strings beyond the chunk's limit are read from where they live")
    func longStrings() throws {
        let realm = try pets.open()
        let long = String(repeating: "ä", count: 5_000)
        let object = AllTypes(value: ["string": long, "data": Data(repeating: 7, count: 100_000)])
        try realm.write {
            realm.add(object)
            realm.add(AllTypes(value: ["string": "short"]))
        }
        #expect(object.string == long)
        #expect(object.data.count == 100_000)
    }

    @Test("an object that is larger than a message can be is sent in parts")
    func largerThanFrame() throws {
        let realm = try pets.open()
        let text = String(repeating: "x", count: 12 << 20)
        let object = AllTypes(value: ["string": text, "data": Data(text.utf8), "optString": text])
        try realm.write { realm.add(object) }
        #expect(object.string == text)
        #expect(object.data.count == text.utf8.count)
        #expect(object.optString == text)
    }

    @Test("an object added to an object's class while it is added finds its own row")
    func nestedInOwnClass() throws {
        let realm = try pets.open()
        let object = AllTypes(value: ["string": "outer", "optString": "last"])
        var inner = object
        // More than an overlay has room for at first: its memory moves while the outer objects are being recorded.
        for number in 0..<100 {
            let next = AllTypes(value: ["int": number, "string": "inner \(number)"])
            inner.other = next
            inner = next
        }
        try realm.write {
            realm.add(object)
            #expect(object.optString == "last")
            #expect(object.other?.other?.string == "inner 1")
        }
        let found = realm.objects(AllTypes.self)
        #expect(found.count == 101)
        #expect(object.string == "outer")
        #expect(inner.int == 99)
        #expect(found.where { $0.string == "inner 50" }.first?.other?.int == 51)
    }

    @Test("C-84: links add what they point to, cycles included")
    func links() throws {
        let realm = try pets.open()
        let pet = Pet(value: ["id": 1])
        let keeper = Keeper(name: "Ann")
        pet.keeper = keeper
        keeper.pet = pet
        try realm.write { realm.add(pet) }
        #expect(keeper.realm == realm)
        #expect(pet.keeper?.name == "Ann")
        #expect(pet.keeper?.pet == pet)
        try realm.write { pet.keeper = Keeper(name: "Bob") }
        #expect(pet.keeper?.name == "Bob")
        try realm.write { pet.keeper = nil }
        #expect(pet.keeper == nil)
    }

    @Test("WR-27: a link to a deleted object is nil, the object invalid")
    func deletion() throws {
        let realm = try pets.open()
        let pet = Pet(value: ["id": 1, "keeper": ["name": "Ann"]])
        try realm.write { realm.add(pet) }
        let keeper = try #require(pet.keeper)
        try realm.write {
            realm.delete(keeper)
            #expect(keeper.isInvalidated)
            #expect(pet.keeper == nil)
        }
        #expect(keeper.isInvalidated)
        #expect(pet.keeper == nil)
        #expect(keeper.description == "[invalid object]")
    }

    @Test("WR-05: what a cancelled transaction created is invalid, what it changed is as before")
    func cancellation() throws {
        let realm = try pets.open()
        let old = Pet(value: ["id": 1, "name": "Old"])
        try realm.write { realm.add(old) }
        let new = Pet(value: ["id": 2])
        realm.beginWrite()
        realm.add(new)
        old.name = "New"
        #expect(old.name == "New")
        realm.cancelWrite()
        #expect(new.isInvalidated)
        #expect(old.name == "Old")
        #expect(realm.object(ofType: Pet.self, forPrimaryKey: 2) == nil)
    }

    @Test("WR-18, WR-22: create takes given values, and defaults for the rest")
    func create() throws {
        let realm = try pets.open()
        let pet = try realm.write { realm.create(Pet.self, value: ["id": 5, "age": 7]) }
        #expect(pet.id == 5)
        #expect(pet.age == 7)
        #expect(pet.name == "Rex")
        let generated = try realm.write { realm.create(AllTypes.self) }
        #expect(generated._id != ObjectId())
        #expect(generated.rank == .high)
    }

    @Test("WR-17, WR-22: an update changes what is given")
    func update() throws {
        let realm = try pets.open()
        try realm.write {
            realm.create(Pet.self, value: ["id": 1, "name": "Tom", "age": 3])
            realm.create(Pet.self, value: ["id": 1, "age": 4], update: .modified)
        }
        let pet = try #require(realm.object(ofType: Pet.self, forPrimaryKey: 1))
        #expect(pet.name == "Tom")
        #expect(pet.age == 4)
        try realm.write { realm.add(Pet(value: ["id": 1, "age": 9]), update: .all) }
        #expect(pet.name == "Rex")
        #expect(pet.age == 9)
    }

    @Test("WR-21: create copies objects of another realm with their links")
    func copies() throws {
        let other = PetRealm()
        let source = try other.open()
        let destination = try pets.open()
        let pet = Pet(value: ["id": 1, "name": "Tom", "keeper": ["name": "Ann"]])
        try source.write { source.add(pet) }
        let copy = try destination.write { destination.create(Pet.self, value: pet) }
        #expect(copy.name == "Tom")
        #expect(copy.keeper?.name == "Ann")
        #expect(copy.keeper?.realm == destination)
    }

    @Test("TH-02, TH-03: a frozen object keeps its version, on every thread")
    func frozen() async throws {
        let realm = try pets.open()
        let pet = Pet(value: ["id": 1, "name": "Tom", "keeper": ["name": "Ann"]])
        try realm.write { realm.add(pet) }
        let frozen = pet.freeze()
        try realm.write { pet.name = "New" }
        #expect(frozen.isFrozen)
        #expect(frozen.name == "Tom")
        nonisolated(unsafe) let shared = frozen
        let read = await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: [shared.name, shared.keeper?.name]) }
        }
        #expect(read == ["Tom", "Ann"])
    }

    @Test("OB-25: a row has one identity")
    func identity() throws {
        let realm = try pets.open()
        try realm.write {
            realm.add(Keeper(name: "Ann"))
            realm.add(Pet(value: ["id": 1]))
        }
        let first = try #require(realm.object(ofType: Pet.self, forPrimaryKey: 1))
        let second = try #require(realm.object(ofType: Pet.self, forPrimaryKey: 1))
        #expect(first.id == second.id)
    }

    @Test("OB-15: a mapped property is stored under its other name")
    func mapped() throws {
        let realm = try pets.open()
        let object = try realm.write { realm.create(Mapped.self, value: ["_id": 1, "firstName": "Ann"]) }
        #expect(object.firstName == "Ann")
        let all = realm.objects(Mapped.self)
        #expect(all.filter("firstName == 'Ann'").count == 1)
        #expect(all.filter("first_name == 'Ann' AND first_name != 'Bob'").count == 1, "stored names will do")
        #expect(all.where { $0.firstName == "Bob" }.isEmpty)
    }

    @Test("OB-12: the primary key that primaryKey() names")
    func legacyKey() throws {
        let legacy = PetRealm([LegacyKey.self])
        let realm = try legacy.open()
        try realm.write {
            realm.create(LegacyKey.self, value: ["code": "a", "count": 1])
            realm.create(LegacyKey.self, value: ["code": "a", "count": 2], update: .all)
        }
        #expect(realm.objects(LegacyKey.self).count == 1)
        #expect(realm.object(ofType: LegacyKey.self, forPrimaryKey: "a")?.count == 2)
        #expect(realm.schema["LegacyKey"]?.primaryKeyProperty?.name == "code")
    }
}
