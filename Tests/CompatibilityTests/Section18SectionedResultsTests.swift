import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 18: `SectionedResults`.
struct Section18SectionedResultsTests {
    private let shelter = Shelter()

    private func contents<Key>(_ sections: SectionedResults<Key, ShelterDog>) -> [[Int]] {
        sections.map { section in section.map(\.id) }
    }

    @Test("SC-01 a key path sorts and groups")
    func byKeyPath() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        let sections: SectionedResults<String, ShelterDog> = dogs.sectioned(by: \.breed)
        #expect(sections.allKeys == ["akita", "beagle", "boxer", "collie"])
        #expect(contents(sections) == [[5], [1, 4], [0, 2], [3]])
        #expect(dogs.sectioned(by: \.breed, ascending: false).allKeys == ["collie", "boxer", "beagle", "akita"])
        #expect(dogs.where { $0.age > 4 }.sectioned(by: \.breed).allKeys == ["boxer", "collie"])
    }

    @Test("SC-01 a computed property of one persisted property, and a path through a link")
    func byComputedProperty() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        let sections = dogs.sectioned(by: \.firstLetter, sortDescriptors: [SortDescriptor(keyPath: "name")])
        #expect(sections.allKeys == ["A", "B", "I", "R"])
        #expect(contents(sections) == [[1], [2, 4], [3], [0, 5]])
        let byKeeper = dogs.sectioned(by: \.keeper?.name)
        // What has no keeper comes last (Q-125), unlike what has one without a name.
        #expect(byKeeper.allKeys == ["Ann", nil])
        #expect(contents(byKeeper) == [[0, 1, 2, 3], [4, 5]])
    }

    @Test("SC-02 further descriptors order the elements within sections")
    func bySortDescriptors() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        let sections = dogs.sectioned(
            by: \.breed,
            sortDescriptors: [
                SortDescriptor(keyPath: \ShelterDog.breed), SortDescriptor(keyPath: "age", ascending: true)
            ])
        #expect(contents(sections) == [[5], [4, 1], [2, 0], [3]])
    }

    @Test("SC-03 a block groups what descriptors sorted, also when groups don't lie together")
    func byBlock() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        let sections = dogs.sectioned(
            by: { $0.age % 2 == 0 }, sortDescriptors: [SortDescriptor(keyPath: "age", ascending: false)])
        #expect(sections.allKeys == [false, true])
        #expect(contents(sections) == [[3, 0, 2, 1, 4], [5]])
        let letters = dogs.sectioned(by: { String($0.name.prefix(1)) }, sortDescriptors: ["id"])
        #expect(letters.allKeys == ["R", "A", "B", "I"])
        #expect(contents(letters) == [[0, 5], [1], [2, 4], [3]])
    }

    @Test("SC-03 lists of values are grouped in their order")
    func values() throws {
        let realm = try shelter.filled()
        let dog = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 1))
        try realm.write { dog.tags.append(objectsIn: ["ball", "bone", "apple", "toy"]) }
        let sections = dog.tags.sectioned(by: { String($0.prefix(1)) })
        #expect(sections.allKeys == ["a", "b", "t"])
        #expect(sections.map { Array($0) } == [["apple"], ["ball", "bone"], ["tag0", "toy"]])
        #expect(dog.tags.sectioned(by: { $0.count > 3 }, ascending: false).allKeys == [false, true])
    }

    @Test("SC-04 keys of any persistable type")
    func keyTypes() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        #expect(dogs.sectioned(by: \.age).allKeys == [1, 3, 4, 5, 7, 9])
        #expect(dogs.sectioned(by: \.weight).allKeys == [nil, 0.5, 1.5, 2.5, 3.5, 4.5])
        #expect(dogs.sectioned(by: \.size).allKeys == [.large, .small])
        #expect(dogs.sectioned(by: \.born).allKeys == [nil])
    }

    @Test("SC-05 elements by index path, counts, equality")
    func access() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        let sections = dogs.sectioned(by: \.breed)
        #expect(sections.count == 4)
        #expect(sections[1].count == 2)
        #expect(sections[1][0].name == "Ada")
        #expect(sections[IndexPath(item: 1, section: 2)].name == "Bello")
        #expect(sections.realm == realm)
        #expect(!sections.isInvalidated)
        #expect(sections == sections)
        #expect(sections == dogs.sectioned(by: \.breed))
        #expect(sections != dogs.sectioned(by: \.breed, ascending: false))
        #expect(sections.description.hasPrefix("SectionedResults<String, ShelterDog> ("))
        #expect(dogs.where { $0.age > 90 }.sectioned(by: \.breed).allKeys.isEmpty)
        #expect(dogs.sectioned(by: \.breed).first?.key == "akita")
    }

    @Test("SC-06 a section has a key, an identity, and is empty while its key is gone")
    func sections() throws {
        let realm = try shelter.filled()
        let sections = realm.objects(ShelterDog.self).sectioned(by: \.breed)
        let collies = sections[3]
        #expect(collies.key == "collie")
        #expect(collies.id == collies.key)
        #expect(collies == sections[3])
        #expect(collies.map(\.name) == ["Ivo"])
        try realm.write { collies[0].breed = "corgi" }
        #expect(sections.allKeys == ["akita", "beagle", "boxer", "corgi"])
        #expect(collies.isEmpty)
        #expect(collies.first == nil)
        try realm.write { realm.object(ofType: ShelterDog.self, forPrimaryKey: 5)?.breed = "collie" }
        #expect(collies.map(\.name) == ["Rolf"])
    }

    @Test("SC-05, SC-06 sections follow the realm, inside a write too; frozen ones don't")
    func liveAndFrozen() throws {
        let realm = try shelter.filled()
        let sections = realm.objects(ShelterDog.self).sectioned(by: \.breed)
        let frozen = sections.freeze()
        let frozenSection = sections[1].freeze()
        try realm.write {
            realm.add(ShelterDog(9, "Zoe", breed: "whippet"))
            #expect(sections.allKeys.last == "whippet")
            realm.delete(sections[1])
            #expect(sections.allKeys == ["akita", "boxer", "collie", "whippet"])
        }
        #expect(frozen.isFrozen && frozenSection.isFrozen)
        #expect(contents(frozen) == [[5], [1, 4], [0, 2], [3]])
        #expect(frozenSection.map(\.name) == ["Ada", "Ben"])
        let thawed = try #require(frozen.thaw())
        #expect(!thawed.isFrozen)
        #expect(thawed.count == 4)
        #expect(frozenSection.thaw()?.isEmpty == true)
        let reference = ThreadSafeReference(to: sections)
        #expect(realm.resolve(reference)?.count == 4)
    }

    @Test("SC-07 sections come in the order in which their keys first appear")
    func order() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        let sections = dogs.sectioned(by: { $0.breed }, sortDescriptors: [SortDescriptor(keyPath: "id")])
        #expect(sections.allKeys == ["boxer", "beagle", "collie", "akita"])
    }

    // MARK: Observation

    private func words<C>(_ change: SectionedResultsChange<C>) -> String where C: Collection {
        func list(_ paths: [IndexPath]) -> String {
            "[" + paths.map { "\($0.section).\($0.item)" }.joined(separator: " ") + "]"
        }
        switch change {
        case .initial(let sections): return "initial \(sections.count)"
        case .update(let sections, let deletions, let insertions, let modifications, let inserted, let deleted):
            return "update \(sections.count) -\(list(deletions)) +\(list(insertions)) ~\(list(modifications))"
                + " +\(Array(inserted)) -\(Array(deleted))"
        }
    }

    @Test("SC-08 changes of sections and of their elements")
    func observation() throws {
        let realm = try shelter.filled()
        let log = Log()
        let sections = realm.objects(ShelterDog.self).sectioned(by: \.breed)
        let token = sections.observe(on: DispatchQueue(label: "sections")) { log.add(words($0)) }
        #expect(eventually { log.all == ["initial 4"] })
        let dogs = realm.objects(ShelterDog.self)
        try realm.write { dogs[1].age = 30 }
        // Through their keeper, four dogs lead to each other (NO-06).
        #expect(eventually { log.last == "update 4 -[] +[] ~[1.0 2.0 2.1 3.0] +[] -[]" })
        try realm.write { for dog in dogs { dog.keeper = nil } }
        #expect(eventually { log.last == "update 4 -[] +[] ~[0.0 1.0 1.1 2.0 2.1 3.0] +[] -[]" })
        try realm.write { dogs[1].age = 31 }
        #expect(eventually { log.last == "update 4 -[] +[] ~[1.0] +[] -[]" })
        try realm.write { realm.add(ShelterDog(9, "Zoe", breed: "boxer")) }
        #expect(eventually { log.last == "update 4 -[] +[2.2] ~[] +[] -[]" })
        try realm.write { dogs[3].breed = "dingo" }
        #expect(eventually { log.last == "update 4 -[] +[3.0] ~[] +[3] -[3]" })
        try realm.write { dogs[0].breed = "beagle" }
        #expect(eventually { log.last == "update 4 -[2.0] +[1.0] ~[] +[] -[]" })
        try realm.write { realm.delete(dogs.where { $0.breed == "akita" }) }
        #expect(eventually { log.last == "update 3 -[] +[] ~[] +[] -[0]" })
        token.invalidate()
        try realm.write { realm.deleteAll() }
        #expect(log.all.count == 8)
    }

    @Test("SC-08 a section tells of its own changes only")
    func sectionObservation() throws {
        let realm = try shelter.filled()
        try realm.write { for dog in realm.objects(ShelterDog.self) { dog.keeper = nil } }
        let log = Log()
        let beagles = realm.objects(ShelterDog.self).sectioned(by: \.breed)[1]
        let token = beagles.observe(on: DispatchQueue(label: "section")) { log.add(words($0)) }
        #expect(eventually { log.all == ["initial 2"] })
        let dogs = realm.objects(ShelterDog.self)
        try realm.write { dogs[0].age = 30 }
        try realm.write { dogs[4].age = 30 }
        #expect(eventually { log.last == "update 2 -[] +[] ~[1.1] +[] -[]" })
        #expect(log.all.count == 2)
        try realm.write { for id in [1, 4] { dogs[id].breed = "boxer" } }
        #expect(eventually { log.last == "update 0 -[] +[] ~[] +[] -[1]" })
        try realm.write { dogs[1].breed = "beagle" }
        #expect(eventually { log.last == "update 1 -[] +[1.0] ~[] +[1] -[]" })
        token.invalidate()
    }

    @Test("SC-08 key paths leave out other properties")
    func keyPaths() throws {
        let realm = try shelter.filled()
        let log = Log()
        let sections = realm.objects(ShelterDog.self).sectioned(by: \.breed)
        let queue = DispatchQueue(label: "sections")
        let tokens = [
            sections.observe(keyPaths: ["age"], on: queue) { log.add("names " + words($0)) },
            sections.observe(keyPaths: [\ShelterDog.name], on: queue) { log.add("paths " + words($0)) }
        ]
        #expect(eventually { log.all.count == 2 })
        let dogs = realm.objects(ShelterDog.self)
        try realm.write { dogs[1].age = 30 }
        try realm.write { dogs[1].name = "Eva" }
        #expect(eventually { log.all.count == 4 })
        #expect(
            Set(log.all.suffix(2)) == [
                "names update 4 -[] +[] ~[1.0] +[] -[]", "paths update 4 -[] +[] ~[1.0] +[] -[]"
            ])
        #expect(log.all[2].hasPrefix("names"))
        for token in tokens { token.invalidate() }
    }

    private actor Watcher {
        func watch(_ configuration: Realm.Configuration, _ log: Log) async throws -> [NotificationToken] {
            let realm = try await Realm(configuration: configuration, actor: self)
            let sections = realm.objects(ShelterDog.self).sectioned(by: \.breed)
            let all = await sections.observe(on: self) { _, change in
                if case .update(let sections, _, _, _, _, let deleted) = change {
                    log.add("all \(sections.count) \(Array(deleted))")
                }
            }
            let one = await sections[0].observe(keyPaths: ["age"], on: self) { _, change in
                if case .initial(let section) = change { log.add("one \(section.key)") }
            }
            return [all, one]
        }
    }

    @Test("SC-08 NO-09 on an actor")
    func actors() async throws {
        _ = try shelter.filled()
        let log = Log()
        let watcher = Watcher()
        let tokens = try await watcher.watch(shelter.configuration, log)
        #expect(await settled { log.all == ["one akita"] })
        try deleteCollies()
        #expect(await settled { log.last == "all 3 [3]" })
        for token in tokens { token.invalidate() }
    }

    private func deleteCollies() throws {
        let realm = try Realm(configuration: shelter.configuration)
        try realm.write { realm.delete(realm.objects(ShelterDog.self).where { $0.breed == "collie" }) }
    }

    @Test("SC-09 index paths have section and item")
    func indexPaths() {
        var path = IndexPath(item: 3, section: 7)
        #expect(path.section == 7 && path.item == 3)
        #expect(Array(path) == [7, 3])
        path.item = 4
        #expect(path == IndexPath(indexes: [7, 4]))
    }

    @Test("SC-10 the protocol and the names of iterators")
    func names() throws {
        func first<S: RealmSectionedResult>(_ sections: S) -> S.Element? { sections.first }
        let sections = try shelter.filled().objects(ShelterDog.self).sectioned(by: \.breed)
        #expect(first(sections)?.key == "akita")
        #expect(first(sections[1])?.name == "Ada")
        var iterator: RLMSectionedResultsIterator<String, ShelterDog> = sections.makeIterator()
        #expect(iterator.next()?.key == "akita")
        var elements: RLMSectionIterator<ShelterDog> = sections[2].makeIterator()
        #expect(elements.next()?.id == 0)
        #expect(elements.next()?.id == 2)
        #expect(elements.next()?.id == nil)
        let change: RealmSectionedResultsChange<SectionedResults<String, ShelterDog>> = .initial(sections)
        if case .initial(let same) = change { #expect(same == sections) }
    }

    @Test(
        "MK-39, MK-40 mistakes trap",
        arguments: [
            ("sections-no-descriptor", "at least one SortDescriptor"),
            ("sections-other-descriptor", "must match the primary sort descriptor"),
            ("sections-unmanaged", "unmanaged")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
