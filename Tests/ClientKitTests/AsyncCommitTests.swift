import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

/// A place with a realm, and what is asked of it while its commits are on their way.
private actor Kennel {
    private var realm: Realm?
    private(set) var ages: [Int] = []

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func add(_ id: Int) async throws {
        guard let realm else { return }
        try await realm.asyncWrite { realm.add(Hound(id, "hound", age: id)) }
        ages.append(id)
    }

    var isBusy: Bool { realm?.core.commitUnderWay != nil }
    var count: Int { realm?.objects(Hound.self).count ?? 0 }
    var eldest: Int { realm?.objects(Hound.self).where { $0.age >= 0 }.max(of: \.age) ?? -1 }
}

@Suite("WR-11, WR-14: commits in the background")
struct AsyncCommitTests {
    private let fixture = PackFixture()
    private let queue = DispatchQueue(label: "commits")

    private func onQueue(_ body: (Realm) throws -> Void) throws {
        try queue.sync { try body(try Realm(configuration: fixture.configuration, queue: queue)) }
    }

    @Test("the changes are visible at once, to reads and to queries, and the completion comes later")
    func visible() throws {
        let done = ClientKit.Lock<[String]>([])
        try onQueue { realm in
            realm.beginWrite()
            let rex = Hound(1, "Rex", age: 3)
            realm.add(rex)
            rex.tricks.append("sit")
            realm.commitAsyncWrite { error in done.withLock { $0.append(error.map { "\($0)" } ?? "stored") } }
            #expect(!realm.isInWriteTransaction && realm.isPerformingAsynchronousWriteOperations)
            #expect(rex.name == "Rex" && rex.tricks.count == 1)
            #expect(realm.objects(Hound.self).count == 1)
            #expect(realm.object(ofType: Hound.self, forPrimaryKey: 1)?.age == 3)
            #expect(realm.objects(Hound.self).where { $0.age == 3 }.map(\.name) == ["Rex"])
            #expect(rex.name == "Rex" && !rex.isInvalidated)
            #expect(done.withLock { $0 } == [], "not in this turn")
        }
        #expect(eventually { done.withLock { $0 } == ["stored"] })
        try onQueue { realm in
            #expect(!realm.isPerformingAsynchronousWriteOperations)
            #expect(realm.objects(Hound.self).first?.tricks.first == "sit")
        }
        let isEmpty = try onThread { [fixture] in try Realm(configuration: fixture.configuration).isEmpty }
        #expect(!isEmpty)
    }

    @Test("what can't be done before it is on disk waits for it")
    func whatFollows() throws {
        try onQueue { realm in
            func addLater(_ id: Int) {
                realm.beginWrite()
                realm.add(Hound(id, "hound"))
                realm.commitAsyncWrite()
            }
            addLater(1)
            addLater(2)
            try realm.write { realm.add(Hound(3, "hound")) }
            #expect(realm.objects(Hound.self).count == 3)
            addLater(4)
            #expect(realm.freeze().objects(Hound.self).count == 4)
            addLater(5)
            realm.refresh()
            #expect(realm.objects(Hound.self).count == 5)
            addLater(6)
            let token = realm.objects(Hound.self).observe { _ in }
            addLater(7)
            let copy = fixture.directory.path("copy.realm")
            try realm.writeCopy(toFile: URL(fileURLWithPath: copy))
            addLater(8)
            realm.beginWrite()
            realm.deleteAll()
            realm.cancelWrite()
            #expect(realm.objects(Hound.self).count == 8)
            addLater(9)
            realm.invalidate()
            #expect(realm.objects(Hound.self).count == 9)
            token.invalidate()
        }
    }

    @Test("observers hear of it, of their own commits too")
    func observers() throws {
        let told = ClientKit.Lock<[Int]>([])
        let token = ClientKit.Lock<NotificationToken?>(nil)
        try onQueue { realm in
            let new = realm.objects(Hound.self).observe { change in
                guard case .update(let hounds, _, _, _) = change else { return told.withLock { $0.append(-1) } }
                told.withLock { $0.append(hounds.count) }
            }
            token.withLock { $0 = new }
        }
        #expect(eventually { told.withLock { $0 } == [-1] })
        try onQueue { realm in
            realm.writeAsync { realm.add(Hound(1, "Rex")) }
        }
        #expect(eventually { told.withLock { $0 } == [-1, 1] })
        token.withLock { $0 = nil }
    }

    @Test("WR-14: others use the actor while a write is on its way, and see what it did")
    func actors() async throws {
        let kennel = Kennel()
        try await kennel.open(fixture.configuration)
        let writes = (1...20).map { id in Task { try await kennel.add(id) } }
        for _ in 0..<200 {
            let count = await kennel.count
            #expect(await kennel.eldest >= (count == 0 ? -1 : 1))
        }
        for write in writes { try await write.value }
        #expect(await kennel.count == 20)
        #expect(await Set(kennel.ages) == Set(1...20))
        #expect(await !kennel.isBusy)
    }
}
