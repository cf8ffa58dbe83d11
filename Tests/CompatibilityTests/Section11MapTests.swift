import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private enum Colour: String, PersistableEnum {
    case red, green, blue
}

private final class MapShop: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var prices: Map<String, Int>
    @Persisted var notes: Map<String, String>
    @Persisted var ratings: Map<String, Double?>
    @Persisted var colours: Map<String, Colour>
    @Persisted var days: Map<String, Date>
    @Persisted var staff: Map<String, MapWorker?>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
        name = "shop \(id)"
    }
}

private final class MapWorker: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var age: Int
    @Persisted var boss: MapWorker?
    @Persisted(originProperty: "staff") var shops: LinkingObjects<MapShop>

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

private final class MapCodable: Object, Codable {
    @Persisted var counts: Map<String, Int>
    @Persisted var optional: Map<String, Int?>
}

/// Section 11.3: `Map`, with the rows of sections 19 and 21 about it.
struct Section11MapTests {
    private let directory = TemporaryDirectory()
    private let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.path("maps.realm")),
            objectTypes: [MapShop.self, MapWorker.self, MapCodable.self])
    }

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    /// Three shops, with 0 to 2 prices; the third has staff.
    private func filled() throws -> Realm {
        let realm = try open()
        try realm.write {
            for id in 0..<3 {
                let shop = MapShop(id)
                for price in 0..<id { shop.prices["price \(price)"] = (price + 1) * 10 * id }
                shop.notes["kind"] = id == 0 ? "Bakery" : "bookshop"
                shop.ratings["a"] = .some(nil)
                shop.ratings["b"] = Double(id)
                shop.colours["door"] = id == 1 ? .green : .red
                if id == 2 {
                    shop.staff["first"] = MapWorker("Ann", 30)
                    shop.staff["second"] = MapWorker("Ben", 40)
                    shop.staff["third"] = .some(nil)
                }
                realm.add(shop)
            }
        }
        return realm
    }

    private func shop(_ id: Int, _ realm: Realm) throws -> MapShop {
        try #require(realm.object(ofType: MapShop.self, forPrimaryKey: id))
    }

    // MARK: Both kinds

    @Test("MA-03 MA-04 MA-05 MA-06 entries come and go", arguments: [false, true])
    func entries(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let shop = MapShop(9)
        if isManaged { realm.add(shop) }
        #expect(shop.prices.count == 0 && shop.prices["x"] == nil)
        shop.prices["tea"] = 3
        shop.prices["bread"] = 2
        shop.prices.updateValue(4, forKey: "tea")
        #expect(shop.prices.count == 2 && shop.prices["tea"] == 4 && shop.prices["bread"] == 2)
        shop.prices["bread"] = nil
        shop.prices["none"] = nil
        #expect(shop.prices.keys == ["tea"])
        shop.prices.removeObject(for: "tea")
        shop.prices.removeObject(for: "tea")
        #expect(shop.prices.count == 0)
        shop.prices["a"] = 1
        shop.prices.removeAll()
        #expect(shop.prices.keys.isEmpty && shop.prices.values.isEmpty)
        try realm.commitWrite()
    }

    @Test("MA-03 nil removes, a stored nil stays, for optional values", arguments: [false, true])
    func optionals(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let shop = MapShop(9)
        if isManaged { realm.add(shop) }
        shop.ratings["a"] = 1
        shop.ratings["b"] = .some(nil)
        #expect(shop.ratings.count == 2)
        #expect(shop.ratings["b"] == .some(nil) && shop.ratings["c"] == nil)
        shop.ratings["b"] = nil
        #expect(shop.ratings.keys == ["a"])
        try realm.commitWrite()
    }

    @Test("MA-09 MA-10 MA-11 MA-14 keys and values in one order, entries, tuples", arguments: [false, true])
    func sequences(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let shop = MapShop(9)
        if isManaged { realm.add(shop) }
        for (position, key) in ["pear", "Apple", "fig", "é", "z"].enumerated() { shop.prices[key] = position }
        #expect(shop.prices.keys == ["Apple", "fig", "pear", "z", "é"])
        #expect(shop.prices.values == [1, 2, 0, 4, 3])
        #expect(shop.prices.map { "\($0.key)=\($0.value)" } == ["Apple=1", "fig=2", "pear=0", "z=4", "é=3"])
        let dictionary = Dictionary(uniqueKeysWithValues: shop.prices.asKeyValueSequence())
        #expect(dictionary == ["Apple": 1, "fig": 2, "pear": 0, "z": 4, "é": 3])
        #expect(shop.prices.contains { key, value in key == "fig" && value == 2 })
        #expect(!shop.prices.contains { _, value in value > 4 })
        for entry in shop.prices { shop.prices[entry.key] = entry.value + 1 }
        #expect(shop.prices.values == [2, 3, 1, 5, 4])
        try realm.commitWrite()
    }

    @Test("MA-12 MA-07 merging and key-value coding", arguments: [false, true])
    func merging(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let shop = MapShop(9)
        if isManaged { realm.add(shop) }
        shop.prices["a"] = 1
        shop.prices.merge(["a": 5, "b": 2].map { (key: $0.key, value: $0.value) }) { $0 + $1 }
        #expect(shop.prices["a"] == 6 && shop.prices["b"] == 2)
        let other = Map<String, Int>()
        other["b"] = 7
        other["c"] = 8
        shop.prices.merge(other) { _, new in new }
        #expect(shop.prices.values == [6, 7, 8])
        shop.prices.setValue(9, forKey: "d")
        shop.prices.setValue(2.0, forKey: "c")
        shop.prices.setValue(nil, forKey: "a")
        #expect(shop.prices.keys == ["b", "c", "d"] && shop.prices["c"] == 2)
        #expect(shop.prices.value(forKey: "b") as? Int == 7)
        #expect(shop.prices.value(forKeyPath: "@count") as? Int == 3)
        #expect(shop.prices.value(forKeyPath: "@sum.self") as? Int == 18)
        #expect(shop.value(forKeyPath: "prices.d") as? Int == 9)
        try realm.commitWrite()
    }

    @Test("MA-19 aggregates", arguments: [false, true])
    func aggregates(isManaged: Bool) throws {
        let realm = try open()
        realm.beginWrite()
        let shop = MapShop(9)
        if isManaged { realm.add(shop) }
        #expect(shop.prices.max() == nil && shop.prices.sum() == 0)
        for (position, key) in ["a", "b", "c"].enumerated() {
            shop.prices[key] = position * 2
            shop.staff[key] = MapWorker("w\(position)", 10 * position)
        }
        shop.staff["none"] = .some(nil)
        #expect(shop.prices.min() == 0 && shop.prices.max() == 4 && shop.prices.sum() == 6)
        #expect(shop.prices.average() == 2.0)
        let oldest: Int? = shop.staff.max(ofProperty: "age")
        #expect(oldest == 20)
        #expect(shop.staff.min(of: \.age) == 0 && shop.staff.sum(of: \.age) == 30)
        let mean: Double? = shop.staff.average(ofProperty: "age")
        #expect(mean == 10)
        try realm.commitWrite()
    }

    @Test("XR-18 printing")
    func printing() throws {
        let shop = MapShop(1)
        shop.prices["tea"] = 3
        #expect(shop.prices.description == "Map<String, Int> (\n    [tea]: 3\n)")
        #expect(shop.description.contains("prices = Map<String, Int> (\n        [tea]: 3\n    );"))
    }

    // MARK: Managed

    @Test("MA-02 values of all kinds come back, in another instance too")
    func roundTrip() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        let date = Date(timeIntervalSince1970: 1_000)
        try realm.write { shop.days["opened"] = date }
        let frozen = shop.freeze()
        #expect(frozen.prices["price 1"] == 40 && frozen.notes["kind"] == "bookshop")
        #expect(frozen.ratings["a"] == .some(nil) && frozen.ratings["b"] == 2)
        #expect(frozen.colours["door"] == .red && frozen.days["opened"] == date)
        #expect(frozen.staff["first"]??.name == "Ann" && frozen.staff["third"] == .some(nil))
        #expect(frozen.staff.keys == ["first", "second", "third"])
    }

    @Test("MA-01 keys that aren't in order of characters, or long, and values that are long")
    func manyEntries() throws {
        let realm = try open()
        let shop = MapShop(1)
        let keys = (0..<500).map { "key \($0 * 7 % 500)" } + [String(repeating: "k", count: 5_000), ""]
        try realm.write {
            realm.add(shop)
            for key in keys { shop.notes[key] = "note of \(key)" }
        }
        #expect(shop.notes.count == 502)
        #expect(keys.allSatisfy { shop.notes[$0] == "note of \($0)" })
        #expect(Set(shop.notes.keys) == Set(keys))
        try realm.write { for key in keys.dropFirst(3) { shop.notes[key] = nil } }
        #expect(shop.notes.values == ["note of key 0", "note of key 14", "note of key 7"])
    }

    @Test("WR-29 WR-30 the objects of a map are deleted, also one that has several keys")
    func deletingObjects() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        try realm.write {
            shop.staff["again"] = shop.staff["first"]
            realm.delete(shop.staff)
            #expect(shop.staff.count == 0)
        }
        #expect(shop.staff.count == 0 && realm.object(ofType: MapWorker.self, forPrimaryKey: "Ann") == nil)
    }

    @Test("MA-05 MA-08 a linked object stays when its key goes, and leaves nil when it is deleted")
    func links() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        try realm.write { shop.staff["second"] = nil }
        #expect(realm.objects(MapWorker.self).count == 2)
        let ann = try #require(realm.object(ofType: MapWorker.self, forPrimaryKey: "Ann"))
        #expect(ann.shops.map(\.id) == [2])
        try realm.write { shop.staff["again"] = ann }
        #expect(ann.shops.count == 2)
        try realm.write {
            realm.delete(ann)
            #expect(shop.staff["first"] == .some(nil))
        }
        #expect(shop.staff.keys == ["again", "first", "third"])
        #expect(shop.staff["first"] == .some(nil) && shop.staff["again"] == .some(nil))
    }

    @Test("MA-04 an unmanaged object becomes managed, with its links")
    func addsObjects() throws {
        let realm = try open()
        let worker = MapWorker("Cid", 3)
        worker.boss = MapWorker("Dan")
        try realm.write {
            let shop = MapShop(1)
            realm.add(shop)
            shop.staff["c"] = worker
            #expect(worker.realm == realm)
            #expect(worker.shops.map(\.id) == [1])
        }
        #expect(try shop(1, realm).staff["c"]??.boss?.name == "Dan")
    }

    @Test("changes show inside the write, and go when it is cancelled")
    func writes() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        realm.beginWrite()
        shop.prices["price 0"] = 7
        shop.prices["new"] = 8
        shop.prices["price 1"] = nil
        #expect(shop.prices.keys == ["new", "price 0"] && shop.prices.values == [8, 7])
        #expect(realm.objects(MapShop.self).where { $0.prices["new"] == 8 }.count == 1)
        realm.cancelWrite()
        #expect(shop.prices.values == [20, 40])
    }

    @Test("PE-07 assigning a map copies its contents")
    func assignment() throws {
        let realm = try filled()
        let (one, two) = (try shop(1, realm), try shop(2, realm))
        try realm.write {
            one.prices = two.prices
            two.prices = two.prices
        }
        #expect(one.prices.values == [20, 40] && two.prices.values == [20, 40])
        #expect(one.prices != two.prices && one.prices == one.prices)
        try realm.write { two.prices["price 0"] = 1 }
        #expect(one.prices["price 0"] == 20)
        let fresh = Map<String, Int>()
        fresh["x"] = 1
        try realm.write { one.prices = fresh }
        #expect(one.prices.keys == ["x"])
    }

    @Test("OB-03 WR-19 dictionaries as values of init, create and updates")
    func values() throws {
        let unmanaged = MapShop(value: [
            "id": 5, "prices": ["a": 1, "b": 2.0], "staff": ["x": ["name": "Eve", "age": 3], "y": nil]
        ])
        #expect(unmanaged.prices["b"] == 2 && unmanaged.staff["x"]??.age == 3 && unmanaged.staff["y"] == .some(nil))
        let realm = try open()
        try realm.write {
            realm.add(unmanaged)
            let created = realm.create(
                MapShop.self, value: ["id": 6, "colours": ["door": "green"], "staff": ["e": ["name": "Fay"]]])
            #expect(created.colours["door"] == .green && created.staff["e"]??.name == "Fay")
            let copy = realm.create(MapShop.self, value: ["id": 7, "prices": unmanaged.prices])
            #expect(copy.prices.values == [1, 2])
            realm.create(MapShop.self, value: ["id": 6, "colours": ["wall": Colour.blue]], update: .modified)
            #expect(created.colours.keys == ["wall"] && created.staff.count == 1)
            realm.create(MapShop.self, value: ["id": 7, "prices": ["b": 2, "c": 3]], update: .modified)
            #expect(copy.prices.keys == ["b", "c"])
            realm.create(MapShop.self, value: ["id": 7, "prices": nil], update: .all)
            #expect(copy.prices.count == 0)
        }
        #expect(realm.objects(MapWorker.self).count == 2)
    }

    @Test("TH-02 TH-03 TH-04 frozen maps, references")
    func confinement() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        let prices = shop.prices
        #expect(prices.realm == realm && !prices.isFrozen && !prices.isInvalidated)
        let frozen = prices.freeze()
        try realm.write { prices["price 0"] = 1 }
        #expect(frozen.isFrozen && frozen["price 0"] == 20 && prices["price 0"] == 1)
        #expect(frozen.thaw()?["price 0"] == 1)
        let reference = ThreadSafeReference(to: prices)
        let (queue, configuration) = (DispatchQueue(label: "maps"), configuration)
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            #expect(realm.resolve(reference)?["price 0"] == 1)
        }
        try realm.write { realm.delete(shop) }
        #expect(prices.isInvalidated && frozen.thaw() == nil && frozen.count == 2)
        #expect(Map<String, Int>().realm == nil)
    }

    @Test("MA-13 MA-15 MA-16 MA-17 MA-18 values filtered and sorted")
    func results() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        func names(_ results: Results<MapWorker?>) -> [String?] { results.map { $0?.name } }
        #expect(names(shop.staff.filter(NSPredicate(format: "age > 35"))) == ["Ben"])
        #expect(names(shop.staff.where { $0.age < 35 }) == ["Ann"])
        #expect(names(shop.staff.sorted(byKeyPath: "age", ascending: false)) == ["Ben", "Ann"])
        #expect(names(shop.staff.sorted(by: \.name, ascending: true)) == ["Ann", "Ben"])
        #expect(names(shop.staff.sorted(by: [SortDescriptor(keyPath: "age")])) == ["Ann", "Ben"])
        #expect(Array(shop.prices.sorted(ascending: false)) == [40, 20])
        let sorted = shop.prices.sorted()
        try realm.write { shop.prices["x"] = 30 }
        #expect(Array(sorted) == [20, 30, 40])
    }

    @Test("MA-20 the protocol")
    func keyedCollection() throws {
        func total<M: RealmKeyedCollection>(_ map: M) -> Int where M.Value == Int { map.values.reduce(0, +) }
        #expect(total(try shop(2, try filled()).prices) == 60)
    }

    @Test("CD-03 keyed containers in both directions")
    func coding() throws {
        let decoded = try JSONDecoder().decode(
            MapCodable.self, from: Data(#"{"counts": {"b": 2, "a": 1}, "optional": {"x": null, "y": 4}}"#.utf8))
        #expect(decoded.counts.keys == ["a", "b"] && decoded.optional["x"] == .some(nil))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(decoded), as: UTF8.self)
                == #"{"counts":{"a":1,"b":2},"optional":{"x":null,"y":4}}"#)
    }

    // MARK: Queries

    @Test("QU-21 subscripts by key")
    func subscriptQueries() throws {
        let shops = try filled().objects(MapShop.self)
        #expect(shops.where { $0.prices["price 0"] == 20 }.map(\.id) == [2])
        #expect(shops.where { $0.prices["price 0"] > 5 }.map(\.id) == [1, 2])
        #expect(shops.where { $0.notes["kind"].starts(with: "book") }.map(\.id) == [1, 2])
        #expect(shops.where { $0.notes["kind"].contains("BAK", options: .caseInsensitive) }.map(\.id) == [0])
        #expect(shops.where { $0.colours["door"] == .green }.map(\.id) == [1])
        #expect(shops.where { $0.colours["door"].rawValue == "green" }.map(\.id) == [1])
        #expect(shops.filter("prices['price 0'] == 20").map(\.id) == [2])
        #expect(shops.filter("notes[%@] BEGINSWITH 'book'", "kind").map(\.id) == [1, 2])
    }

    @Test("QU-22 QU-23 keys and values")
    func keysAndValues() throws {
        let shops = try filled().objects(MapShop.self)
        #expect(shops.where { $0.prices.keys == "price 1" }.map(\.id) == [2])
        #expect(shops.where { $0.prices.keys.starts(with: "price") }.map(\.id) == [1, 2])
        #expect(shops.where { $0.prices.values >= 20 }.map(\.id) == [2])
        #expect(shops.where { $0.notes.values == "Bakery" }.map(\.id) == [0])
        #expect(shops.where { $0.notes.values.contains("ook") }.map(\.id) == [1, 2])
        #expect(shops.where { $0.staff.values.age > 35 }.map(\.id) == [2])
        #expect(shops.filter("ANY prices.@allKeys == 'price 1'").map(\.id) == [2])
        #expect(shops.filter("ANY prices.@allValues >= 20").map(\.id) == [2])
    }

    @Test("QU-24 QU-25 contents and aggregates")
    func contentsQueries() throws {
        let realm = try filled()
        let shops = realm.objects(MapShop.self)
        #expect(shops.where { $0.prices.contains(40) }.map(\.id) == [2])
        #expect(shops.where { $0.prices.containsAny(in: [10, 40]) }.map(\.id) == [1, 2])
        #expect(shops.where { $0.prices.contains(20...40) }.map(\.id) == [2])
        #expect(shops.where { $0.prices.contains(10..<20) }.map(\.id) == [1])
        #expect(shops.where { $0.prices.count == 2 }.map(\.id) == [2])
        #expect(shops.where { $0.prices.max == 40 }.map(\.id) == [2])
        #expect(shops.where { $0.prices.min == 10 }.map(\.id) == [1])
        #expect(shops.where { $0.prices.sum > 10 }.map(\.id) == [2])
        #expect(shops.where { $0.prices.avg == 30 }.map(\.id) == [2])
        let ann = try #require(realm.object(ofType: MapWorker.self, forPrimaryKey: "Ann"))
        #expect(shops.where { $0.staff.contains(ann) }.map(\.id) == [2])
        #expect(realm.objects(MapWorker.self).where { $0.shops.prices["price 0"] == 20 }.count == 2)
    }

    // MARK: Observation

    private func words<M>(_ change: RealmMapChange<M>) -> String where M.Key == String {
        switch change {
        case .initial(let map): "initial \(map.count)"
        case .update(let map, let deletions, let insertions, let modifications):
            "\(map.count) -\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }

    @Test("MA-21 NO-04 keys that came, went and changed")
    func observation() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        let log = Log()
        let token = shop.prices.observe(on: DispatchQueue(label: "maps")) { log.add(words($0)) }
        #expect(eventually { log.all == ["initial 2"] })
        try realm.write {
            shop.prices["price 0"] = nil
            shop.prices["price 1"] = 1
            shop.prices["a"] = 2
            shop.prices["z"] = 3
        }
        #expect(eventually { log.last == #"3 -["price 0"] +["a", "z"] ~["price 1"]"# })
        try realm.write { shop.name = "other" }
        try realm.write { shop.prices.removeAll() }
        #expect(eventually { log.last == #"0 -["a", "price 1", "z"] +[] ~[]"# })
        #expect(log.all.count == 3)
        token.invalidate()
    }

    @Test("NO-04 NO-06 NO-07 changes of the objects, and which of their properties count")
    func observingObjects() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        let ann = try #require(realm.object(ofType: MapWorker.self, forPrimaryKey: "Ann"))
        let log = Log()
        let queue = DispatchQueue(label: "maps")
        let tokens = [
            shop.staff.observe(on: queue) { log.add("all " + words($0)) },
            shop.staff.observe(keyPaths: ["name"], on: queue) { log.add("names " + words($0)) },
            shop.staff.observe(keyPaths: [\MapWorker.age], on: queue) { log.add("ages " + words($0)) }
        ]
        #expect(eventually { log.all.count == 3 })
        try realm.write { ann.age = 31 }
        #expect(eventually { log.all.count == 5 })
        #expect(Set(log.all.suffix(2)) == [#"all 3 -[] +[] ~["first"]"#, #"ages 3 -[] +[] ~["first"]"#])
        try realm.write { ann.boss = MapWorker("Gus", 60) }
        #expect(eventually { log.last == #"all 3 -[] +[] ~["first"]"# && log.all.count == 6 })
        for token in tokens { token.invalidate() }
    }

    @Test("NO-05 NO-06 the owner and collections of owners tell that their map changed")
    func observingOwners() throws {
        let realm = try filled()
        let shop = try shop(2, realm)
        let log = Log()
        let queue = DispatchQueue(label: "maps")
        let owner = shop.observe(on: queue) { (change: ObjectChange<MapShop>) in
            if case .change(_, let properties) = change { log.add("owner \(properties.map(\.name))") }
        }
        let all = realm.objects(MapShop.self).observe(on: queue) { change in
            if case .update(_, _, _, let modifications) = change { log.add("shops \(modifications)") }
        }
        queue.sync {}
        try realm.write { shop.prices["x"] = 1 }
        #expect(eventually { Set(log.all) == [#"owner ["prices"]"#, "shops [2]"] })
        try realm.write { realm.objects(MapWorker.self)[0].age = 77 }
        #expect(eventually { log.last == "shops [2]" && log.all.count == 3 })
        owner.invalidate()
        all.invalidate()
    }

    private actor Watcher {
        func watch(_ configuration: Realm.Configuration, _ log: Log) async throws -> NotificationToken {
            let realm = try await Realm(configuration: configuration, actor: self)
            return await realm.objects(MapShop.self)[2].prices.observe(on: self) { _, change in
                if case .update(_, _, let insertions, _) = change {
                    log.add("+\(insertions)")
                } else {
                    log.add("first")
                }
            }
        }
    }

    @Test("NO-09 on an actor")
    func actors() async throws {
        _ = try filled()
        let log = Log()
        let watcher = Watcher()
        let token = try await watcher.watch(configuration, log)
        #expect(await settled { log.all == ["first"] })
        try addPrice()
        #expect(await settled { log.last == #"+["late"]"# })
        token.invalidate()
    }

    private func addPrice() throws {
        let realm = try open()
        try realm.write { realm.objects(MapShop.self)[2].prices["late"] = 1 }
    }

    @Test(
        "MK-04, MK-34, MK-32, MK-48, MK-42, MK-47, MK-46 mistakes trap",
        arguments: [
            ("map-outside-write", "cannot modify managed Map 'Box.counts' outside of a write transaction"),
            ("map-dot-key", "Invalid key 'a.b'"), ("map-dollar-key", "Invalid key '$a'"),
            ("map-deleted-owner", "no longer valid"), ("map-observe-unmanaged", "Only managed"),
            ("map-filter-values", "only implemented for arrays of Realm Objects"),
            ("map-key-path", "Cannot apply key path to Map subscripts"),
            ("map-subquery", "Subqueries do not support")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
