import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

/// What observers of collections are told (NO-02, NO-03, NO-09).
struct CollectionObservationTests {
    private let fixture = PackFixture()

    private final class Log: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        func add(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }

        func note<C: RealmCollection>(_ change: RealmCollectionChange<C>) {
            switch change {
            case .initial(let collection): add("initial \(collection.count)")
            case .update(let collection, let deletions, let insertions, let modifications):
                add("update \(collection.count) \(deletions) \(insertions) \(modifications)")
            case .error(let error): add("error \(error)")
            }
        }
    }

    @Test func resultsOnAQueue() throws {
        let realm = try fixture.filled()
        let log = Log()
        let queue = DispatchQueue(label: "observing")
        let token = realm.objects(Hound.self).where { $0.age > 4 }.observe(on: queue) { log.note($0) }
        #expect(eventually { log.all == ["initial 3"] })
        try realm.write {
            realm.objects(Hound.self)[0].age = 11
            realm.objects(Hound.self)[1].age = 1
            realm.add(Hound(8, "New", age: 5))
        }
        #expect(eventually { log.all.last == "update 3 [1] [2] [0]" })
        token.invalidate()
    }

    @Test("NO-06 what links lead to counts, also if nothing else changed")
    func linkedObjects() throws {
        let realm = try fixture.filled()
        let log = Log()
        let queue = DispatchQueue(label: "observing")
        let token = realm.objects(Hound.self).observe(on: queue) { log.note($0) }
        #expect(eventually { log.all == ["initial 5"] })
        try realm.write { realm.objects(Master.self)[0].city = "Lviv" }
        #expect(eventually { log.all.last == "update 5 [] [] [0, 2, 4]" })
        token.invalidate()
    }

    @Test("NO-07 key paths through inverse links: who links, and what those have")
    func inverseLinks() throws {
        let realm = try fixture.filled()
        let (who, what) = (Log(), Log())
        let queue = DispatchQueue(label: "observing")
        let hounds = realm.objects(Hound.self)
        let tokens = [
            hounds.observe(keyPaths: ["packs"], on: queue) { who.note($0) },
            hounds.where { $0.age > 4 }.observe(keyPaths: [\.packs[0].name], on: queue) { what.note($0) }
        ]
        #expect(eventually { who.all == ["initial 5"] && what.all == ["initial 3"] })
        try realm.write { hounds[1].age += 1 }
        try realm.write { realm.objects(Pack.self)[0].leader = hounds[0] }
        try realm.write { realm.objects(Pack.self)[0].hounds.remove(at: 2) }
        #expect(eventually { who.all.last == "update 5 [] [] [2]" && what.all.last == "update 3 [] [] [2]" })
        #expect(who.all.count == 2 && what.all.count == 2, "ages and leaders don't count")
        let pack = Pack("few")
        pack.hounds.append(hounds[0])
        try realm.write { realm.add(pack) }
        #expect(eventually { who.all.last == "update 5 [] [] [0]" && what.all.last == "update 3 [] [] [0]" })
        try realm.write { realm.delete(pack) }
        #expect(eventually { who.all.count == 4 && what.all.count == 4 })
        for token in tokens { token.invalidate() }
    }

    @Test("NO-07 an object's inverse links")
    func inverseLinksOfAnObject() throws {
        let realm = try fixture.filled()
        let log = Log()
        let queue = DispatchQueue(label: "observing")
        let hound = realm.objects(Hound.self)[0]
        let token = hound.observe(keyPaths: ["packs.leader.age", "age"], on: queue) { (change: ObjectChange<Hound>) in
            guard case .change(let hound, let properties) = change else { return log.add("gone") }
            log.add("\(hound.id) \(properties.map(\.name).sorted())")
        }
        queue.sync {}
        try realm.write { realm.objects(Pack.self)[0].leader = realm.objects(Hound.self)[3] }
        #expect(eventually { log.all == ["0 [\"packs\"]"] })
        try realm.write { realm.objects(Hound.self)[3].age += 1 }
        #expect(eventually { log.all.count == 2 && log.all.last == "0 [\"packs\"]" })
        try realm.write {
            hound.age = 20
            realm.delete(realm.objects(Pack.self)[0])
        }
        #expect(eventually { log.all.last == "0 [\"age\", \"packs\"]" })
        token.invalidate()
    }

    @Test func listsOnAnActor() async throws {
        let configuration = fixture.configuration
        _ = try fixture.filled()
        let log = Log()
        let watcher = Watcher()
        let token = try await watcher.watch(configuration, log.note)
        #expect(await settled { log.all == ["initial 5"] })
        try removeThird(configuration)
        #expect(await settled { log.all.last == "update 4 [2] [] []" })
        token.invalidate()
    }

    /// As `eventually`, without holding the thread that the actor may need.
    private func settled(_ condition: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    private func removeThird(_ configuration: Realm.Configuration) throws {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.objects(Pack.self)[0].hounds.remove(at: 2) }
    }

    private actor Watcher {
        func watch(
            _ configuration: Realm.Configuration,
            _ note: @Sendable @escaping (RealmCollectionChange<List<Hound>>) -> Void
        ) async throws -> NotificationToken {
            let realm = try await Realm(configuration: configuration, actor: self)
            return await realm.objects(Pack.self)[0].hounds.observe(on: self) { _, change in note(change) }
        }
    }
}
