import Foundation
import Model
import RealmSwift
import TestSupport
import Testing
import Wire

@testable import ClientKit

@Suite("Opening a file again, with other classes or read-only")
struct OpeningTests {
    private let fixture = RealmFixture()

    private func configuration(_ classes: [ClassSchema], readOnly: Bool = false) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            path: fixture.configuration.fileURL?.path ?? "", schema: RealmSchema(classes))
        configuration.readOnly = readOnly
        return configuration
    }

    @Test("a version that was found while adding a class is pinned for as long as it is read")
    func joining() throws {
        let cat = ClassSchema("Cat", [PropertySchema("name", .string)])
        let first = try fixture.open()
        try first.realm.write { first.addDog(1) }
        let wider = configuration(RealmFixture.schema.classes + [cat])
        try onThread {
            let core = try Realm(configuration: wider).core
            let handle = try core.coordinator.handle()
            let pin = try #require(core.grant.pin?.id(on: handle.link))
            let reply = try handle.link.call(
                ReadCount(realm: handle.realm, pin: pin, query: QueryRequest("Cat")))
            #expect(reply.version == core.version)
        }
    }

    @Test(
        "CF-08: read-only opening refuses a file whose properties are others",
        arguments: [
            ClassSchema("Person", [PropertySchema("name", .int)]),
            ClassSchema("Person", [PropertySchema("name", .string, nullable: true)]),
            ClassSchema("Person", [PropertySchema("name", .string, collection: .list)]),
            ClassSchema("Person", [PropertySchema("name", .string), PropertySchema("age", .int)]),
            ClassSchema("Person", primaryKey: "name", [PropertySchema("name", .string)]),
            ClassSchema("Cat", [PropertySchema("name", .string)])
        ])
    func readOnlyMismatch(other: ClassSchema) throws {
        _ = try fixture.open().realm.write {}
        let file = configuration([other], readOnly: true)
        let error = try onThread {
            #expect(throws: Realm.Error.self) { try Realm(configuration: file) }
        }
        #expect(error?.code == .schemaMismatch, "\(error?.localizedDescription ?? "")")
    }

    @Test("CF-08: read-only opening needs only some of the classes and properties, in any order")
    func readOnlySubset() throws {
        let realm = try fixture.open()
        let ann = try realm.realm.write { realm.addPerson("Ann") }
        let copy = fixture.directory.path("copy.realm")
        try realm.realm.writeCopy(toFile: URL(fileURLWithPath: copy))
        var file = Realm.Configuration(
            path: copy,
            schema: RealmSchema([ClassSchema("Person", [PropertySchema("name", .string, indexed: true)])]))
        file.readOnly = true
        let core = try Realm(configuration: file).core
        let people = try #require(core.info(className: "Person"))
        #expect(core.value(people, ann, people.columns[0]) == .string("Ann"))
    }

    /// A class of the same name as another, with the same properties.
    private enum Elsewhere {
        class Master: Object {
            @Persisted(primaryKey: true) var name: String
            @Persisted var city: String
            override class func shouldIncludeInDefaultSchema() -> Bool { false }
        }
    }

    @Test("RE-12: in one place, a file that is open isn't opened with classes that its instance doesn't have")
    func otherClasses() throws {
        let fixture = PackFixture()
        let realm = try Realm(configuration: fixture.configuration)
        var other = fixture.configuration
        other.objectTypes = [Master.self]
        #expect(try Realm(configuration: other) == realm, "some of its classes are no others")
        for types: [ObjectBase.Type] in [[Master.self, Mapped.self], [Elsewhere.Master.self]] {
            other.objectTypes = types
            let error = #expect(throws: Realm.Error.self) { try Realm(configuration: other) }
            #expect(error?.code == .schemaMismatch)
        }
        #expect(realm.core.coordinator.newest.version == realm.core.version, "the file wasn't changed for it")
    }

    @Test("elsewhere a file may be open with other classes, and with other Swift classes of the same name")
    func otherClassesElsewhere() throws {
        let fixture = PackFixture()
        let realm = try fixture.filled()
        let frozen = UnsafeTransfer(try #require(realm.objects(Hound.self).first).freeze())
        let names = try onThread {
            var other = fixture.configuration
            other.objectTypes = [Elsewhere.Master.self, Mapped.self]
            let realm = try Realm(configuration: other)
            try realm.write { realm.create(Elsewhere.Master.self, value: ["name": "Bob"]) }
            let hound = frozen.value.thaw()
            return realm.objects(Elsewhere.Master.self).map(\.name) + [hound?.name ?? "missing"]
        }
        #expect(names == ["Ann", "Bob", "Rex"])
        realm.refresh()
        #expect(realm.objects(Master.self).map(\.name) == ["Ann", "Bob"])
    }
}
