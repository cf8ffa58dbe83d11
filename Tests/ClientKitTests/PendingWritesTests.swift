import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

/// Writes asynchronously and synchronously in one place.
private actor Writer {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    var pendingCount: Int { realm?.core.pendingGrants.count ?? 0 }
    var count: Int { realm?.objects(Hound.self).count ?? 0 }

    func addLater(_ id: Int) async throws {
        guard let realm else { return }
        try await realm.asyncWrite { realm.add(Hound(id, "later")) }
    }

    func addNow(_ ids: [Int]) throws {
        guard let realm else { return }
        for id in ids { try realm.write { realm.add(Hound(id, "now")) } }
    }
}

@Suite("Asynchronous and synchronous writes of one realm instance")
struct PendingWritesTests {
    private let fixture = PackFixture()

    @Test("WR-13: synchronous writes overtake any number of asynchronous ones that wait for their turn")
    func overtaking() async throws {
        let writer = Writer()
        try await writer.open(fixture.configuration)
        // Somebody else writes meanwhile: all have to wait.
        let (isHeld, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let fixture = fixture
        Thread {
            let realm = try? Realm(configuration: fixture.configuration)
            realm?.beginWrite()
            _ = realm?.isEmpty
            isHeld.signal()
            mayEnd.wait()
            realm?.cancelWrite()
        }.start()
        isHeld.waitHere()
        let later = (1...4).map { id in Task { try await writer.addLater(id) } }
        while await writer.pendingCount < 4 { await Task.yield() }
        let isDone = ClientKit.Lock(false)
        Task {
            try await writer.addNow([11, 12, 13])
            isDone.withLock { $0 = true }
        }
        mayEnd.signal()
        #expect(eventually(within: .seconds(20)) { isDone.withLock { $0 } }, "the synchronous writes wait for ever")
        guard isDone.withLock({ $0 }) else { return }
        for task in later { try await task.value }
        #expect(await writer.count == 7)
    }
}

extension DispatchSemaphore {
    /// Waits, in a function that could suspend instead.
    fileprivate func waitHere() { wait() }
}
