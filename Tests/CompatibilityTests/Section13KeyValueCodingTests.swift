import Foundation
import RealmSwift
import Testing

/// Section 13, and XR-17 to XR-19: key-value coding, printing, numbers of any type.
struct Section13KeyValueCodingTests {
    private let shelter = Shelter()

    @Test("CO-01 the values of a property of every element")
    func valueForKey() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        #expect(dogs.value(forKey: "name") as? [String] == ["Rex", "Ada", "Bello", "Ivo", "Ben", "Rolf"])
        #expect(dogs.sorted(by: \.age).value(forKey: "age") as? [Int] == [1, 3, 4, 5, 7, 9])
        #expect((dogs.value(forKey: "self") as? [ShelterDog])?.map(\.id) == [0, 1, 2, 3, 4, 5])
        #expect(dogs.value(forKey: "@count") as? Int == 6)
        let weights = try #require(dogs.value(forKey: "weight") as? [Any])
        #expect(weights.first as? Double == 0.5)
        #expect(weights.last is NSNull)
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        #expect(ann.dogs.value(forKey: "id") as? [Int] == [0, 1, 2, 3])
        #expect(dogs[2].scores.value(forKey: "self") as? [Int] == [2, 20])
        #expect(dogs[0].keepers.value(forKey: "name") as? [String] == ["Ann"])
        #expect(AnyRealmCollection(dogs).value(forKey: "id") as? [Int] == [0, 1, 2, 3, 4, 5])
    }

    @Test("CO-01 LI-19 unmanaged lists")
    func unmanaged() {
        let ann = ShelterKeeper("Ann")
        ann.dogs.append(objectsIn: [ShelterDog(1, "Rex", age: 3), ShelterDog(2, "Ada", age: 5)])
        #expect(ann.dogs.value(forKey: "name") as? [String] == ["Rex", "Ada"])
        #expect(ann.dogs.value(forKeyPath: "@sum.age") as? Int == 8)
        #expect(ann.value(forKeyPath: "dogs.@max.age") as? Int == 5)
        ann.dogs.setValue(9, forKey: "age")
        #expect(ann.dogs.map(\.age) == [9, 9])
        ann.dogs[0].scores.append(objectsIn: [1, 2])
        ann.dogs[0].scores.setValue(7, forKey: "self")
        #expect(Array(ann.dogs[0].scores) == [7, 7])
    }

    @Test("CO-02 operators on a property")
    func operators() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        #expect(dogs.value(forKeyPath: "@count") as? Int == 6)
        #expect(dogs.value(forKeyPath: "@min.age") as? Int == 1)
        #expect(dogs.value(forKeyPath: "@max.age") as? Int == 9)
        #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 29)
        #expect(dogs.value(forKeyPath: "@avg.age") as? Double == 29.0 / 6)
        #expect(dogs.value(forKeyPath: "@max.weight") as? Double == 4.5)
        #expect(dogs.value(forKeyPath: "@min.born") == nil)
        let none = dogs.where { $0.age > 90 }
        #expect(none.value(forKeyPath: "@max.age") == nil)
        #expect(none.value(forKeyPath: "@sum.age") as? Int == 0)
        #expect(dogs[2].scores.value(forKeyPath: "@sum.self") as? Int == 22)
    }

    @Test("CO-02 unions")
    func unions() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        #expect(
            dogs.value(forKeyPath: "@unionOfObjects.breed") as? [String]
                == ["boxer", "beagle", "boxer", "collie", "beagle", "akita"])
        #expect(
            dogs.value(forKeyPath: "@distinctUnionOfObjects.breed") as? [String]
                == ["boxer", "beagle", "collie", "akita"])
        #expect((dogs.value(forKeyPath: "@unionOfObjects.keeper") as? [ShelterKeeper])?.count == 4)
        #expect((dogs.value(forKeyPath: "@distinctUnionOfObjects.keeper") as? [ShelterKeeper])?.map(\.name) == ["Ann"])
        #expect(
            dogs.value(forKeyPath: "@unionOfArrays.tags") as? [String]
                == ["tag0", "tag0", "tag1", "tag0", "tag0", "tag1"])
        #expect(dogs.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String] == ["tag0", "tag1"])
        let keepers = realm.objects(ShelterKeeper.self)
        #expect((keepers.value(forKeyPath: "@unionOfArrays.dogs") as? [ShelterDog])?.count == 4)
    }

    @Test("CO-02 plain paths, through links and collections")
    func paths() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        let names = try #require(dogs.value(forKeyPath: "keeper.name") as? [Any])
        #expect(names.prefix(4).map { $0 as? String } == ["Ann", "Ann", "Ann", "Ann"])
        #expect(names[4] is NSNull)
        #expect(realm.objects(ShelterKeeper.self).value(forKeyPath: "dogs.@count") as? [Int] == [4, 0])
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        #expect(ann.value(forKeyPath: "dogs.@avg.age") as? Double == 6)
        #expect(ann.value(forKeyPath: "dogs.name") as? [String] == ["Rex", "Ada", "Bello", "Ivo"])
    }

    @Test("CO-03 a value for every element")
    func setValue() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        try realm.write {
            dogs.where { $0.breed == "boxer" }.setValue(99, forKey: "age")
            dogs.setValue(nil, forKey: "weight")
            dogs[0].scores.setValue(5, forKey: "self")
            dogs[1].keepers.setValue("Lviv", forKey: "city")
        }
        #expect(dogs.map(\.age) == [99, 3, 99, 9, 1, 4])
        #expect(dogs.allSatisfy { $0.weight == nil })
        #expect(Array(dogs[0].scores) == [5, 5])
        #expect(dogs[0].keeper?.city == "Lviv")
        try realm.write { dogs.setValue("Kyiv", forKeyPath: "keeper.city") }
        #expect(dogs[0].keeper?.city == "Kyiv")
    }

    @Test("CO-03 elements that leave a query while it is assigned are assigned, too")
    func setValueThatFilters() throws {
        let realm = try shelter.filled()
        let boxers = realm.objects(ShelterDog.self).where { $0.breed == "boxer" }
        try realm.write { boxers.setValue("bulldog", forKey: "breed") }
        #expect(boxers.isEmpty)
        #expect(realm.objects(ShelterDog.self).where { $0.breed == "bulldog" }.count == 2)
    }

    @Test("XR-17 objects")
    func objects() throws {
        let realm = try shelter.filled()
        let rex = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 0))
        #expect(rex.value(forKey: "name") as? String == "Rex")
        #expect(rex.value(forKey: "weight") as? Double == 0.5)
        #expect(rex.value(forKey: "born") == nil)
        #expect(rex.value(forKeyPath: "keeper.city") as? String == "Kyiv")
        #expect(rex.value(forKeyPath: "keeper.dogs.@count") as? Int == 4)
        #expect((rex.value(forKey: "tags") as? List<String>)?.count == 0)
        try realm.write {
            rex.setValue("Max", forKey: "name")
            rex.setValue("Odesa", forKeyPath: "keeper.city")
            rex.setValue(40, forKeyPath: "keeper.dogs.age")
            rex.setValue(["a", "b"], forKey: "tags")
        }
        #expect(rex.name == "Max")
        #expect(rex.keeper?.city == "Odesa")
        #expect(rex.keeper?.dogs.map(\.age) == [40, 40, 40, 40])
        #expect(Array(rex.tags) == ["a", "b"])
        let unmanaged = ShelterDog()
        unmanaged.setValue(3, forKey: "age")
        #expect(unmanaged.value(forKey: "age") as? Int == 3)
        #expect(unmanaged.value(forKeyPath: "keeper.city") == nil)
    }

    @Test("XR-18 objects and collections print their class and values, within limits")
    func printing() throws {
        let realm = try shelter.filled()
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        let text = ann.description
        #expect(text.hasPrefix("ShelterKeeper {\n    name = Ann;\n    city = Kyiv;\n    dogs = "))
        #expect(text.contains("<Maximum depth exceeded>"))
        #expect(realm.objects(ShelterDog.self).description.hasPrefix("Results<ShelterDog> "))
        try realm.write { ann.dogs[0].scores.append(objectsIn: 0..<200) }
        #expect(ann.dogs[0].scores.description.contains("102 objects skipped"))
        try realm.write { realm.delete(ann) }
        #expect(ann.description == "[invalid object]")
    }

    @Test("XR-19 numbers convert where they are given as Any")
    func numbers() throws {
        let dog = ShelterDog(value: ["id": 4.0, "age": NSNumber(value: 7), "weight": 3, "scores": [1.0, 2, Int8(3)]])
        #expect(dog.id == 4 && dog.age == 7 && dog.weight == 3)
        #expect(Array(dog.scores) == [1, 2, 3])
        let realm = try shelter.filled()
        try realm.write {
            let stored = realm.create(ShelterDog.self, value: ["id": UInt8(40), "age": Float(2), "weight": 2 as Int32])
            #expect(stored.age == 2 && stored.weight == 2)
            stored.setValue(true, forKey: "age")
            #expect(stored.age == 1)
        }
        #expect(realm.objects(ShelterDog.self).filter("age == %@", 9.0).map(\.id) == [3])
        #expect(realm.object(ofType: ShelterDog.self, forPrimaryKey: 40.0)?.age == 1)
    }

    @Test(
        "CO-02, MK-04, MK-20, MK-24 mistakes trap",
        arguments: [
            ("kvc-nested-operator", "not supported yet"),
            ("kvc-unknown-operator", "Unsupported KVC collection operator"),
            ("kvc-no-property", "Missing key path"), ("kvc-unknown-property", "Invalid property name 'bark'"),
            ("kvc-outside-write", "not in a write transaction"), ("kvc-wrong-type", "'three' of type 'String'")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
