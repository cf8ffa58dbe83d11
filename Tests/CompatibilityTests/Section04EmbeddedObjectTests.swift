import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private final class EmbeddedCountry: EmbeddedObject {
    @Persisted var name: String
    @Persisted var codes: List<String>
}

private final class EmbeddedAddress: EmbeddedObject {
    @Persisted var street: String = "unnamed"
    @Persisted var number: Int?
    @Persisted var country: EmbeddedCountry?
    @Persisted var tags: Map<String, Int>
    @Persisted var neighbour: EmbeddedOwner?
    @Persisted(originProperty: "address") var owners: LinkingObjects<EmbeddedOwner>

    convenience init(_ street: String, country: String? = nil) {
        self.init()
        self.street = street
        if let country { self.country = EmbeddedCountry(value: ["name": country]) }
    }
}

private final class EmbeddedOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var address: EmbeddedAddress?
    @Persisted var former: List<EmbeddedAddress>
    @Persisted var places: Map<String, EmbeddedAddress?>

    convenience init(_ id: Int, _ street: String? = nil) {
        self.init()
        self.id = id
        if let street { address = EmbeddedAddress(street, country: "land of \(street)") }
    }
}

/// OB-20 and the other rows about embedded objects.
struct Section04EmbeddedObjectTests {
    private let directory = TemporaryDirectory()
    private let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("embedded.realm")),
            objectTypes: [EmbeddedOwner.self, EmbeddedAddress.self, EmbeddedCountry.self])
    }

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    /// Owners 0 to 2: the first without address, the last with a list and a map besides.
    private func filled() throws -> Realm {
        let realm = try open()
        try realm.write {
            realm.add([EmbeddedOwner(0), EmbeddedOwner(1, "Elm")])
            let owner = EmbeddedOwner(2, "Oak")
            owner.former.append(objectsIn: ["a", "b", "c"].map { EmbeddedAddress($0, country: "old \($0)") })
            owner.places["home"] = EmbeddedAddress("h")
            owner.places["none"] = .some(nil)
            realm.add(owner)
        }
        return realm
    }

    private func owner(_ id: Int, _ realm: Realm) throws -> EmbeddedOwner {
        try #require(realm.object(ofType: EmbeddedOwner.self, forPrimaryKey: id))
    }

    @Test("OB-20 parts are added with their object, nested ones too")
    func adding() throws {
        let realm = try filled()
        let owner = try owner(2, realm).freeze()
        #expect(owner.address?.street == "Oak" && owner.address?.country?.name == "land of Oak")
        #expect(owner.former.map(\.street) == ["a", "b", "c"])
        #expect(owner.former.map { $0.country?.name } == ["old a", "old b", "old c"])
        #expect(owner.places["home"]??.street == "h" && owner.places["none"] == .some(nil))
        #expect(try self.owner(0, realm).address == nil)
    }

    @Test("OB-20 the accessor that was added is the part")
    func accessors() throws {
        let realm = try open()
        let owner = EmbeddedOwner(1, "Elm")
        let address = try #require(owner.address)
        try realm.write { realm.add(owner) }
        #expect(address.realm == realm && owner.address?.isSameObject(as: address) == true)
        try realm.write {
            address.street = "Ash"
            address.country?.name = "new"
            address.country?.codes.append(objectsIn: ["x", "y"])
            address.tags["t"] = 4
            #expect(owner.address?.street == "Ash" && owner.address?.country?.name == "new")
        }
        let frozen = owner.freeze()
        #expect(frozen.address?.street == "Ash" && frozen.address?.country?.name == "new")
        #expect(frozen.address.map { Array($0.country?.codes ?? List()) } == ["x", "y"])
        #expect(frozen.address?.tags["t"] == 4)
    }

    @Test("OB-20 a new part takes the place of the old one, which is gone")
    func replacing() throws {
        let realm = try filled()
        let owner = try owner(1, realm)
        let old = try #require(owner.address)
        let oldCountry = try #require(old.country)
        try realm.write {
            owner.address = EmbeddedAddress("Fir", country: "there")
            #expect(old.isInvalidated && oldCountry.isInvalidated)
            #expect(owner.address?.country?.name == "there")
        }
        #expect(old.isInvalidated && owner.address?.street == "Fir" && owner.address?.country?.name == "there")
        let fir = try #require(owner.address)
        try realm.write { owner.address = nil }
        #expect(owner.address == nil && fir.isInvalidated)
        try realm.write {
            owner.address = EmbeddedAddress("one")
            owner.address = EmbeddedAddress("two", country: "x")
            owner.address?.country = nil
        }
        #expect(owner.address?.street == "two" && owner.address?.country == nil)
    }

    @Test("LI-04 to LI-16 lists of parts")
    func lists() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let first = owner.former[0]
        try realm.write {
            owner.former.append(EmbeddedAddress("d", country: "new d"))
            owner.former.insert(EmbeddedAddress("start"), at: 0)
            owner.former[2] = EmbeddedAddress("B", country: "new B")
            #expect(owner.former.map(\.street) == ["start", "a", "B", "c", "d"])
            owner.former[4].street = "D"
            owner.former[2].country?.name = "newest B"
            owner.former.move(from: 4, to: 0)
            owner.former[0].number = 5
            owner.former.remove(at: 2)
            #expect(first.isInvalidated)
        }
        let frozen = owner.freeze()
        #expect(frozen.former.map(\.street) == ["D", "start", "B", "c"])
        #expect(frozen.former.map(\.number) == [5, nil, nil, nil])
        #expect(frozen.former[2].country?.name == "newest B" && first.isInvalidated)
        try realm.write { owner.former.swapAt(0, 3) }
        #expect(owner.former.map(\.street) == ["c", "start", "B", "D"])
        let last = owner.former[3]
        try realm.write { owner.former.removeAll() }
        #expect(owner.former.isEmpty && last.isInvalidated)
    }

    @Test("MA-03 to MA-06 maps of parts")
    func maps() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let home = try #require(owner.places["home"] ?? nil)
        try realm.write {
            owner.places["work"] = EmbeddedAddress("w", country: "far")
            owner.places["home"] = EmbeddedAddress("new home")
            owner.places["home"]??.number = 7
            owner.places["work"]??.country?.name = "farther"
            #expect(home.isInvalidated)
        }
        #expect(owner.places.keys == ["home", "none", "work"])
        #expect(owner.places["home"]??.number == 7 && owner.places["work"]??.country?.name == "farther")
        let work = try #require(owner.places["work"] ?? nil)
        try realm.write {
            owner.places["none"] = nil
            owner.places["work"] = .some(nil)
        }
        #expect(owner.places.keys == ["home", "work"] && owner.places["work"] == .some(nil) && work.isInvalidated)
        try realm.write { owner.places.removeAll() }
        #expect(owner.places.count == 0)
    }

    @Test("OB-20 parts die with their object, and alone with their slot")
    func deleting() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let parts = [owner.address, owner.former[1], owner.places["home"] ?? nil].compactMap { $0 }
        let country = try #require(owner.former[1].country)
        try realm.write {
            realm.delete(owner)
            #expect(parts.allSatisfy(\.isInvalidated) && country.isInvalidated)
        }
        #expect(parts.count == 3 && parts.allSatisfy(\.isInvalidated) && country.isInvalidated)
        let other = try self.owner(1, realm)
        try realm.write {
            other.former.append(EmbeddedAddress("f"))
            other.places["p"] = EmbeddedAddress("p")
        }
        try realm.write {
            realm.delete(try #require(other.address))
            realm.delete(other.former[0])
            realm.delete(try #require(other.places["p"] ?? nil))
        }
        #expect(other.address == nil && other.former.isEmpty && other.places["p"] == .some(nil))
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty)
    }

    @Test("WR-05 what a cancelled write made or replaced")
    func cancelling() throws {
        let realm = try filled()
        let owner = try owner(1, realm)
        let old = try #require(owner.address)
        realm.beginWrite()
        let new = EmbeddedAddress("new", country: "x")
        owner.address = new
        owner.former.append(EmbeddedAddress("f"))
        realm.cancelWrite()
        #expect(owner.address?.street == "Elm" && !old.isInvalidated && new.isInvalidated && owner.former.isEmpty)
        try realm.write { owner.address?.number = 1 }
        #expect(old.number == 1)
    }

    @Test("WR-18 to WR-24 values of init, create and updates")
    func values() throws {
        let unmanaged = EmbeddedOwner(value: [
            "id": 5, "address": ["street": "s", "country": ["name": "c", "codes": ["1", "2"]]],
            "former": [["street": "f"], EmbeddedAddress("g")], "places": ["p": ["street": "h"], "q": nil]
        ])
        #expect(unmanaged.address?.country?.codes.count == 2 && unmanaged.former[1].street == "g")
        let realm = try open()
        try realm.write {
            realm.add(unmanaged)
            let created = realm.create(
                EmbeddedOwner.self,
                value: [
                    "id": 6, "address": ["number": 3], "former": [["street": "x"]],
                    "places": ["p": EmbeddedAddress("y")]
                ])
            #expect(created.address?.number == 3 && created.address?.street == "unnamed")
            #expect(created.former[0].street == "x" && created.places["p"]??.street == "y")
            let copy = realm.create(
                EmbeddedOwner.self, value: ["id": 7, "address": unmanaged.address as Any, "former": unmanaged.former])
            #expect(copy.address?.country?.name == "c" && copy.address?.isSameObject(as: unmanaged.address) == false)
            #expect(copy.former.map(\.street) == ["f", "g"])
            realm.create(EmbeddedOwner.self, value: ["id": 6, "address": ["street": "z"]], update: .modified)
            #expect(created.address?.street == "z" && created.former.count == 1)
            realm.create(EmbeddedOwner.self, value: ["id": 6, "address": nil, "former": []], update: .all)
            #expect(created.address == nil && created.former.isEmpty)
            created.setValue(["street": "kvc"], forKey: "address")
            created.setValue("deep", forKeyPath: "address.street")
        }
        #expect(try owner(6, realm).address?.street == "deep")
        #expect(try owner(5, realm).places["p"]??.street == "h")
    }

    @Test("OB-20 links from parts, and to the objects that hold them")
    func links() throws {
        let realm = try filled()
        let (one, two) = (try owner(1, realm), try owner(2, realm))
        try realm.write { one.address?.neighbour = two }
        #expect(one.address?.neighbour == two)
        #expect(one.address?.owners.map(\.id) == [1])
        try realm.write {
            realm.delete(two)
            #expect(one.address?.neighbour == nil)
        }
        #expect(one.address?.neighbour == nil && one.address?.street == "Elm")
    }

    @Test("QU-01 PR-01 queries through parts")
    func queries() throws {
        let owners = try filled().objects(EmbeddedOwner.self)
        #expect(owners.where { $0.address.street == "Oak" }.map(\.id) == [2])
        #expect(owners.where { $0.address.country.name.starts(with: "land") }.map(\.id) == [1, 2])
        #expect(owners.where { $0.address == nil }.map(\.id) == [0])
        #expect(owners.where { $0.former.street == "b" }.map(\.id) == [2])
        #expect(owners.where { $0.places.values.street == "h" }.map(\.id) == [2])
        #expect(owners.where { ($0.former.street == "a" || $0.former.street == "c").count == 2 }.map(\.id) == [2])
        #expect(owners.filter("address.country.name == 'land of Elm'").map(\.id) == [1])
        // No address comes last (Q-125).
        #expect(owners.sorted(byKeyPath: "address.street").map(\.id) == [1, 2, 0])
        #expect(owners[2].former.where { $0.street > "a" }.map(\.street) == ["b", "c"])
        #expect(owners[2].former.sorted(by: \.street, ascending: false).first?.street == "c")
    }

    @Test("NO-05 NO-06 changes of parts")
    func observation() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let log = Log()
        let joined = Log()
        let queue = DispatchQueue(label: "parts")
        let tokens: [NotificationToken] = [
            owner.observe(on: queue) { (change: ObjectChange<EmbeddedOwner>) in
                if case .change(_, let properties) = change { log.add("owner \(properties.map(\.name))") }
            },
            try #require(owner.address).observe(on: queue) { (change: ObjectChange<EmbeddedAddress>) in
                switch change {
                case .change(_, let properties): log.add("address \(properties.map(\.name))")
                case .deleted: log.add("address deleted")
                case .error: break
                }
            },
            owner.former.observe(on: queue) { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    log.add("former \(deletions) \(insertions) \(modifications)")
                } else {
                    joined.add("former")
                }
            },
            realm.objects(EmbeddedOwner.self).observe(on: queue) { change in
                if case .update(_, _, _, let modifications) = change {
                    log.add("all \(modifications)")
                } else {
                    joined.add("all")
                }
            }
        ]
        #expect(eventually { joined.all.count == 2 })
        try realm.write { owner.address?.street = "x" }
        #expect(eventually { Set(log.all) == [#"address ["street"]"#, "all [2]"] })
        try realm.write { owner.former[1].country?.name = "y" }
        #expect(eventually { log.all.count == 4 })
        #expect(Set(log.all.suffix(2)) == ["former [] [] [1]", "all [2]"])
        try realm.write { owner.address = nil }
        #expect(eventually { log.all.count == 7 })
        #expect(Set(log.all.suffix(3)) == [#"owner ["address"]"#, "address deleted", "all [2]"])
        for token in tokens { token.invalidate() }
    }

    @Test("TH-02 to TH-04 frozen parts, references; projections of parts")
    func confinement() throws {
        let realm = try filled()
        let owner = try owner(2, realm)
        let address = try #require(owner.address)
        let frozen = address.freeze()
        try realm.write { address.street = "new" }
        #expect(frozen.street == "Oak" && frozen.thaw()?.street == "new")
        #expect(realm.resolve(ThreadSafeReference(to: address))?.street == "new")
        let card = AddressCard(projecting: address)
        #expect(card.street == "new" && card.land == "land of Oak")
    }

    @Test("SV-15 SV-18 SV-19 SV-20 what is wrong with a class is said when the realm is opened")
    func faults() throws {
        func error(_ types: [ObjectBase.Type]) throws -> String {
            let configuration = Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("faulty.realm")), objectTypes: types)
            return #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }?.localizedDescription
                ?? ""
        }
        #expect(try error([KeyedHolder.self, KeyedPart.self]).contains("'KeyedPart' cannot have a primary key"))
        #expect(try error([EndlessHolder.self, EndlessPart.self]).contains("EndlessPart.EndlessPart"))
        #expect(try error([EmbeddedCountry.self]).contains("'EmbeddedCountry' is an orphan"))
    }

    @Test(
        "MK-25, MK-04, MK-12 mistakes trap",
        arguments: [
            ("embedded-elsewhere", "existing managed embedded object"),
            ("embedded-outside-write", "not in a write transaction"), ("embedded-replaced", "deleted or invalidated")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}

private final class AddressCard: Projection<EmbeddedAddress> {
    @Projected(\EmbeddedAddress.street) var street
    @Projected(\EmbeddedAddress.country?.name) var land
}

private final class KeyedPart: EmbeddedObject {
    @Persisted(primaryKey: true) var id: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class KeyedHolder: Object {
    @Persisted var part: KeyedPart?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class EndlessPart: EmbeddedObject {
    @Persisted var inner: EndlessPart?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class EndlessHolder: Object {
    @Persisted var part: EndlessPart?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
