import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// Scenarios of the sample programs, each under its number.
@Suite("Sample programs")
struct SeedScenarioTests {
    @Test("S6, TH-06, XR-05: on the main actor a realm is used before and after suspension points")
    @MainActor func mainActor() async throws {
        let shelter = Shelter()
        let realm = try await Realm(configuration: shelter.configuration)
        try await realm.asyncWrite { _ = realm.create(ShelterDog.self, value: ["id": 1, "name": "Rex"]) }
        await withCheckedContinuation { continuation in DispatchQueue.global().async { continuation.resume() } }
        let dog = try #require(realm.objects(ShelterDog.self).first)
        await Task.yield()
        #expect(dog.name == "Rex")
        try realm.write { dog.name = "Ada" }
        #expect(realm.objects(ShelterDog.self).where { $0.name == "Ada" }.count == 1)
    }

    @Test("S6, XR-05: a realm that was opened without isolation and is used after a change of threads traps")
    func hopping() throws {
        try expectTrap("S6 hopping", "incorrect thread")
    }

    /// A view model: a plain class that shows what a query finds.
    private final class DogList: @unchecked Sendable {
        // Only used on `queue`.
        let queue = DispatchQueue(label: "view model")
        private(set) var names: [String]?
        private var token: NotificationToken?

        func begin(_ configuration: Realm.Configuration) throws {
            try queue.sync {
                let realm = try Realm(configuration: configuration, queue: queue)
                let dogs = realm.objects(ShelterDog.self).sorted(byKeyPath: "name")
                token = dogs.observe { [weak self] _ in self?.names = dogs.map(\.name) }
            }
        }

        var shown: [String]? { queue.sync { names } }
    }

    @Test("S12, NO-02: outside of a view, a view model observes the same data") func viewModel() throws {
        let shelter = Shelter()
        let realm = try shelter.filled()
        let list = DogList()
        try list.begin(shelter.configuration)
        #expect(eventually { list.shown == ["Ada", "Bello", "Ben", "Ivo", "Rex", "Rolf"] })
        try realm.write { realm.add(ShelterDog(9, "Zeus")) }
        #expect(eventually { list.shown?.last == "Zeus" })
    }

    @Test("S24, OB-16: an object shown elsewhere is changed in one transaction, and its deletion traps nobody")
    func observedObject() throws {
        let shelter = Shelter()
        let realm = try shelter.filled()
        let shown = try #require(realm.objects(ShelterDog.self).first).freeze()
        let queue = DispatchQueue(label: "view")
        nonisolated(unsafe) var changes: [String] = []
        let token = try #require(shown.thaw()).observe(keyPaths: nil, on: queue) {
            (change: ObjectChange<ShelterDog>) in
            switch change {
            case .change(let dog, let properties): changes.append("\(properties.map(\.name)) \(dog.name)")
            case .deleted: changes.append("deleted")
            case .error: changes.append("error")
            }
        }
        // What a binding does: the live object of this thread, in a transaction of its own.
        let live = try #require(shown.thaw())
        // The observer joins on its queue, which knows the realm by then.
        queue.sync {}
        try realm.write { live.name = "Max" }
        #expect(eventually { queue.sync { changes } == ["[\"name\"] Max"] })
        try realm.write { realm.delete(live) }
        #expect(eventually { queue.sync { changes.last } == "deleted" })
        #expect(shown.name == "Rex" && shown.thaw() == nil && live.isInvalidated)
        token.invalidate()
    }
}
