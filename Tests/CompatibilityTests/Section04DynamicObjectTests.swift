import Foundation
import RealmSwift
import TestSupport
import Testing

final class DynamicHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "unnamed"
    @Persisted var storeys: Int?
    @Persisted var size: ShelterSize
    @Persisted var street: DynamicStreet?
    @Persisted var neighbours: List<DynamicHouse>
    @Persisted var friends: MutableSet<DynamicHouse>
    @Persisted var rooms: Map<String, DynamicStreet?>
    @Persisted var tags: List<String>
    @Persisted var owner: DynamicOwner?
    @Persisted var anything: AnyRealmValue

    override class func propertiesMapping() -> [String: String] { ["storeys": "storey_count"] }
}

final class DynamicStreet: Object {
    @Persisted var name: String
    @Persisted(originProperty: "street") var houses: LinkingObjects<DynamicHouse>
}

final class DynamicOwner: EmbeddedObject {
    @Persisted var name = "nobody"
    @Persisted var visits: List<DynamicStreet>
}

/// Sections 1, 3, 4 and 10: objects whose class is known by name only.
struct Section04DynamicObjectTests {
    private let directory = TemporaryDirectory()

    private func open() throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("dynamic.realm")),
                objectTypes: [DynamicHouse.self, DynamicStreet.self, DynamicOwner.self]))
    }

    @Test("RE-28 OB-23 objects by the name of their class")
    func objects() throws {
        let realm = try open()
        try realm.write {
            for id in 0..<5 {
                let house = realm.create(DynamicHouse.self, value: ["id": id, "name": "house \(id)"])
                house.storeys = id == 0 ? nil : id
            }
        }
        let houses = realm.dynamicObjects("DynamicHouse")
        #expect(houses.count == 5)
        #expect(houses[1]["name"] as? String == "house 1")
        #expect(houses[1].name as? String == "house 1")
        #expect(houses[0].storeys == nil)
        #expect(houses[3].storeys as? Int == 3)
        #expect(houses.filter("storeys > 2").count == 2)
        #expect(houses.filter("storey_count > 2").count == 2)
        #expect(houses.sorted(byKeyPath: "storeys", ascending: false).first?.id as? Int == 4)
        #expect(houses.max(ofProperty: "storeys") as Int? == 4)
        #expect(houses.value(forKey: "id") as? [Int] == [0, 1, 2, 3, 4])
        #expect(houses[2].objectSchema.className == "DynamicHouse")
        #expect(houses[2].objectSchema["street"]?.objectClassName == "DynamicStreet")
        #expect(houses[2].description.contains("name = house 2;"))
        #expect(houses[2] == houses[2])
        try realm.write { houses[2].name = "renamed" }
        #expect(realm.object(ofType: DynamicHouse.self, forPrimaryKey: 2)?.name == "renamed")
        try realm.write { realm.delete(houses.filter("id < 3")) }
        #expect(houses.count == 2)
        try realm.write { realm.delete(houses[0]) }
        #expect(realm.objects(DynamicHouse.self).map(\.id) == [4])
    }

    @Test("RE-29 an object by its primary key")
    func byPrimaryKey() throws {
        let realm = try open()
        try realm.write { _ = realm.create(DynamicHouse.self, value: ["id": 7]) }
        #expect(realm.dynamicObject(ofType: "DynamicHouse", forPrimaryKey: 7)?.name as? String == "unnamed")
        #expect(realm.dynamicObject(ofType: "DynamicHouse", forPrimaryKey: 8) == nil)
    }

    @Test("WR-26 creating by the name of a class, with its defaults")
    func create() throws {
        let realm = try open()
        try realm.write {
            let house = realm.dynamicCreate(
                "DynamicHouse",
                value: [
                    "id": 1, "storeys": 2, "size": "large", "street": ["name": "Main Street"], "tags": ["a", "b"],
                    "owner": ["visits": [["name": "Side Street"]]],
                    "rooms": ["hall": ["name": "inside"], "none": NSNull()]
                ])
            #expect(house.name as? String == "unnamed")
            #expect(house.size as? String == "large")
            house.anything = "seven"
        }
        let house = try #require(realm.object(ofType: DynamicHouse.self, forPrimaryKey: 1))
        #expect(house.storeys == 2)
        #expect(house.size == .large)
        #expect(house.street?.name == "Main Street")
        #expect(Array(house.tags) == ["a", "b"])
        #expect(house.owner?.name == "nobody")
        #expect(house.owner?.visits.first?.name == "Side Street")
        #expect(house.rooms["hall"]??.name == "inside")
        #expect(house.anything == .string("seven"))
        try realm.write {
            realm.dynamicCreate("DynamicHouse", value: ["id": 1, "name": "again"], update: .modified)
            realm.dynamicCreate("DynamicHouse", value: ["id": 2], update: .all)
        }
        #expect(house.name == "again")
        #expect(house.storeys == 2)
        #expect(realm.objects(DynamicHouse.self).count == 2)
    }

    @Test("OB-19 OB-23 links, collections and embedded objects")
    func relations() throws {
        let realm = try open()
        let first = try realm.write {
            let first = realm.dynamicCreate("DynamicHouse", value: ["id": 1])
            let second = realm.dynamicCreate("DynamicHouse", value: ["id": 2])
            first.dynamicList("neighbours").append(second)
            first.dynamicMutableSet("friends").insert(second)
            let street = realm.dynamicCreate("DynamicStreet", value: ["name": "High Street"])
            first.street = street
            let rooms: Map<String, DynamicObject?> = first.dynamicMap("rooms")
            rooms["hall"] = street
            first.owner = ["name": "Ann"]
            return first
        }
        #expect((first.neighbours as? List<DynamicObject>)?.first?.id as? Int == 2)
        #expect((first.friends as? MutableSet<DynamicObject>)?.first?.id as? Int == 2)
        #expect((first.rooms as? Map<String, DynamicObject?>)?["hall"]??.name as? String == "High Street")
        #expect((first.tags as? List<String>)?.count == 0)
        let street = try #require(first.street as? DynamicObject)
        #expect((street.houses as? LinkingObjects<DynamicObject>)?.first?.id as? Int == 1)
        #expect((first.owner as? DynamicObject)?.name as? String == "Ann")
        #expect(first.value(forKeyPath: "street.name") as? String == "High Street")
        #expect(realm.dynamicObjects("DynamicHouse").filter("street.name == 'High Street'").count == 1)
        #expect(realm.dynamicObjects("DynamicHouse").filter("street == %@", street).count == 1)
        // Of an object of a Swift class, too.
        let house = try #require(realm.object(ofType: DynamicHouse.self, forPrimaryKey: 1))
        #expect(house.dynamicList("neighbours").first?.id as? Int == 2)
        #expect(house.dynamicMutableSet("friends").count == 1)
        #expect(house.owner?.dynamicList("visits").count == 0)
        try realm.write { first["tags"] = ["x", "y"] }
        #expect(Array(house.tags) == ["x", "y"])
        try realm.write {
            first.street = nil
            first.owner = nil
        }
        #expect(house.street == nil)
        #expect(house.owner == nil)
    }

    @Test("OB-23 TH-02 frozen, thawed and observed")
    func frozenAndObserved() throws {
        let realm = try open()
        let house = try realm.write { realm.dynamicCreate("DynamicHouse", value: ["id": 1, "street": ["name": "A"]]) }
        let frozen = house.freeze()
        try realm.write { house.name = "changed" }
        #expect(frozen.name as? String == "unnamed")
        #expect((frozen.street as? DynamicObject)?.isFrozen == true)
        #expect(frozen.thaw()?.name as? String == "changed")
        let results = realm.dynamicObjects("DynamicHouse").freeze()
        try realm.write { realm.deleteAll() }
        #expect(results.first?.name as? String == "changed")
        #expect(house.isInvalidated)
        #expect(realm.isEmpty)
    }

    @Test("VA-13 what a mixed value links to, whatever its class")
    func inMixedValues() throws {
        let realm = try open()
        try realm.write {
            let street = realm.create(DynamicStreet.self, value: ["name": "Low Street"])
            let house = realm.create(DynamicHouse.self, value: ["id": 1])
            house.anything = .object(street)
        }
        let house = try #require(realm.object(ofType: DynamicHouse.self, forPrimaryKey: 1))
        #expect(house.anything.object(DynamicStreet.self)?.name == "Low Street")
        #expect(house.anything.dynamicObject?.name as? String == "Low Street")
        let dynamic = try #require(realm.dynamicObject(ofType: "DynamicHouse", forPrimaryKey: 1))
        #expect((dynamic.anything as? AnyRealmValue)?.dynamicObject?.name as? String == "Low Street")
    }

    @Test(
        "OB-23 MK-20 MK-24 mistakes",
        arguments: [
            ("dynamic-unknown-class", "'Plate' is not managed by the Realm"),
            ("dynamic-unknown-property", "Invalid property name 'plate' for class 'Cup'"),
            ("dynamic-assign-unknown", "Invalid property name 'plate' for class 'Cup'"),
            ("dynamic-wrong-value", "for string property 'Cup.colour'"), ("dynamic-null", "'Cup.colour'"),
            ("dynamic-primary-key", "can't be changed after an object is inserted"),
            ("dynamic-outside-write", "not in a write transaction"),
            ("dynamic-embedded", "cannot be created directly"),
            ("dynamic-key-of-none", "'Saucer' does not have a primary key"),
            ("dynamic-key-of-another-type", "Invalid value 'one' for primary key of 'Cup'"),
            ("dynamic-list-of-values", "'Cup.marks' is no list of objects"),
            ("dynamic-set-of-list", "'Cup.saucers' is no set of objects"),
            ("dynamic-other-class", "does not match the class 'Saucer'"),
            ("dynamic-standalone", "DynamicObject")
        ])
    func mistakes(_ scenario: String, _ says: String) throws {
        try expectTrap(scenario, says)
    }
}
