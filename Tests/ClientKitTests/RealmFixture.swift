import Foundation
import Model
import Store
import TestSupport

@testable import ClientKit

/// A realm of dogs and people, used without the object model: what is tested is underneath it.
struct RealmFixture {
    static let schema = RealmSchema([
        ClassSchema(
            "Dog", primaryKey: "_id",
            [
                PropertySchema("_id", .int), PropertySchema("name", .string), PropertySchema("age", .int),
                PropertySchema("weight", .double, nullable: true), PropertySchema("born", .timestamp, nullable: true),
                PropertySchema("owner", .link, nullable: true, target: "Person"),
                PropertySchema("friends", .link, collection: .list, target: "Dog"),
                PropertySchema("tricks", .string, collection: .list)
            ]),
        ClassSchema("Person", [PropertySchema("name", .string), PropertySchema("photo", .binary, nullable: true)])
    ])

    let directory: TemporaryDirectory
    let configuration: Realm.Configuration

    init() {
        SharedAgent.ensure()
        directory = TemporaryDirectory()
        configuration = Realm.Configuration(path: directory.path("test.realm"), schema: Self.schema)
    }

    func open(_ queue: DispatchQueue? = nil) throws -> TestRealm {
        TestRealm(try Realm(configuration: configuration, queue: queue), self)
    }
}

/// A realm with the few words that the tests use.
struct TestRealm {
    let realm: Realm
    let core: RealmCore
    let dogs: ClassInfo
    let people: ClassInfo

    /// Keeps the file.
    let fixture: RealmFixture

    init(_ realm: Realm, _ fixture: RealmFixture) {
        self.fixture = fixture
        self.realm = realm
        core = realm.core
        guard let dogs = realm.core.info(className: "Dog"), let people = realm.core.info(className: "Person") else {
            preconditionFailure("the test's classes are missing")
        }
        self.dogs = dogs
        self.people = people
    }

    func column(_ name: String, _ info: ClassInfo? = nil) -> StoredColumn {
        guard let column = (info ?? dogs).table.column(named: name) else { preconditionFailure("no \(name)") }
        return column
    }

    @discardableResult
    func addDog(_ id: Int64, _ name: String = "", age: Int64 = 0) -> ObjectKey {
        let key = core.create(dogs, .int(id))
        core.set(dogs, key, column("name"), .string(name))
        core.set(dogs, key, column("age"), .int(age))
        return key
    }

    @discardableResult
    func addPerson(_ name: String) -> ObjectKey {
        let key = core.create(people, nil)
        core.set(people, key, column("name", people), .string(name))
        return key
    }

    func name(_ key: ObjectKey) -> String {
        if case .string(let name) = core.value(dogs, key, column("name")) { name } else { "null" }
    }

    func age(_ key: ObjectKey) -> Int64 {
        if case .int(let age) = core.value(dogs, key, column("age")) { age } else { -1 }
    }

    func setAge(_ key: ObjectKey, _ age: Int64) {
        core.set(dogs, key, column("age"), .int(age))
    }

    func dog(_ id: Int64) -> ObjectKey? { core.find(dogs, .int(id)) }

    /// The dog, which must be there.
    func found(_ id: Int64) throws -> ObjectKey {
        guard let key = dog(id) else { throw TestFailure("no dog \(id)") }
        return key
    }

    func owner(_ dog: ObjectKey) throws -> ObjectKey {
        guard let owner = core.linkKey(dogs, dog, column("owner")) else { throw TestFailure("no owner") }
        return owner
    }

    var dogCount: Int { get throws { try core.count(CollectionQuery(dogs)) } }

    func link(_ key: ObjectKey, to friend: ObjectKey) {
        core.listInsert(
            dogs, key, column("friends"), at: core.listCount(dogs, key, column("friends")), .link(friend))
    }

    func friends(_ key: ObjectKey) -> [ObjectKey] {
        core.listCells(dogs, key, column("friends")).compactMap { if case .link(let key) = $0 { key } else { nil } }
    }

    func exists(_ key: ObjectKey, generation: UInt64 = 0) -> Bool {
        if case .missing = core.locate(dogs, key, generation: generation) { false } else { true }
    }
}
