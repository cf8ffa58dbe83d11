import Foundation
import RealmSwift
import TestSupport
import Testing

/// The class as the app has it before its server migrates.
enum BeforeMigration {
    final class MovedTask: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// And after the app's code has been moved.
enum AfterMigration {
    final class MovedTask: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var name = ""
        @Persisted var ownerId = ""

        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

/// Scenarios S9 and S10: the server of an app goes over from partitions to flexible sync.
@Suite("Migration of an app to flexible sync", .serialized, .timeLimit(.minutes(3)))
struct AppMigrationScenarioTests {
    private let directory = TemporaryDirectory()

    private func user(_ name: String = #function) async throws -> User {
        SharedAgent.ensure()
        let id = "moved-" + name.prefix { $0.isLetter || $0.isNumber }
        let app = App(id: id, configuration: AppConfiguration(baseURL: SharedServer.url))
        return try await app.login(credentials: .anonymous)
    }

    private func partition(_ user: User, _ place: String) -> Realm.Configuration {
        var configuration = user.configuration(partitionValue: "home")
        configuration.fileURL = URL(fileURLWithPath: directory.path("\(place).realm"))
        configuration.objectTypes = [BeforeMigration.MovedTask.self]
        return configuration
    }

    @MainActor private func names<T: Object>(_ realm: Realm, _ type: T.Type) -> Set<String> {
        Set(realm.objects(type).compactMap { $0["name"] as? String })
    }

    @MainActor private func add(_ name: String, to realm: Realm) throws {
        try realm.write { realm.add(BeforeMigration.MovedTask(value: ["name": name])) }
    }

    @Test("S9, SU-25: client code with a partition goes on, there and back; nothing is lost")
    @MainActor func automatic() async throws {
        typealias QsTask = BeforeMigration.MovedTask
        let user = try await user()
        let realm = try await Realm(configuration: partition(user, "a"))
        let other = try await Realm(configuration: partition(user, "b"))
        try add("synced", to: realm)
        try await FlexibleApp.carry(realm, to: other)
        realm.syncSession?.suspend()
        try add("unsynced", to: realm)
        try SharedServer.migrate(user.app.appId, to: "flexible")
        realm.syncSession?.resume()
        try add("later", to: other)
        let all: Set = ["synced", "unsynced", "later"]
        #expect(
            await soon(within: .seconds(40)) { names(realm, QsTask.self) == all && names(other, QsTask.self) == all })
        #expect(user.isLoggedIn)
        // Opened anew it is a partition's still, and the server has the partition of each object.
        let again = try await Realm(configuration: partition(user, "c"), downloadBeforeOpen: .always)
        #expect(names(again, QsTask.self) == all)
        try add("after", to: again)
        try await FlexibleApp.carry(again, to: realm)
        #expect(names(realm, QsTask.self) == all.union(["after"]))
        let documents = try SharedServer.objects("MovedTask", app: user.app.appId)
        #expect(documents.count == 4 && documents.allSatisfy { $0.contains("realm_id") && $0.contains("home") })
        // And back.
        try SharedServer.migrate(user.app.appId, to: "partition")
        try add("back", to: other)
        let more = all.union(["after", "back"])
        #expect(
            await soon(within: .seconds(40)) { names(realm, QsTask.self) == more && names(again, QsTask.self) == more })
    }

    @Test("S10, SU-17, SU-25, MI-06: client code that has been moved sees the user's own objects only")
    @MainActor func moved() async throws {
        typealias QsTask = AfterMigration.MovedTask
        let user = try await user()
        do {
            let old = try await Realm(configuration: partition(user, "old"))
            for number in 0..<3 { try add("old \(number)", to: old) }
            try await old.syncSession?.wait(for: .upload)
            try SharedServer.migrate(user.app.appId, to: "flexible")
            try add("after", to: old)
            try await old.syncSession?.wait(for: .upload)
        }
        // In the partition's own file, and in one of its own.
        for place in ["old", "new"] {
            var configuration = user.flexibleSyncConfiguration()
            configuration.fileURL = URL(fileURLWithPath: directory.path("\(place).realm"))
            configuration.objectTypes = [QsTask.self]
            let realm = try await Realm(configuration: configuration)
            let subscriptions = realm.subscriptions
            #expect(subscriptions.map(\.name) == (place == "old" ? ["flx_migrated_MovedTask"] : []))
            try await realm.subscriptions.update {
                subscriptions.removeAll()
                subscriptions.append(QuerySubscription<QsTask>(name: "my-tasks") { $0.ownerId == user.id })
            }
            #expect(names(realm, QsTask.self) == (place == "old" ? [] : ["mine in old"]))
            try realm.write { realm.add(QsTask(value: ["name": "mine in \(place)", "ownerId": user.id])) }
            try await realm.syncSession?.wait(for: .upload)
        }
        #expect(try SharedServer.objects("MovedTask", app: user.app.appId).count == 6)
    }
}
