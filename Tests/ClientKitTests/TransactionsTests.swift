import Foundation
import Model
import Query
import Store
import TestSupport
import Testing

@testable import ClientKit

@Suite("Transactions")
struct TransactionsTests {
    @Test("WR-01: what a transaction did is there for it at once, and for others when it has returned")
    func commit() throws {
        let fixture = RealmFixture()
        let realm = try fixture.open()
        let rex = try realm.realm.write { () throws -> ObjectKey in
            let rex = realm.addDog(1, "Rex", age: 3)
            #expect(realm.name(rex) == "Rex")
            #expect(realm.dog(1) == rex)
            #expect(try realm.dogCount == 1)
            return rex
        }
        #expect(realm.dog(1) == rex, "the key is the one that was foreseen")
        #expect(realm.name(rex) == "Rex")
        #expect(realm.age(rex) == 3)
        let other = try onThread { () -> String in
            let realm = try fixture.open()
            return realm.dog(1).map { realm.name($0) } ?? "missing"
        }
        #expect(other == "Rex")
    }

    @Test("every type of value is the same before and after the commit")
    func values() throws {
        let realm = try RealmFixture().open()
        let long = String(repeating: "long ", count: 1000)
        let photo = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0) })
        let instant = Timestamp(seconds: -5, nanoseconds: -250)
        func check(_ dog: ObjectKey, _ person: ObjectKey, _ when: Comment) {
            #expect(realm.name(dog) == long, when)
            #expect(realm.core.value(realm.dogs, dog, realm.column("weight")) == .double(1.5), when)
            #expect(realm.core.value(realm.dogs, dog, realm.column("born")) == .timestamp(instant), when)
            #expect(realm.core.linkKey(realm.dogs, dog, realm.column("owner")) == person, when)
            #expect(
                realm.core.value(realm.people, person, realm.column("photo", realm.people)) == .binary(photo), when)
            #expect(
                realm.core.listCells(realm.dogs, dog, realm.column("tricks"))
                    == [.value(.string("sit")), .value(.string("roll"))], when)
        }
        let (dog, person) = try realm.realm.write {
            let dog = realm.addDog(7, long)
            let person = realm.addPerson("Ann")
            realm.core.set(realm.people, person, realm.column("photo", realm.people), .binary(photo))
            realm.core.set(realm.dogs, dog, realm.column("weight"), .double(1.5))
            realm.core.set(realm.dogs, dog, realm.column("born"), .timestamp(instant))
            realm.core.setLink(realm.dogs, dog, realm.column("owner"), person)
            realm.core.listInsert(realm.dogs, dog, realm.column("tricks"), at: 0, .value(.string("roll")))
            realm.core.listInsert(realm.dogs, dog, realm.column("tricks"), at: 0, .value(.string("sit")))
            check(dog, person, "before")
            return (dog, person)
        }
        check(dog, person, "after")
    }

    @Test("unassigned properties of a new object are null, zero or empty")
    func zeros() throws {
        let realm = try RealmFixture().open()
        let dog = try realm.realm.write {
            let dog = realm.core.create(realm.dogs, .int(1))
            #expect(realm.core.value(realm.dogs, dog, realm.column("weight")) == .null)
            #expect(realm.age(dog) == 0 && realm.name(dog) == "")
            return dog
        }
        #expect(realm.core.value(realm.dogs, dog, realm.column("weight")) == .null)
        #expect(realm.age(dog) == 0 && realm.name(dog) == "")
    }

    @Test("WR-05: cancelling restores everything; what was created is invalid, also when its key is given out again")
    func cancel() throws {
        let realm = try RealmFixture().open()
        let rex = try realm.realm.write { realm.addDog(1, "Rex", age: 3) }
        realm.realm.beginWrite()
        let ghost = realm.addDog(2, "Ghost")
        realm.setAge(rex, 4)
        let generation = realm.core.access.pointee.generation
        realm.realm.cancelWrite()
        #expect(realm.age(rex) == 3)
        #expect(realm.dog(2) == nil)
        #expect(!realm.exists(ghost, generation: generation))
        let real = try realm.realm.write { realm.addDog(3, "Real") }
        #expect(real == ghost, "the test needs the key to come again")
        #expect(!realm.exists(ghost, generation: generation))
        #expect(realm.exists(real))
    }

    @Test("a block that throws leaves nothing")
    func throwing() throws {
        struct Failure: Error {}
        let realm = try RealmFixture().open()
        #expect(throws: Failure.self) {
            try realm.realm.write {
                realm.addDog(1)
                throw Failure()
            }
        }
        #expect(try realm.dogCount == 0)
        #expect(!realm.realm.isInWriteTransaction)
        try realm.realm.write { realm.addDog(1) }
        #expect(try realm.dogCount == 1)
    }

    @Test("C-120: a deleted object leaves links and lists, in the transaction and after it")
    func deletion() throws {
        let realm = try RealmFixture().open()
        let (a, b, c, owner) = try realm.realm.write {
            let (a, b, c) = (realm.addDog(1, "a"), realm.addDog(2, "b"), realm.addDog(3, "c"))
            let owner = realm.addPerson("Ann")
            for friend in [b, c, b] { realm.link(a, to: friend) }
            realm.core.setLink(realm.dogs, a, realm.column("owner"), owner)
            return (a, b, c, owner)
        }
        try realm.realm.write { () throws in
            // A link that only the transaction knows.
            realm.link(c, to: b)
            realm.core.delete(realm.dogs, b)
            realm.core.delete(realm.people, owner)
            #expect(realm.friends(a) == [c])
            #expect(realm.friends(c).isEmpty)
            #expect(realm.core.linkKey(realm.dogs, a, realm.column("owner")) == nil)
            #expect(!realm.exists(b))
            #expect(try realm.dogCount == 2)
        }
        #expect(realm.friends(a) == [c])
        #expect(realm.friends(c).isEmpty)
        #expect(realm.core.linkKey(realm.dogs, a, realm.column("owner")) == nil)
        #expect(realm.dog(2) == nil)
        let again = try realm.realm.write { realm.addDog(2, "again") }
        #expect(again != b, "object keys are never used twice")
    }

    @Test("backlinks see the transaction's links")
    func backlinks() throws {
        let realm = try RealmFixture().open()
        let owned = { (owner: ObjectKey) in
            realm.core.backlinks(to: realm.people, owner, from: realm.dogs, realm.column("owner"))
        }
        let (dog, ann) = try realm.realm.write {
            let (dog, ann) = (realm.addDog(1), realm.addPerson("Ann"))
            realm.core.setLink(realm.dogs, dog, realm.column("owner"), ann)
            #expect(owned(ann) == [dog])
            return (dog, ann)
        }
        #expect(owned(ann) == [dog])
        try realm.realm.write {
            let bob = realm.addPerson("Bob")
            realm.core.setLink(realm.dogs, dog, realm.column("owner"), bob)
            #expect(owned(ann).isEmpty)
            #expect(owned(bob) == [dog])
        }
        #expect(owned(ann).isEmpty)
    }

    @Test("lists in a transaction are what an array would be, and the file agrees")
    func lists() throws {
        let realm = try RealmFixture().open()
        var generator = SeededGenerator(seed: randomSeed)
        let dog = try realm.realm.write { realm.addDog(1) }
        let tricks = realm.column("tricks")
        var model: [ListElement] = []
        for round in 0..<20 {
            try realm.realm.write {
                for step in 0..<10 {
                    let element = ListElement.value(.string("\(round).\(step)"))
                    let index = Int.random(in: 0...model.count, using: &generator)
                    switch Int.random(in: 0...5, using: &generator) {
                    case 0 where index < model.count:
                        realm.core.listSet(realm.dogs, dog, tricks, at: index, element)
                        model[index] = element
                    case 1 where index < model.count:
                        realm.core.listErase(realm.dogs, dog, tricks, at: index)
                        model.remove(at: index)
                    case 2 where index < model.count:
                        let to = Int.random(in: 0..<model.count, using: &generator)
                        realm.core.listMove(realm.dogs, dog, tricks, from: index, to: to)
                        model.insert(model.remove(at: index), at: to)
                    case 3 where step == 0 && round % 7 == 6:
                        realm.core.listClear(realm.dogs, dog, tricks)
                        model = []
                    default:
                        realm.core.listInsert(realm.dogs, dog, tricks, at: index, element)
                        model.insert(element, at: index)
                    }
                    #expect(realm.core.listCells(realm.dogs, dog, tricks) == model, "seed \(randomSeed)")
                }
            }
            #expect(realm.core.listCells(realm.dogs, dog, tricks) == model, "committed, seed \(randomSeed)")
        }
    }

    @Test("a transaction longer than one part arrives whole")
    func streamed() throws {
        let realm = try RealmFixture().open()
        try realm.realm.write {
            for id in 0..<20_000 { realm.addDog(Int64(id), "dog number \(id)", age: Int64(id % 17)) }
        }
        #expect(try realm.dogCount == 20_000)
        #expect(realm.dog(12_345).map { realm.name($0) } == "dog number 12345")
    }

    @Test("two threads of a process that increment lose nothing")
    func counters() throws {
        let fixture = RealmFixture()
        let key = try fixture.open().realm.write { try fixture.open().addDog(1) }
        let threads = 4
        let rounds = 50
        let failures = ClientKit.Lock<[String]>([])
        let group = DispatchGroup()
        for _ in 0..<threads {
            let thread = Thread {
                do {
                    let realm = try fixture.open()
                    for _ in 0..<rounds {
                        try realm.realm.write { realm.setAge(key, realm.age(key) + 1) }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        #expect(group.wait(timeout: .now() + 60) == .success)
        #expect(failures.withLock { $0 } == [])
        let realm = try fixture.open()
        realm.realm.refresh()
        #expect(realm.age(key) == Int64(threads * rounds))
    }

    @Test("an object whose primary key is null may be deleted and made again in one transaction")
    func nullPrimaryKey() throws {
        let fixture = RealmFixture()
        let tag = ClassSchema("Tag", primaryKey: "name", [PropertySchema("name", .string, nullable: true)])
        let realm = try Realm(
            configuration: Realm.Configuration(
                path: fixture.directory.path("tags.realm"), schema: RealmSchema([tag])))
        let core = realm.core
        let tags = try #require(core.info(className: "Tag"))
        try realm.write {
            for _ in 0..<3 {
                let key = core.create(tags, .null)
                #expect(core.find(tags, .null) == key)
                core.delete(tags, key)
                #expect(core.find(tags, .null) == nil)
            }
            _ = core.create(tags, .string(""))
            _ = core.create(tags, .null)
        }
        #expect(try core.count(CollectionQuery(tags)) == 2)
    }

    @Test("XR-06: opening twice on a thread gives one instance; elsewhere it is another")
    func instances() throws {
        let fixture = RealmFixture()
        let realm = try fixture.open().realm
        #expect(try fixture.open().realm == realm)
        let box = UnsafeTransfer(realm)
        #expect(try onThread { try fixture.open().realm != box.value })
    }
}

/// Runs `body` on a thread of its own and waits for it.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let outcome = ClientKit.Lock<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread {
        let result = Swift.Result { try body() }
        outcome.withLock { $0 = result }
        done.signal()
    }.start()
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { preconditionFailure("the thread left no result") }
    return try result.get()
}

@Suite("Queries in a transaction")
struct TransactionQueriesTests {
    private func older(than age: Int64) -> Condition {
        .comparison(
            Comparison(.path(PropertyPath(names: ["age"]), quantifier: nil), .greater, .constant(.int(age))))
    }

    private func keys(_ source: KeySource, _ realm: TestRealm) -> [ObjectKey] {
        switch source {
        case .table(let count): (0..<count).map { realm.core.key(realm.dogs, at: $0) }
        case .keys(let keys): keys
        }
    }

    @Test("a condition sees what the transaction created, changed and deleted")
    func condition() throws {
        let realm = try RealmFixture().open()
        let (a, b, c) = try realm.realm.write {
            (realm.addDog(1, age: 10), realm.addDog(2, age: 20), realm.addDog(3, age: 30))
        }
        let query = CollectionQuery(realm.dogs, condition: older(than: 15))
        #expect(keys(try realm.core.evaluate(query), realm) == [b, c])
        try realm.realm.write { () throws in
            #expect(keys(try realm.core.evaluate(query), realm) == [b, c])
            let d = realm.addDog(4, age: 40)
            realm.setAge(a, 16)
            realm.core.delete(realm.dogs, c)
            #expect(keys(try realm.core.evaluate(query), realm) == [a, b, d])
            #expect(try realm.core.count(query) == 3)
            realm.setAge(b, 1)
            #expect(keys(try realm.core.evaluate(query), realm) == [a, d])
            #expect(try realm.core.aggregate(.sum, PropertyPath(names: ["age"]), over: query) == .int(56))
        }
        #expect(try realm.core.count(query) == 2)
    }

    @Test("all objects: created ones at the end, deleted ones gone, without asking the agent")
    func wholeTable() throws {
        let realm = try RealmFixture().open()
        let (a, b) = try realm.realm.write { (realm.addDog(1), realm.addDog(2)) }
        let query = CollectionQuery(realm.dogs)
        try realm.realm.write { () throws in
            let c = realm.addDog(3)
            realm.core.delete(realm.dogs, a)
            #expect(keys(try realm.core.evaluate(query), realm) == [b, c])
            realm.core.delete(realm.dogs, c)
            #expect(keys(try realm.core.evaluate(query), realm) == [b])
        }
        #expect(keys(try realm.core.evaluate(query), realm) == [b])
    }

    @Test("a query on a list keeps to the list, as often as objects occur, sorted if asked for")
    func list() throws {
        let realm = try RealmFixture().open()
        let (a, b, c) = try realm.realm.write {
            let (a, b, c) = (realm.addDog(1, age: 1), realm.addDog(2, age: 20), realm.addDog(3, age: 30))
            for friend in [c, b, a, c] { realm.link(a, to: friend) }
            return (a, b, c)
        }
        let source = ObjectSource.list(owner: realm.dogs, key: a, column: realm.column("friends"))
        let all = CollectionQuery(realm.dogs, source: source)
        let some = CollectionQuery(realm.dogs, source: source, condition: older(than: 15))
        let sorted = CollectionQuery(
            realm.dogs, source: source, descriptors: [.sort([SortKey(PropertyPath(names: ["age"]))])])
        #expect(keys(try realm.core.evaluate(all), realm) == [c, b, a, c])
        #expect(keys(try realm.core.evaluate(some), realm) == [c, b, c])
        #expect(keys(try realm.core.evaluate(sorted), realm) == [a, b, c, c])
        try realm.realm.write { () throws in
            realm.setAge(a, 16)
            #expect(keys(try realm.core.evaluate(some), realm) == [c, b, a, c])
            realm.setAge(c, 2)
            #expect(keys(try realm.core.evaluate(sorted), realm) == [c, c, a, b])
        }
        #expect(keys(try realm.core.evaluate(some), realm) == [b, a])
    }
}
