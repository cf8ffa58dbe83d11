import Foundation
import RealmSwift
import Testing

@Suite struct ObjectsUnmanagedTests {
    @Test("PE-01: properties have their types' defaults")
    func defaults() {
        let before = Date()
        let object = AllTypes()
        #expect(object.int == 0)
        #expect(object.int8 == 8)
        #expect(!object.bool)
        #expect(object.double == 0)
        #expect(object.string == "")
        #expect(object.data.isEmpty)
        #expect(object.date >= before)
        #expect(object.decimal == 0)
        #expect(object.mood == .calm)
        #expect(object.rank == .high)
        #expect(object.optInt == nil)
        #expect(object.optMood == nil)
        #expect(object.other == nil)
        #expect(object.realm == nil)
        #expect(!object.isInvalidated)
    }

    @Test("PE-01: a generated default is made once per object")
    func generatedDefault() {
        let object = AllTypes()
        let id = object._id
        #expect(object._id == id)
        #expect(AllTypes()._id != id)
        let uuid = object.uuid
        #expect(object.uuid == uuid)
    }

    @Test("OB-29: an initialiser of the class may assign")
    func convenienceInit() {
        #expect(Keeper(name: "Ann").name == "Ann")
    }

    @Test("OB-03: a dictionary gives some properties, the rest keep their defaults")
    func dictionaryValue() {
        let pet = Pet(value: ["id": 3, "age": 2.0, "weight": 4, "unknown": 1])
        #expect(pet.id == 3)
        #expect(pet.age == 2)
        #expect(pet.weight == 4)
        #expect(pet.name == "Rex")
    }

    @Test("WR-20: an array gives properties in order")
    func arrayValue() {
        let pet = Pet(value: [7, "Tom", 5])
        #expect(pet.id == 7)
        #expect(pet.name == "Tom")
        #expect(pet.age == 5)
        #expect(pet.weight == nil)
    }

    @Test("WR-21: an object of another class gives properties by name")
    func objectValue() {
        let puppy = Puppy(value: ["id": 4, "name": "Wuff", "breed": "Spitz"])
        let pet = Pet(value: puppy)
        #expect(pet.id == 4)
        #expect(pet.name == "Wuff")
    }

    @Test("WR-19: nested values become linked objects")
    func nestedValue() {
        let keeper = Keeper(value: ["name": "Ann", "pet": ["id": 9, "name": "Tom"]])
        #expect(keeper.pet?.id == 9)
        #expect(Keeper(value: ["pet": [8, "Kit"]]).pet?.name == "Kit")
    }

    @Test("WR-24: null is stored in optional properties")
    func nullValue() {
        let pet = Pet(value: ["weight": NSNull()])
        #expect(pet.weight == nil)
        let missing: Double? = nil
        #expect(Pet(value: ["weight": missing as Any]).weight == nil)
    }

    @Test("WR-19: what JSONSerialization makes is a value")
    func json() throws {
        let text = #"{"id": 5, "name": "Json", "age": 3, "weight": 2.5}"#
        let pet = Pet(value: try JSONSerialization.jsonObject(with: Data(text.utf8)))
        #expect(pet.id == 5)
        #expect(pet.age == 3)
        #expect(pet.weight == 2.5)
    }

    @Test("EN-01: an enumeration is given as case or as raw value")
    func enumerations() {
        #expect(AllTypes(value: ["mood": Mood.lively]).mood == .lively)
        #expect(AllTypes(value: ["mood": "lively"]).mood == .lively)
        #expect(Mood.calm < .lively)
    }

    @Test("XR-19: numbers convert where exact")
    func coercion() {
        let object = AllTypes(value: ["float": 0.1, "double": 3, "bool": 1, "decimal": "1.5", "optInt": Int8(4)])
        #expect(object.float == Float(0.1))
        #expect(object.double == 3)
        #expect(object.bool)
        #expect(object.decimal == 1.5)
        #expect(object.optInt == 4)
    }

    @Test("OB-07: properties by name")
    func subscripts() {
        let pet = Pet()
        pet["name"] = "Max"
        #expect(pet.name == "Max")
        #expect(pet["age"] as? Int == 0)
        #expect(pet["weight"] == nil)
        pet["weight"] = 3
        #expect(pet.weight == 3)
        pet.setValue(nil, forKey: "weight")
        #expect(pet.value(forKey: "weight") == nil)
    }

    @Test("XR-17: values by key paths through links")
    func keyPathValues() {
        let pet = Pet(value: ["keeper": ["name": "Ann"]])
        #expect(pet.value(forKeyPath: "keeper.name") as? String == "Ann")
        pet.setValue("Bob", forKeyPath: "keeper.name")
        #expect(pet.keeper?.name == "Bob")
    }

    @Test("OB-09: unmanaged objects are equal if they are one")
    func equality() {
        let pet = Pet()
        #expect(pet == pet)
        #expect(pet != Pet())
        #expect(pet.isSameObject(as: pet))
        #expect(!pet.isSameObject(as: Pet()))
        #expect(pet.id == pet.id)
    }

    @Test("XR-18: description names class and properties")
    func description() {
        let text = Pet(value: ["id": 1, "keeper": ["name": "Ann"]]).description
        #expect(text.hasPrefix("Pet {"))
        #expect(text.contains("name = Rex;"))
        #expect(text.contains("weight = nil;"))
        #expect(text.contains("name = Ann;"))
    }

    @Test("XR-18: a cycle ends at the maximum depth")
    func cyclicDescription() {
        let pet = Pet()
        pet.keeper = Keeper()
        pet.keeper?.pet = pet
        #expect(pet.description.contains("Maximum depth exceeded"))
    }
}
