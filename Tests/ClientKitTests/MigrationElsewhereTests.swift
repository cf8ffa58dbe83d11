import Foundation
import Model
import Store
import TestSupport
import Testing
import Wire

@testable import ClientKit

/// What happens to a realm that is open while another process migrates its file.
@Suite("A file that is migrated while it is open here")
struct MigrationElsewhereTests {
    private let fixture = RealmFixture()

    /// The other process: opens the file with other classes.
    private func migrate(_ classes: [ClassSchema], version: UInt64, wipe: Bool = false) throws {
        let client = try BlockingClient(to: SocketLocation.resolve(), client: "other", timeout: .seconds(10))
        _ = try client.call(
            RealmOpen(
                path: fixture.configuration.fileURL?.path ?? "", schema: RealmSchema(classes), schemaVersion: version,
                create: false, deleteIfMigrationNeeded: wipe))
    }

    private var person: ClassSchema { RealmFixture.schema.classes[1] }

    private func dog(_ change: (inout [PropertySchema]) -> Void) -> ClassSchema {
        var properties = RealmFixture.schema.classes[0].properties
        change(&properties)
        return ClassSchema("Dog", primaryKey: "_id", properties)
    }

    private func expectLeftBehind(_ realm: TestRealm, _ rex: ObjectKey) throws {
        let version = realm.core.version
        #expect(!realm.realm.refresh())
        #expect(realm.core.version == version)
        #expect(realm.name(rex) == "Rex" && realm.age(rex) == 7)
        #expect(try realm.dogCount == 1)
        for isBlind in [false, true] {
            let error = #expect(throws: Realm.Error.self) {
                try realm.realm.write { if isBlind { realm.addDog(2) } else { realm.setAge(rex, 8) } }
            }
            #expect(error?.code == .schemaMismatch, "\(error?.localizedDescription ?? "")")
            #expect(!realm.realm.isInWriteTransaction)
        }
        #expect(realm.name(rex) == "Rex" && realm.age(rex) == 7)
    }

    @Test("properties that were dropped or moved are still read where they were, and writing throws")
    func droppedProperty() throws {
        let realm = try fixture.open()
        let rex = try realm.realm.write { realm.addDog(1, "Rex", age: 7) }
        try migrate([dog { $0.remove(at: 1) }, person], version: 1)
        try expectLeftBehind(realm, rex)
    }

    @Test("a file that was emptied for other classes keeps its former objects for those who read them")
    func wiped() throws {
        let realm = try fixture.open()
        let rex = try realm.realm.write { realm.addDog(1, "Rex", age: 7) }
        try migrate([dog { $0[2] = PropertySchema("age", .string) }, person], version: 1, wipe: true)
        try expectLeftBehind(realm, rex)
    }

    @Test("without a look at the realm in between, a transaction that only creates objects throws, too")
    func blindFirst() throws {
        let realm = try fixture.open()
        let rex = try realm.realm.write { realm.addDog(1, "Rex", age: 7) }
        try migrate([dog { $0.remove(at: 1) }, person], version: 1)
        #expect(throws: Realm.Error.self) { try realm.realm.write { realm.addDog(2, "Bello") } }
        try expectLeftBehind(realm, rex)
    }

    @Test("observers aren't called with what they can't read")
    func observer() throws {
        let queue = DispatchQueue(label: "observer")
        let calls = ClientKit.Lock(0)
        nonisolated(unsafe) var realm: TestRealm?
        nonisolated(unsafe) var token: NotificationToken?
        try queue.sync {
            let opened = try fixture.open(queue)
            token = opened.core.observe(.results(CollectionQuery(opened.dogs)), keyPaths: nil, on: .here) { _, _, _ in
                calls.withLock { $0 += 1 }
            }
            realm = opened
        }
        #expect(eventually { calls.withLock { $0 } == 1 })
        try migrate([dog { $0.remove(at: 1) }, person], version: 1)
        let newest = try queue.sync { try realm?.core.coordinator.pinNewest().version }
        #expect(queue.sync { realm?.core.wake() } != nil)
        queue.sync {}
        queue.sync {
            #expect(realm?.core.version != newest)
            token = nil
            realm = nil
        }
        #expect(calls.withLock { $0 } == 1)
        _ = token
    }

    @Test("classes that were added, and a higher version alone, change nothing for those who have the file open")
    func compatible() throws {
        let realm = try fixture.open()
        let rex = try realm.realm.write { realm.addDog(1, "Rex", age: 7) }
        let cat = ClassSchema("Cat", [PropertySchema("name", .string)])
        try migrate([cat], version: 1)
        try realm.realm.write { realm.setAge(rex, 8) }
        #expect(realm.age(rex) == 8)
        try migrate([dog { $0.append(PropertySchema("tail", .int)) }, person], version: 2)
        realm.realm.refresh()
        try realm.realm.write { realm.setAge(rex, 9) }
        #expect(realm.age(rex) == 9 && realm.name(rex) == "Rex")
    }
}
