import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 22: threads, queues, frozen values; and what section 21 says of commits that some don't hear of.
@Suite("Section 22: threads and frozen values")
struct Section22ThreadsTests {
    /// Holds the directory: its file vanishes with it.
    private let shelter = Shelter()

    private func facts(_ value: some ThreadConfined) -> (Bool, Bool, Bool) {
        (value.realm != nil, value.isInvalidated, value.isFrozen)
    }

    @Test("TH-01, TH-02, TH-03: all that is confined can be frozen and thawed") func confined() throws {
        let realm = try shelter.filled()
        let dog = try #require(realm.objects(ShelterDog.self).first)
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        #expect(facts(dog) == (true, false, false) && facts(dog.freeze()) == (true, false, true))
        #expect(facts(dog.tags) == (true, false, false) && facts(dog.tags.freeze()) == (true, false, true))
        #expect(facts(dog.keepers.freeze()) == (true, false, true))
        #expect(facts(realm.objects(ShelterDog.self).freeze()) == (true, false, true))
        #expect(facts(ShelterDog()) == (false, false, false))
        let frozen = ann.freeze()
        #expect(frozen.dogs.isFrozen && frozen.dogs[0].isFrozen && frozen.dogs[0].keeper?.isFrozen == true)
        #expect(frozen.freeze() == frozen && ann.thaw() === ann)
        try realm.write { realm.delete(ann) }
        #expect(frozen.thaw() == nil && frozen.dogs.count == 4 && frozen.dogs[1].name == "Ada")
    }

    @Test("TH-04, TH-05, TH-07: references and frozen objects cross queues") func crossing() throws {
        let shelter = Shelter()
        let realm = try shelter.filled()
        let dog = try #require(realm.objects(ShelterDog.self).first)
        let reference = ThreadSafeReference(to: dog)
        @ThreadSafe var wrapped: ShelterDog?
        wrapped = dog
        let frozen = dog.freeze()
        let box = ThreadSafe(wrappedValue: dog)
        let queue = DispatchQueue(label: "kennel")
        let configuration = shelter.configuration
        let names = try queue.sync { () -> [String?] in
            let there = try Realm(configuration: configuration, queue: queue)
            let resolved = there.resolve(reference)
            return [resolved?.name, box.wrappedValue?.name, box.wrappedValue?.name, frozen.name]
        }
        #expect(names == ["Rex", "Rex", "Rex", "Rex"])
        try realm.write { realm.delete(dog) }
        #expect(wrapped == nil && frozen.name == "Rex")
    }

    @Test("NO-10, WR-02: a commit that one observer doesn't hear of") func skipping() throws {
        let shelter = Shelter()
        let log = Log()
        let queue = DispatchQueue(label: "observer")
        nonisolated(unsafe) var tokens: [NotificationToken] = []
        _ = try shelter.filled()
        try queue.sync {
            let there = try Realm(configuration: shelter.configuration, queue: queue)
            for name in ["a", "b"] {
                tokens.append(
                    there.objects(ShelterDog.self).observe { change in
                        if case .update(_, let deletions, let insertions, _) = change {
                            log.add("\(name) -\(deletions.count) +\(insertions.count)")
                        } else {
                            log.add("\(name) initial")
                        }
                    })
            }
        }
        #expect(eventually { log.all.count == 2 })
        try queue.sync {
            let there = try Realm(configuration: shelter.configuration, queue: queue)
            try there.write(withoutNotifying: [tokens[0]]) { there.add(ShelterDog(20, "Zeus")) }
            try there.write { there.add(ShelterDog(21, "Ares")) }
        }
        #expect(eventually { log.all.count >= 4 })
        queue.sync { tokens = [] }
        #expect(log.all.filter { $0.hasPrefix("a") } == ["a initial", "a -0 +1"])
        #expect(log.all.filter { $0.hasPrefix("b") }.count >= 2)
    }

    @Test("XR-11: autoreleasepool runs its block, and hands on what it returns and throws") func pool() throws {
        struct Thrown: Error {}
        #expect(autoreleasepool { 3 } == 3)
        #expect(throws: Thrown.self) { try autoreleasepool { throw Thrown() } }
    }
}
