import Foundation
import RealmSwift

/// A program on one of several devices that share a partition of a synced app.
struct Device {
    let server: String

    /// Only visits are synced here: the places are on every device already.
    final class SyncedVisit: Object {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var writer: String
        @Persisted var number: Int
    }

    @MainActor
    func open() async throws -> Realm {
        let app = App(id: "demo", configuration: AppConfiguration(baseURL: server))
        // Who has logged in once is known from then on, also without a network.
        let user: User
        if let known = app.currentUser { user = known } else { user = try await app.login(credentials: .anonymous) }
        var configuration = user.configuration(partitionValue: "demo")
        configuration.objectTypes = [SyncedVisit.self]
        return try await Realm(configuration: configuration)
    }

    /// Makes visits, one transaction each, whether there is a network or not.
    @MainActor
    func write(_ name: String, count: Int) async throws {
        let realm = try await open()
        let first = realm.objects(SyncedVisit.self).where { $0.writer == name }.count
        for number in first..<(first + count) {
            try realm.write { realm.add(SyncedVisit(value: ["writer": name, "number": number])) }
            say("acknowledged \(number)")
        }
    }

    /// Waits until so many visits are here, and prints how many there are as they come. True if they came in time.
    @MainActor
    func watch(count: Int, seconds: Double) async throws -> Bool {
        let realm = try await open()
        say("realm \(realm.configuration.fileURL?.path ?? "")")
        let visits = realm.objects(SyncedVisit.self)
        let deadline = Date(timeIntervalSinceNow: seconds)
        var last = -1
        while visits.count < count, Date() < deadline {
            if visits.count != last { say("\(visits.count) visits") }
            last = visits.count
            try await Task.sleep(for: .milliseconds(100))
        }
        let numbers = Set(visits.map { "\($0.writer) \($0.number)" })
        say("\(visits.count) visits, \(numbers.count) different ones")
        return visits.count == count && numbers.count == count
    }
}
