import Foundation
import RealmSwift
import TestSupport

/// Apps of flexible sync, and devices of their users: each device is a file of its own, which the server knows by itself.
struct FlexibleApp {
    let user: User
    private let directory: TemporaryDirectory

    /// An app that no other test uses, with a user who is logged in. The files are in a directory of the suite, which must
    /// not go while they are open.
    init(_ id: String, in directory: TemporaryDirectory, permissions: String? = nil) async throws {
        self.directory = directory
        SharedAgent.ensure()
        try SharedServer.makeFlexibleApp(id, permissions: permissions)
        let app = App(id: id, configuration: AppConfiguration(baseURL: SharedServer.url))
        user = try await app.login(credentials: .anonymous)
    }

    /// `place` tells the devices of the user apart.
    func configuration(
        _ types: [ObjectBase.Type], place: String = "here", of configuration: Realm.Configuration? = nil
    ) -> Realm.Configuration {
        var configuration = configuration ?? user.flexibleSyncConfiguration()
        configuration.fileURL = URL(fileURLWithPath: directory.path("\(place).realm"))
        configuration.objectTypes = types
        return configuration
    }

    /// Another device of the user, which is subscribed to all objects of a class. On the main actor.
    @MainActor func otherDevice<T: Object>(_ type: T.Type, place: String = "there") async throws -> Realm {
        let realm = try await Realm(configuration: configuration([type], place: place))
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<T>(name: "all")) }
        return realm
    }

    /// Waits until the server has what is in one device, and another has what is on the server.
    @MainActor static func carry(_ from: Realm, to: Realm) async throws {
        try await from.syncSession?.wait(for: .upload)
        try await to.syncSession?.wait(for: .download)
        to.refresh()
    }
}

extension SyncSubscriptionSet {
    /// As from a function that isn't asynchronous: doesn't wait for the server.
    func change(_ block: () -> Void) { update(block) }
}

/// As `settled`, on the main actor.
@MainActor func soon(within deadline: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + deadline
    while !condition() {
        guard ContinuousClock.now < end else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// What an error handler, or a completion, has been told.
final class Told<Value: Sendable>: @unchecked Sendable {
    // All access is behind the lock.
    private let lock = NSLock()
    private var values: [Value] = []

    func add(_ value: Value) { lock.withLock { values.append(value) } }
    var all: [Value] { lock.withLock { values } }
}
