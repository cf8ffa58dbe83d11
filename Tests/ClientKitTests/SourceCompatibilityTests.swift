import Foundation
import Realm
import RealmSwift
import TestSupport
import Testing

/// Names and signatures that code written for the original uses. That it compiles is most of the test.
@Suite("Source compatibility")
struct SourceCompatibilityTests {
    private let fixture = PackFixture()

    @Test("XR-01: `import Realm` beside `import RealmSwift`")
    func bothModules() throws {
        let id: RLMObjectId = RealmSwift.ObjectId.generate()
        let same: RealmSwift.ObjectId = id
        #expect(same == id)
        var missing = fixture.configuration
        missing.readOnly = true
        let error = #expect(throws: RLMError.self) { try Realm(configuration: missing) }
        #expect(error?.code == .fileNotFound)
        #expect((error as NSError?)?.domain == RLMErrorDomain)
        let policy: RLMUpdatePolicy = .modified
        #expect(policy == Realm.UpdatePolicy.modified)
        #expect(RLMExceptionName.rawValue == "RLMException")
    }

    @Test("FI-07, FI-08: whether files are there, and deleting them")
    func files() throws {
        let configuration = fixture.configuration
        if Realm.fileExists(for: configuration) { Issue.record("nobody has made it") }
        #expect(try !Realm.deleteFiles(for: configuration))
        let realm = try Realm(configuration: configuration)
        #expect(Realm.fileExists(for: configuration))
        withExtendedLifetime(realm) {
            let error = #expect(throws: Realm.Error.self) { try Realm.deleteFiles(for: configuration) }
            #expect(error?.code == .alreadyOpen)
        }
    }

    @Test("FI-08: files that nobody has open are deleted")
    func deletes() throws {
        let configuration = fixture.configuration
        try onThread { try Realm(configuration: configuration).write {} }
        #expect(Realm.fileExists(for: configuration))
        // The agent hears a moment later that the realm was closed.
        #expect(eventually { (try? Realm.deleteFiles(for: configuration)) == true })
        #expect(!Realm.fileExists(for: configuration))
        #expect(try !Realm.deleteFiles(for: configuration))
    }

    @Test("FI-07: a realm in memory exists while it is open")
    func inMemory() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: fixture.configuration.objectTypes)
        #expect(!Realm.fileExists(for: configuration))
        let realm = try Realm(configuration: configuration)
        withExtendedLifetime(realm) { #expect(Realm.fileExists(for: configuration)) }
    }

    @Test("RE-18: the task of an asynchronous opening is Realm's")
    func asyncOpening() async throws {
        let queue = DispatchQueue(label: "opening")
        let opened = await withCheckedContinuation { continuation in
            let task: Realm.AsyncOpenTask = Realm.asyncOpen(
                configuration: fixture.configuration, callbackQueue: queue
            ) { result in
                continuation.resume(returning: (try? result.get())?.isEmpty)
            }
            _ = task
        }
        #expect(opened == true)
    }

    @Test("RE-34: blocks of observers have a name")
    func notificationBlock() throws {
        let told = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "observer")
        let block: NotificationBlock = { notification, _ in
            if notification == .didChange { told.signal() }
        }
        let token = try queue.sync { try Realm(configuration: fixture.configuration, queue: queue).observe(block) }
        let realm = try Realm(configuration: fixture.configuration)
        try realm.write { realm.add(Master("Ann")) }
        #expect(told.wait(timeout: .now() + 5) == .success)
        token.invalidate()
    }

    @Test("CO-22: constraints of samples")
    func constraints() throws {
        func first<C: RealmCollection & _ObjcBridgeable>(_ collection: C) -> C.ElementType? {
            AnyRealmCollection(collection).first
        }
        let realm = try fixture.filled()
        #expect(first(realm.objects(Hound.self))?.name == "Rex")
        #expect(first(realm.objects(Hound.self)[1].scores) == 1)
        #expect(first(realm.objects(Hound.self)[1].packs)?.name == "all")
    }
}
