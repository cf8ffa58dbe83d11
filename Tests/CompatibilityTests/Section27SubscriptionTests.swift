import Foundation
import RealmSwift
import TestSupport
import Testing

final class Item27: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var owner: String?
    @Persisted var rank: Int
    @Persisted var next: Item27?

    convenience init(_ name: String, owner: String? = nil, rank: Int = 0) {
        self.init()
        self.name = name
        self.owner = owner
        self.rank = rank
    }
}

final class Note27: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var text: String
}

/// Section 27: what a realm is subscribed to; against a server and an agent that are processes.
@Suite("Section 27: flexible-sync subscriptions", .timeLimit(.minutes(2)))
struct Section27SubscriptionTests {
    private let directory = TemporaryDirectory()
    private static var types: [ObjectBase.Type] { [Item27.self, Note27.self] }

    @MainActor private func app(_ name: String = #function) async throws -> FlexibleApp {
        try await FlexibleApp("s27-" + name.prefix { $0.isLetter || $0.isNumber }, in: directory)
    }

    @MainActor private func opened(_ app: FlexibleApp, place: String = "here") throws -> Realm {
        try Realm(configuration: app.configuration(Self.types, place: place))
    }

    @MainActor private func failure(_ body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }

    @Test("SU-01, SU-03, SU-05, SU-10, SU-11, RE-38: reading a set")
    @MainActor func reading() async throws {
        let realm = try opened(try await app())
        let subscriptions = realm.subscriptions
        #expect(subscriptions.count == 0 && subscriptions.first == nil && subscriptions.last == nil)
        let before = Date()
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Item27>(name: "mine") { $0.owner == "me" })
            subscriptions.append(
                QuerySubscription<Note27>(name: "notes"), QuerySubscription<Note27>(where: "text BEGINSWITH %@", "a"))
            #expect(subscriptions.count == 3)
            #expect(subscriptions.first(named: "notes")?.name == "notes")
        }
        #expect(subscriptions.count == 3)
        #expect(realm.subscriptions.map(\.name) == ["mine", "notes", nil])
        #expect(subscriptions.first?.name == "mine" && subscriptions.last?.name == nil)
        #expect(subscriptions[1]?.name == "notes")
        #expect(subscriptions.first(named: "nobody's") == nil)
        let mine = try #require(subscriptions.first(named: "mine"))
        #expect(mine.createdAt == mine.updatedAt)
        #expect(abs(mine.createdAt.timeIntervalSince(before)) < 30)
    }

    @Test("SU-04: the first one on a class with an equal query")
    @MainActor func equalQueries() async throws {
        let subscriptions = try opened(try await app()).subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Item27>(name: "ranked") { $0.rank > 3 && $0.owner == "me" })
            subscriptions.append(QuerySubscription<Note27>(name: "one", where: NSPredicate(format: "_id == 1")))
        }
        #expect(subscriptions.first(ofType: Item27.self, where: { $0.rank > 3 && $0.owner == "me" })?.name == "ranked")
        #expect(subscriptions.first(ofType: Item27.self, where: "rank > %@ AND owner == 'me'", 3)?.name == "ranked")
        #expect(subscriptions.first(ofType: Note27.self, where: NSPredicate(format: "_id == %@", 1))?.name == "one")
        #expect(subscriptions.first(ofType: Item27.self, where: { $0.rank > 4 }) == nil)
    }

    @Test("SU-02, SU-06: states of a set, and of handles on former ones")
    @MainActor func states() async throws {
        let app = try await app()
        let realm = try opened(app)
        let first = realm.subscriptions
        try await first.update { first.append(QuerySubscription<Item27>(name: "a")) }
        #expect(first.state == .complete)
        realm.syncSession?.suspend()
        let second = realm.subscriptions
        let completed = Told<String>()
        second.update {
            second.append(QuerySubscription<Item27>(name: "b") { $0.rank > 1 })
        } onComplete: { error in
            completed.add(error?.localizedDescription ?? "complete")
        }
        #expect(second.state == .pending && second.count == 2)
        #expect(first.state == .superseded && first.count == 2)
        #expect(completed.all.isEmpty)
        realm.syncSession?.resume()
        #expect(await soon { completed.all == ["complete"] })
        #expect(second.state == .complete)
    }

    @Test("SU-02, SU-06, SU-07, SU-10, PR-27, ER-16: a set that the server refuses, and another that mends it")
    @MainActor func refused() async throws {
        let realm = try opened(try await app())
        let subscriptions = realm.subscriptions
        let error = await failure {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Item27>(name: "linked", where: "next.rank > 1"))
            }
        }
        #expect(error.map { Realm.Error.subscriptionFailed ~= $0 } == true)
        #expect(error?.localizedDescription.contains("Item27") == true)
        guard case .error(let reason) = subscriptions.state else {
            Issue.record("the state is \(subscriptions.state)")
            return
        }
        #expect(reason.localizedDescription == error?.localizedDescription)
        let told = Told<Bool>()
        subscriptions.update {
            subscriptions.append(QuerySubscription<Item27>(name: "subquery", where: "next.next.rank > 1"))
        } onComplete: { error in
            told.add(error.map { Realm.Error.subscriptionFailed ~= $0 } ?? false)
        }
        #expect(await soon { told.all == [true] })
        try await subscriptions.update {
            subscriptions.remove(named: "linked")
            subscriptions.remove(named: "subquery")
            subscriptions.append(QuerySubscription<Item27>(name: "all"))
        }
        #expect(subscriptions.state == .complete && subscriptions.count == 1)
    }

    @Test("SU-09: an equal query without a name is there once; one with a name is another subscription")
    @MainActor func duplicates() async throws {
        let subscriptions = try opened(try await app()).subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Item27> { $0.rank > 1 })
            subscriptions.append(QuerySubscription<Item27>(where: "rank > 1"))
            subscriptions.append(QuerySubscription<Item27>(name: "named") { $0.rank > 1 })
        }
        #expect(subscriptions.count == 2)
        let updated = subscriptions.first?.updatedAt
        try await subscriptions.update { subscriptions.append(QuerySubscription<Item27> { $0.rank > 1 }) }
        #expect(subscriptions.count == 2 && subscriptions.first?.updatedAt == updated)
    }

    @Test("SU-12, SU-13: another query; name and age stay, updatedAt moves")
    @MainActor func updating() async throws {
        let app = try await app()
        let other = try await app.otherDevice(Item27.self)
        try other.write { for rank in 1...6 { other.add(Item27("item \(rank)", rank: rank)) } }
        try await other.syncSession?.wait(for: .upload)
        let realm = try opened(app)
        let subscriptions = realm.subscriptions
        let items = realm.objects(Item27.self)
        try await subscriptions.update { subscriptions.append(QuerySubscription<Item27>(name: "some") { $0.rank > 4 }) }
        #expect(items.count == 2)
        let before = try #require(subscriptions.first(named: "some"))
        try await Task.sleep(for: .milliseconds(20))
        try await subscriptions.update { before.updateQuery(toType: Item27.self) { $0.rank > 3 } }
        #expect(items.count == 3)
        let after = try #require(subscriptions.first(named: "some"))
        #expect(after.createdAt == before.createdAt && after.updatedAt > before.updatedAt)
        try await subscriptions.update { subscriptions.first?.updateQuery(to: "rank > %@", 2) }
        #expect(items.count == 4)
        try await subscriptions.update { subscriptions.first?.updateQuery(to: NSPredicate(format: "rank > 1")) }
        #expect(items.count == 5)
        try await subscriptions.update { subscriptions.first?.updateQuery(toType: Item27.self) }
        #expect(items.count == 6 && subscriptions.count == 1)
        // One that the same block has added.
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Note27>(name: "new") { $0._id == 1 })
            subscriptions.first(named: "new")?.updateQuery(toType: Note27.self, where: { $0._id == 2 })
        }
        #expect(subscriptions.first(ofType: Note27.self, where: { $0._id == 2 })?.name == "new")
    }

    @Test("SU-14 to SU-17: removals")
    @MainActor func removing() async throws {
        let subscriptions = try opened(try await app()).subscriptions
        func fill() async throws {
            try await subscriptions.update {
                subscriptions.removeAll()
                subscriptions.append(
                    QuerySubscription<Item27>(name: "a") { $0.rank > 1 }, QuerySubscription<Item27> { $0.rank > 2 })
                subscriptions.append(QuerySubscription<Note27>(name: "n"), QuerySubscription<Note27> { $0._id > 2 })
            }
        }
        func left(_ body: () -> Void) async throws -> [String?] {
            try await fill()
            try await subscriptions.update(body)
            // Removals change the order (F-23).
            return subscriptions.map(\.name).sorted { ($0 ?? "") < ($1 ?? "") }
        }
        #expect(try await left { subscriptions.remove(named: "a") }.count == 3)
        #expect(try await left { subscriptions.remove(named: "nobody's") }.count == 4)
        #expect(try await left { for found in subscriptions { subscriptions.remove(found) } }.isEmpty)
        #expect(
            try await left {
                if let first = subscriptions.first, let last = subscriptions.last { subscriptions.remove(first, last) }
            }.count == 2)
        #expect(try await left { subscriptions.remove(ofType: Item27.self) { $0.rank > 1 } }.count == 3)
        #expect(try await left { subscriptions.remove(ofType: Item27.self) { $0.rank > 9 } }.count == 4)
        #expect(try await left { subscriptions.remove(ofType: Item27.self, where: "rank > %@", 2) }.count == 3)
        #expect(
            try await left { subscriptions.remove(ofType: Note27.self, where: NSPredicate(format: "_id > 2")) }.count
                == 3)
        #expect(try await left { subscriptions.removeAll(unnamedOnly: true) } == ["a", "n"])
        #expect(try await left { subscriptions.removeAll(ofType: Item27.self) } == [nil, "n"])
        #expect(try await left { subscriptions.removeAll() }.isEmpty)
    }

    @Test("SU-18, SU-19: what no subscription covers leaves the realm, after it has gone up")
    @MainActor func leaving() async throws {
        let app = try await app()
        let other = try await app.otherDevice(Item27.self)
        let realm = try opened(app)
        let subscriptions = realm.subscriptions
        try await subscriptions.update { subscriptions.append(QuerySubscription<Item27>(name: "all")) }
        realm.syncSession?.suspend()
        try realm.write { realm.add(Item27("written offline")) }
        subscriptions.change { subscriptions.removeAll() }
        #expect(realm.objects(Item27.self).count == 1)
        realm.syncSession?.resume()
        #expect(await soon { subscriptions.state == .complete && realm.objects(Item27.self).isEmpty })
        try await other.syncSession?.wait(for: .download)
        other.refresh()
        #expect(other.objects(Item27.self).map(\.name) == ["written offline"])
        #expect(subscriptions.count == 0)
    }

    @Test("SU-20, SU-21, CO-36 to CO-38: results that are subscribed to")
    @MainActor func results() async throws {
        let app = try await app()
        let other = try await app.otherDevice(Item27.self)
        try other.write { for rank in 1...6 { other.add(Item27("item \(rank)", rank: rank)) } }
        try await other.syncSession?.wait(for: .upload)
        let realm = try opened(app)
        let subscriptions = realm.subscriptions
        let high = try await realm.objects(Item27.self).where { $0.rank > 4 }.sorted(byKeyPath: "rank").subscribe()
        #expect(high.map(\.rank) == [5, 6])
        // Unnamed with an equal query: the same one.
        _ = try await realm.objects(Item27.self).filter("rank > 4").subscribe(waitForSync: .always)
        #expect(subscriptions.count == 1)
        let named = try await realm.objects(Item27.self).where { $0.rank < 2 }.subscribe(name: "low")
        #expect(named.count == 1 && subscriptions.count == 2)
        try await realm.objects(Item27.self).where { $0.rank < 3 }.subscribe(name: "low", waitForSync: .onCreation)
        #expect(subscriptions.count == 2 && realm.objects(Item27.self).count == 4)
        // One that was made elsewhere, with a name, stays.
        realm.objects(Item27.self).where { $0.rank < 3 }.unsubscribe()
        #expect(subscriptions.count == 2)
        realm.objects(Item27.self).where { $0.rank > 4 }.unsubscribe()
        #expect(subscriptions.map(\.name) == ["low"])
        named.unsubscribe()
        #expect(subscriptions.count == 0)
        // Nobody answers: the subscription stays.
        realm.syncSession?.suspend()
        let error =
            await failure { try await realm.objects(Item27.self).subscribe(name: "late", timeout: 0.2) }
        #expect(error?.localizedDescription.contains("timed out after 0.2 seconds") == true)
        #expect(subscriptions.first(named: "late") != nil)
        _ = try await realm.objects(Note27.self).subscribe(waitForSync: .never)
        #expect(subscriptions.count == 2)
    }

    @Test("SU-23, ER-29, F-28: a write outside of the query is undone, and told")
    @MainActor func rejected() async throws {
        let app = try await app()
        let told = Told<(SyncError.Code, [CompensatingWriteInfo])>()
        app.user.app.syncManager.errorHandler = { error, _ in
            guard let error = error as? SyncError else { return }
            told.add((error.code, error.compensatingWriteInfo ?? []))
        }
        let realm = try opened(app)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Item27>(name: "mine") { $0.owner == "me" })
        }
        let id = ObjectId.generate()
        try realm.write {
            realm.create(Item27.self, value: ["_id": id, "name": "another's", "owner": "you"])
            realm.add(Item27("mine", owner: "me"))
        }
        #expect(realm.objects(Item27.self).count == 2)
        #expect(await soon { told.all.count == 1 && realm.objects(Item27.self).count == 1 })
        let (code, info) = try #require(told.all.first)
        #expect(code == .writeRejected && info.count == 1)
        #expect(info.first?.objectType == "Item27")
        #expect(info.first?.primaryKey == .objectId(id))
        #expect(info.first?.reason.contains("outside") == true)
    }

    @Test("MK-74 to MK-80, SU-05, SU-08, SU-09, SU-12, SU-13, SU-22: mistakes")
    @MainActor func mistakes() async throws {
        let app = try await app()
        for (scenario, says) in [
            ("MK-74 local", "not configured with flexible sync"),
            ("MK-75 append", "only within a write subscription block"),
            ("MK-75 remove", "only within a write subscription block"),
            ("MK-75 removeAll", "only within a write subscription block"),
            ("MK-75 updateQuery", "only within a write subscription block"),
            ("MK-76", "already being updated"),
            ("MK-77", "A subscription named 'dogs' already exists"),
            ("MK-78", "non-existent subscription 'dogs'"),
            ("MK-79", "different Object Type"),
            ("MK-80 add", "class 'FlexiblePerson' when no flexible sync subscription has been created"),
            ("MK-80 create", "class 'FlexiblePerson' when no flexible sync subscription has been created"),
            ("SU-05 negative", "negative value"),
            ("SU-05 beyond", "Index 1 is out of bounds"),
            ("SU-06 in a write", "already in a write transaction"),
            ("WR-25 outside", "not in a write transaction"),
            ("WR-25 dynamic", "asymmetric class 'IngestReading'"),
            ("F-66", "'IngestReading' with primary key value")
        ] {
            try expectTrap(scenario, says, arguments: [app.user.app.appId])
        }
    }

    @Test("MK-74, RE-38, SY-03: the realm of a partition has no subscriptions")
    @MainActor func partition() async throws {
        SharedAgent.ensure()
        let app = App(id: "s27-partition", configuration: AppConfiguration(baseURL: SharedServer.url))
        _ = try await app.login(credentials: .anonymous)
        try expectTrap("MK-74 partition", "not configured with flexible sync", arguments: [app.appId])
    }

    @Test("SU-06: threads change the set one after the other")
    @MainActor func threads() async throws {
        let realm = try opened(try await app())
        let subscriptions = realm.subscriptions
        DispatchQueue.concurrentPerform(iterations: 16) { number in
            subscriptions.update {
                subscriptions.append(QuerySubscription<Note27>(name: "\(number)") { $0._id == number })
            }
        }
        #expect(Set(subscriptions.compactMap(\.name)) == Set((0..<16).map { "\($0)" }))
        #expect(await soon { subscriptions.state == .superseded || subscriptions.state == .complete })
        #expect(await soon { realm.subscriptions.state == .complete })
    }

    @Test("WR-01, SU-06: a set can't be changed in a write transaction, and objects can be written in between")
    @MainActor func updatesAndWrites() async throws {
        let realm = try opened(try await app())
        let subscriptions = realm.subscriptions
        for number in 0..<5 {
            subscriptions.change { subscriptions.append(QuerySubscription<Note27>(name: "\(number)")) }
            try realm.write { realm.create(Note27.self, value: ["_id": number]) }
        }
        try await realm.syncSession?.wait(for: .upload)
        #expect(realm.objects(Note27.self).count == 5 && subscriptions.count == 5)
    }
}
