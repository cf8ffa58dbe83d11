import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

@Suite("Where a realm may be used")
struct ConfinementTests {
    private let fixture = PackFixture()

    @Test("XR-06: the main queue, the main thread and the main actor are one place")
    @MainActor
    func mainIsOnePlace() throws {
        #expect(Confinement.on(.main).identity == Confinement.main.identity)
        let realm = try Realm(configuration: fixture.configuration)
        #expect(try Realm(configuration: fixture.configuration, queue: .main) == realm)
    }

    @Test("NO-09: observers on the main actor are called with the main thread's realm")
    @MainActor
    func mainActorObserver() async throws {
        let realm = try fixture.filled()
        let core = realm.core
        let isSame = ClientKit.Lock<[Bool]>([])
        let token = await realm.objects(Hound.self).observe(on: MainActor.shared) { _, change in
            guard case .initial(let hounds) = change else { return }
            isSame.withLock { $0.append(hounds.realm?.core === core) }
        }
        for _ in 0..<10_000 where isSame.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isSame.withLock { $0 } == [true])
        token.invalidate()
    }

    @Test("a queue is the same place each time")
    func queueIsOnePlace() throws {
        let queue = DispatchQueue(label: "pack")
        #expect(Confinement.on(queue).identity == Confinement.on(queue).identity)
        #expect(Confinement.on(queue).identity != Confinement.on(DispatchQueue(label: "other")).identity)
        try queue.sync {
            let realm = try Realm(configuration: fixture.configuration, queue: queue)
            #expect(try Realm(configuration: fixture.configuration, queue: queue) == realm)
        }
    }

    @Test("NO-02: several observers on the main queue share its realm")
    func mainObservers() throws {
        let told = ClientKit.Lock<[String]>([])
        let tokens = ClientKit.Lock<[NotificationToken]>([])
        let fixture = fixture
        try onThread {
            let hounds = try fixture.filled().objects(Hound.self)
            for name in ["a", "b"] {
                let token = hounds.observe(on: .main) { change in
                    guard case .update(let hounds, _, _, _) = change else { return told.withLock { $0.append(name) } }
                    told.withLock { $0.append("\(name) \(hounds.count)") }
                }
                tokens.withLock { $0.append(token) }
            }
        }
        #expect(eventually { told.withLock { $0.count } == 2 })
        try onThread {
            let realm = try Realm(configuration: fixture.configuration)
            try realm.write { realm.add(Hound(9, "Nina")) }
        }
        #expect(eventually { told.withLock { $0.count } == 4 })
        #expect(told.withLock { $0.sorted() } == ["a", "a 6", "b", "b 6"])
        tokens.withLock { $0 = [] }
    }
}
