import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

private final class DogCard: Projection<ShelterDog> {
    @Projected(\ShelterDog.name) var name
    @Projected(\ShelterDog.age) var years
    @Projected(\ShelterDog.weight) var weight: Double?
    @Projected(\ShelterDog.keeper?.city) var city
    @Projected(\ShelterDog.name.count) var nameLength
    @Projected(\ShelterDog.tags) var tags: List<String>
}

private final class KeeperCard: Projection<ShelterKeeper>, ObjectKeyIdentifiable {
    @Projected(\ShelterKeeper.name) var name
    @Projected(\ShelterKeeper.dogs.projectTo.name) var dogNames: ProjectedCollection<String>
    @Projected(\ShelterKeeper.dogs.projectTo.weight) var weights
    @Projected(\ShelterKeeper.dogs.count) var dogCount
}

/// Section 29, and the rows of section 21 about projections.
struct Section29ProjectionsTests {
    private let shelter = Shelter()

    @Test("PJ-01 a projection has its root; equality and hash are the root's")
    func roots() throws {
        let realm = try shelter.filled()
        let rex = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 0))
        let card = DogCard(projecting: rex)
        #expect(card.rootObject == rex)
        #expect(card == DogCard(projecting: rex))
        #expect(Set([card, DogCard(projecting: rex)]).count == 1)
        let ada = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 1))
        #expect(card != DogCard(projecting: ada))
    }

    @Test("PJ-02 properties of the root, through links, with computed tails; unmanaged roots too")
    func reading() throws {
        let realm = try shelter.filled()
        let rex = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 0))
        let card = DogCard(projecting: rex)
        #expect(card.name == "Rex" && card.years == 7 && card.weight == 0.5)
        #expect(card.city == "Kyiv")
        #expect(card.nameLength == 3)
        let unmanaged = DogCard(projecting: ShelterDog(9, "Zoe", age: 2))
        #expect(unmanaged.name == "Zoe" && unmanaged.years == 2 && unmanaged.city == nil)
        unmanaged.name = "Zoey"
        #expect(unmanaged.rootObject.name == "Zoey" && unmanaged.nameLength == 4)
    }

    @Test("PJ-03 writing goes through to the root")
    func writing() throws {
        let realm = try shelter.filled()
        let card = try #require(realm.objects(DogCard.self).first)
        try realm.write {
            card.name = "Max"
            card.weight = nil
            card.tags.append("new")
        }
        let rex = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 0))
        #expect(rex.name == "Max" && rex.weight == nil && Array(rex.tags) == ["new"])
    }

    @Test("PJ-04 a property of all objects of a list, live and writable")
    func projectedCollections() throws {
        let realm = try shelter.filled()
        let ann = KeeperCard(projecting: try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann")))
        let names = ann.dogNames
        #expect(Array(names) == ["Rex", "Ada", "Bello", "Ivo"])
        #expect(Array(ann.weights) == [0.5, 1.5, 2.5, 3.5])
        #expect(names.count == 4 && names.first == "Rex" && names.last == "Ivo" && ann.dogCount == 4)
        #expect(names.index(of: "Bello") == 2)
        #expect(names.index(matching: NSPredicate(format: "age > 8")) == 3)
        #expect(names.index(matching: "age == %@", 3) == 1)
        #expect(names.realm == realm)
        try realm.write {
            names[1] = "Eva"
            ann.rootObject.dogs.remove(at: 0)
        }
        #expect(Array(names) == ["Eva", "Bello", "Ivo"])
        #expect(realm.object(ofType: ShelterDog.self, forPrimaryKey: 1)?.name == "Eva")
        let frozen = names.freeze()
        try realm.write { ann.rootObject.dogs.removeAll() }
        #expect(frozen.isFrozen && Array(frozen) == ["Eva", "Bello", "Ivo"])
        #expect(frozen.thaw()?.isEmpty == true)
        #expect(names.description.hasPrefix("ProjectedCollection<String> ("))
    }

    @Test("PJ-04 projected collections of unmanaged lists")
    func unmanagedCollections() {
        let ann = ShelterKeeper("Ann")
        ann.dogs.append(objectsIn: [ShelterDog(1, "Rex"), ShelterDog(2, "Ada")])
        let card = KeeperCard(projecting: ann)
        #expect(Array(card.dogNames) == ["Rex", "Ada"])
        card.dogNames[0] = "Max"
        #expect(ann.dogs[0].name == "Max")
        #expect(Array(ann.dogs.projectTo.id) == [1, 2])
    }

    @Test("LI-20 PJ-04 what a list projects follows the list and writes through")
    func projectedLists() throws {
        let realm = try shelter.filled()
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        let names = ann.dogs.projectTo.name
        let before = Array(names)
        #expect(before == ann.dogs.map(\.name) && !before.isEmpty)
        try realm.write {
            names[0] = "Renamed"
            ann.dogs.remove(at: 1)
        }
        #expect(ann.dogs[0].name == "Renamed")
        #expect(Array(names) == ["Renamed"] + before.dropFirst(2))
        #expect(Array(ann.dogs.projectTo.id).count == before.count - 1)
    }

    @Test("PJ-04 observing a projected collection")
    func observingCollections() throws {
        let realm = try shelter.filled()
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        let log = Log()
        let token = ann.dogs.projectTo.name.observe(on: DispatchQueue(label: "names")) { change in
            switch change {
            case .initial(let names): log.add("initial \(Array(names))")
            case .update(let names, let deletions, let insertions, let modifications):
                log.add("\(names.count) \(deletions) \(insertions) \(modifications)")
            case .error(let error): log.add("\(error)")
            }
        }
        #expect(eventually { log.all == [#"initial ["Rex", "Ada", "Bello", "Ivo"]"#] })
        try realm.write { ann.dogs[0].age = 50 }
        try realm.write { ann.dogs[0].name = "Max" }
        #expect(eventually { log.last == "4 [] [] [0]" })
        #expect(log.all.count == 2)
        try realm.write { ann.dogs.remove(at: 1) }
        #expect(eventually { log.last == "3 [1] [] []" })
        token.invalidate()
    }

    @Test("PJ-05 results of projections: access, iteration, filters, order, sections")
    func results() throws {
        let realm = try shelter.filled()
        let cards = realm.objects(DogCard.self)
        #expect(cards.count == 6)
        #expect(cards[1].name == "Ada" && cards.first?.name == "Rex" && cards.last?.name == "Rolf")
        #expect(cards.map(\.name) == ["Rex", "Ada", "Bello", "Ivo", "Ben", "Rolf"])
        #expect(Array(cards.filter("age > 4")).map(\.years) == [7, 5, 9])
        #expect(cards.where { $0.years > 4 && $0.name != "Rex" }.map(\.name) == ["Bello", "Ivo"])
        #expect(cards.where { $0.city == "Kyiv" }.count == 4)
        #expect(cards.sorted(by: \.years).map(\.years) == [1, 3, 4, 5, 7, 9])
        #expect(cards.sorted(byKeyPath: "name", ascending: false).first?.name == "Rolf")
        #expect(cards.sorted(by: \.name).index(of: cards[0]) == 4)
        #expect(cards.index(matching: { $0.name == "Ivo" }) == 3)
        #expect(cards.max(of: \.years) == 9)
        // Dogs without keeper are left out (Q-127).
        #expect(cards.distinct(by: [\DogCard.city]).count == 1)
        #expect(cards.sectioned(by: \.name).allKeys == ["Ada", "Bello", "Ben", "Ivo", "Rex", "Rolf"])
        #expect(cards.sectioned(by: { $0.years > 4 }).map { $0.map(\.name) }.first == ["Rex", "Bello", "Ivo"])
        #expect(cards.sectioned(by: { $0.years > 4 }, ascending: false).allKeys == [false, true])
        #expect(cards.value(forKey: "age") as? [Int] == [7, 3, 5, 9, 1, 4])
        let frozen = cards.freeze()
        #expect(frozen[0].isFrozen && frozen[0].name == "Rex")
        func fetch<T: RealmFetchable>(_ type: T.Type) -> Results<T> { realm.objects(type) }
        #expect(fetch(DogCard.self).count == 6 && fetch(ShelterDog.self).count == 6)
    }

    @Test("PJ-05 objects kept from an iteration stay what they were")
    func keptFromIteration() throws {
        let cards = try shelter.filled().objects(DogCard.self)
        let kept = Array(cards)
        #expect(kept.map(\.name) == ["Rex", "Ada", "Bello", "Ivo", "Ben", "Rolf"])
        let (first, second) = (cards[0], cards[1])
        #expect(first.name == "Rex" && second.name == "Ada")
    }

    // MARK: Observation

    private func words<P>(_ change: ObjectChange<P>) -> String {
        switch change {
        case .change(_, let properties):
            properties.map { property in
                func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "nil" }
                return "\(property.name) \(text(property.oldValue)) \(text(property.newValue))"
            }.joined(separator: ", ")
        case .deleted: "deleted"
        case .error(let error): "error \(error)"
        }
    }

    /// Writes as another process would: on another queue, so that old values are told.
    private func elsewhere(_ body: @escaping @Sendable (Realm) throws -> Void) throws {
        let queue = DispatchQueue(label: "elsewhere")
        let configuration = shelter.configuration
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            try realm.write { try body(realm) }
        }
    }

    @Test("PJ-06 NO-05 only projected properties are told, under their names, with old and new values")
    func observation() throws {
        let realm = try shelter.filled()
        let log = Log()
        let card = realm.objects(DogCard.self)[0]
        let queue = DispatchQueue(label: "cards")
        let token = card.observe(on: queue) { log.add(words($0)) }
        queue.sync {}
        try elsewhere { $0.objects(ShelterDog.self)[0].breed = "mix" }
        try elsewhere { $0.objects(ShelterDog.self)[0].age = 8 }
        #expect(eventually { log.all == ["years 7 8"] })
        try elsewhere { realm in
            realm.objects(ShelterDog.self)[0].name = "Maxi"
            realm.objects(ShelterKeeper.self)[0].city = "Lviv"
        }
        #expect(eventually { log.last == "name Rex Maxi, city Kyiv Lviv, nameLength 3 4" })
        try elsewhere { $0.objects(ShelterDog.self)[0].tags.append("x") }
        #expect(eventually { log.last == "tags nil nil" })
        try elsewhere { realm in realm.delete(realm.objects(ShelterDog.self)[0]) }
        #expect(eventually { log.last == "deleted" })
        #expect(log.all.count == 4)
        token.invalidate()
    }

    @Test("PJ-06 NO-07 key paths choose among the projected properties")
    func keyPaths() throws {
        let realm = try shelter.filled()
        let log = Log()
        let card = realm.objects(DogCard.self)[0]
        let queue = DispatchQueue(label: "cards")
        let tokens = [
            card.observe(keyPaths: ["years"], on: queue) { log.add("a " + words($0)) },
            card.observe(keyPaths: [\DogCard.nameLength], on: queue) { log.add("b " + words($0)) }
        ]
        // Observers join on their queue; what happens before is not told.
        queue.sync {}
        try elsewhere { $0.objects(ShelterDog.self)[0].age = 8 }
        #expect(eventually { log.all == ["a years 7 8"] })
        try elsewhere { $0.objects(ShelterDog.self)[0].name = "Maxi" }
        #expect(eventually { log.last == "b nameLength 3 4" })
        for token in tokens { token.invalidate() }
    }

    @Test("PJ-06 changes of a projected list's objects")
    func listsOfObjects() throws {
        let realm = try shelter.filled()
        let log = Log()
        let card = realm.objects(KeeperCard.self)[0]
        let queue = DispatchQueue(label: "cards")
        let token = card.observe(on: queue) { log.add(words($0)) }
        queue.sync {}
        try elsewhere { $0.objects(ShelterDog.self)[1].age = 80 }
        try elsewhere { $0.objects(ShelterDog.self)[1].name = "Eva" }
        #expect(eventually { log.all == ["dogNames nil nil"] })
        token.invalidate()
    }

    @Test("NO-02 results of projections are observed by what they project")
    func observingResults() throws {
        let realm = try shelter.filled()
        let log = Log()
        let token = realm.objects(DogCard.self).observe(on: DispatchQueue(label: "cards")) { change in
            if case .update(let cards, let deletions, let insertions, let modifications) = change {
                log.add("\(cards[0].name) \(deletions) \(insertions) \(modifications)")
            } else {
                log.add("initial")
            }
        }
        #expect(eventually { log.all == ["initial"] })
        try realm.write { realm.objects(ShelterDog.self)[2].breed = "mix" }
        try realm.write { realm.objects(ShelterDog.self)[2].age = 70 }
        #expect(eventually { log.last == "Rex [] [] [2]" })
        #expect(log.all.count == 2)
        token.invalidate()
    }

    private actor Watcher {
        func watch(_ configuration: Realm.Configuration, _ log: Log) async throws -> [NotificationToken] {
            let realm = try await Realm(configuration: configuration, actor: self)
            let card = realm.objects(DogCard.self)[0]
            let dog = realm.objects(ShelterDog.self)[0]
            return [
                await card.observe(keyPaths: [\DogCard.years], on: self) { _, change in
                    if case .change(let card, _) = change { log.add("card \(card.years)") }
                },
                await dog.observe(keyPaths: [\ShelterDog.age], on: self) { _, change in
                    if case .change(let dog, _) = change { log.add("dog \(dog.age)") }
                }
            ]
        }
    }

    @Test("PJ-06 OB-17 NO-09 projections and objects on an actor")
    func actors() async throws {
        _ = try shelter.filled()
        let log = Log()
        let watcher = Watcher()
        let tokens = try await watcher.watch(shelter.configuration, log)
        // The observations begin in turns of the actor.
        func bothTold() -> Bool {
            log.all.contains { $0.hasPrefix("card ") } && log.all.contains { $0.hasPrefix("dog ") }
        }
        for age in 20..<120 where !bothTold() {
            try elsewhere { $0.objects(ShelterDog.self)[0].age = age }
            _ = await settled(within: .milliseconds(100), bothTold)
        }
        #expect(bothTold())
        for token in tokens { token.invalidate() }
    }

    @Test("PJ-07 confinement and printing")
    func confinement() throws {
        let realm = try shelter.filled()
        let card = realm.objects(DogCard.self)[0]
        #expect(card.realm == realm && !card.isFrozen && !card.isInvalidated)
        #expect(card.description.hasPrefix("DogCard {\n    name = Rex;\n    years = 7;"))
        let frozen = card.freeze()
        try realm.write { card.years = 90 }
        #expect(frozen.isFrozen && frozen.years == 7)
        #expect(frozen.thaw()?.years == 90)
        let reference = ThreadSafeReference(to: card)
        #expect(realm.resolve(reference)?.years == 90)
        try realm.write { realm.delete(card.rootObject) }
        #expect(card.isInvalidated && frozen.thaw() == nil)
        #expect(card.description.contains("[invalid object]"))
        #expect(DogCard(projecting: ShelterDog()).realm == nil)
    }

    @Test("OB-25 projections identify themselves by their roots")
    func identity() throws {
        let realm = try shelter.filled()
        let (first, second) = (realm.objects(KeeperCard.self)[0], realm.objects(KeeperCard.self)[1])
        #expect(first.id == realm.objects(KeeperCard.self)[0].id)
        #expect(first.id != second.id)
    }

    @Test(
        "MK-85, MK-86, MK-48, MK-52 mistakes trap",
        arguments: [
            ("projection-no-part", "'bark' of 'BadCard' must be a part of Realm object 'Dog'"),
            ("projection-not-writable", "'length' of 'GoodCard' is not writable"),
            ("projection-unmanaged-observe", "Only managed objects"),
            ("projection-unknown-name", "'bark' not found in class 'GoodCard'")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
