import Foundation
import RealmSwift
import TestSupport
import Testing

/// `Realm.receipt`, which RealmSwift has nothing like.
@Suite("Receipts")
struct ReceiptTests {
    @Test @MainActor func ofALocalRealm() async throws {
        SharedAgent.ensure()
        let directory = TemporaryDirectory()
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(fileURLWithPath: directory.path("local.realm"))
        configuration.objectTypes = [QsTask.self]
        let realm = try await Realm(configuration: configuration)
        #expect(realm.receipt == nil)
        try realm.write { realm.add(QsTask("Destroy the ring", owner: "Frodo")) }
        let first = try #require(realm.receipt)
        // What changes nothing has none.
        try realm.write {}
        #expect(realm.receipt == first)
        try realm.write { realm.objects(QsTask.self).first?.name = "Go home" }
        let second = try #require(realm.receipt)
        #expect(second != first && second.fileURL.lastPathComponent == "local.realm")
        #expect(CommitReceipt(second.description) == second && CommitReceipt("nonsense") == nil)
        #expect(try JSONDecoder().decode(CommitReceipt.self, from: JSONEncoder().encode(second)) == second)
        guard case .durable = try await second.wait(for: .durable) else {
            Issue.record("not durable")
            return
        }
        await #expect(throws: Realm.Error.self) { try await second.wait(for: .uploaded) }
        await #expect(throws: Realm.Error.self) {
            try await second.wait(for: .durable, encryptionKey: Data(count: 64))
        }
        try await realm.asyncWrite { realm.deleteAll() }
        #expect(realm.receipt != second)
        let inMemory = try await Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: "receipts", objectTypes: [QsTask.self]))
        try inMemory.write { inMemory.add(QsTask("Hide", owner: "Sam")) }
        #expect(inMemory.receipt == nil)
    }

    @Test @MainActor func ofASyncedRealm() async throws {
        SharedAgent.ensure()
        let app = App(id: "receipts", configuration: AppConfiguration(baseURL: SharedServer.url))
        let user = try await app.login(credentials: .anonymous)
        var configuration = user.configuration(partitionValue: "p")
        configuration.objectTypes = [QsTask.self]
        let realm = try await Realm(configuration: configuration)
        realm.syncSession?.suspend()
        try realm.write { realm.add(QsTask("Destroy the ring", owner: "Frodo")) }
        let receipt = try #require(realm.receipt)
        guard case .durable = try await receipt.wait(timeout: .zero) else {
            Issue.record("uploaded though nothing was sent")
            return
        }
        guard case .durable = try await receipt.wait(timeout: .milliseconds(50)) else {
            Issue.record("uploaded though nothing was sent")
            return
        }
        let waiting = Task { try await receipt.wait() }
        let cancelled = Task { try await receipt.wait() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        realm.syncSession?.resume()
        guard case .uploaded = try await waiting.value else {
            Issue.record("not uploaded")
            return
        }
    }

    @Test @MainActor func whatIsNotAllowedIsRejected() async throws {
        let directory = TemporaryDirectory()
        let app = try await FlexibleApp("receipts-flexible", in: directory)
        let realm = try await Realm(configuration: app.configuration([QsTask.self]))
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<QsTask> { $0.owner == "Frodo" })
        }
        try realm.write { realm.add(QsTask("Destroy the ring", owner: "Frodo")) }
        let kept = try #require(realm.receipt)
        let task = QsTask("Eat", owner: "Pippin")
        let id = task._id
        try realm.write { realm.add(task) }
        let undone = try #require(realm.receipt)
        guard case .rejected(let rejection) = try await undone.wait(), case .uploaded = try await kept.wait() else {
            Issue.record("not as it must be")
            return
        }
        #expect(rejection.objects.map(\.primaryKey) == [.objectId(id)])
        #expect(rejection.objects.first?.objectType == "QsTask" && !rejection.reason.isEmpty)
    }
}
