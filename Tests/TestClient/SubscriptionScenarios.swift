import Foundation
import RealmSwift

final class FlexiblePerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
}

final class FlexibleDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var favoriteTreat: String
}

final class IngestReading: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var value: Double

    override class func shouldIncludeInDefaultSchema() -> Bool {
        ProcessInfo.processInfo.environment["INGEST"] != nil
    }
}

final class IngestNote: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var text: String
}

/// Processes that share a realm of flexible sync. The server is that of `$REEVE_SERVER`, the user the app's current one;
/// arguments: APP REALM.
enum SubscriptionScenarios {
    static var all: [String: Scenario.Body] {
        [
            "S16 initial": initial, "S17 again": again, "S15 second": second, "SU-22 end": end, "SY-13 told": told,
            "S30 create": createReading, "S30 upload": upload, "S28 all": { try openLocal($0, nil) },
            "S28 listed": { try openLocal($0, [IngestNote.self]) }, "S28 hidden": { try openLocal($0, nil) }
        ]
    }

    /// The user, and the configuration made of theirs.
    static func configuration(
        _ arguments: [String], types: [ObjectBase.Type] = [FlexiblePerson.self, FlexibleDog.self],
        _ make: (User) -> Realm.Configuration = { $0.flexibleSyncConfiguration() }
    ) throws -> Realm.Configuration {
        guard let user = App(id: arguments[0]).currentUser else { throw AppError(.userNotFound) }
        var configuration = make(user)
        configuration.fileURL = URL(fileURLWithPath: arguments[1])
        configuration.objectTypes = types
        return configuration
    }

    /// Opens with two initial subscriptions; says whether the block ran, and how many there are.
    private static func initial(_ arguments: [String]) throws {
        let configuration = try configuration(arguments) { user in
            user.flexibleSyncConfiguration(initialSubscriptions: { subs in
                Scenario.say("subscribing")
                if subs.count > 0 { Scenario.say("there are some") }
                subs.append(QuerySubscription<FlexiblePerson>(name: "people"))
                subs.append(QuerySubscription<FlexibleDog>(name: "dogs"))
            })
        }
        let realm = try Realm(configuration: configuration)
        Scenario.say("\(realm.subscriptions.count) subscriptions")
    }

    /// Adds a subscription with a name that there is.
    private static func again(_ arguments: [String]) throws {
        let realm = try Realm(configuration: configuration(arguments))
        realm.subscriptions.update {
            realm.subscriptions.removeAll(ofType: FlexiblePerson.self)
            realm.subscriptions.append(QuerySubscription<FlexibleDog>(name: "dogs"))
        }
    }

    /// Subscribes to the dogs and says when they are there; after SIGUSR1, what there is then.
    private static func second(_ arguments: [String]) throws {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)
        let realm = try Realm(configuration: configuration(arguments))
        let subscriptions = realm.subscriptions
        AppScenarios.wait { done in
            subscriptions.update {
                subscriptions.append(QuerySubscription<FlexibleDog>(name: "dogs"))
            } onComplete: {
                done($0)
            }
        }
        realm.refresh()
        Scenario.say("\(subscriptions.state), \(realm.objects(FlexibleDog.self).count) dogs")
        source.setEventHandler {
            let count = subscriptions.count
            MainActor.assumeIsolated {
                guard let realm = try? Realm(configuration: configuration(arguments)) else { return }
                realm.refresh()
                let dogs = realm.objects(FlexibleDog.self).count
                Scenario.say("\(subscriptions.state), \(count) subscriptions, \(dogs) dogs")
            }
            exit(0)
        }
        source.resume()
        RunLoop.main.run(until: Date() + 60)
        withExtendedLifetime(realm) {}
    }

    /// Ends all subscriptions.
    private static func end(_ arguments: [String]) throws {
        let subscriptions = try Realm(configuration: configuration(arguments)).subscriptions
        subscriptions.update { subscriptions.removeAll() }
    }

    /// Waits for a rejected write, and says of what class.
    private static func told(_ arguments: [String]) throws {
        App(id: arguments[0]).syncManager.errorHandler = { error, _ in
            guard let error = error as? SyncError, error.code == .writeRejected else { return }
            Scenario.say("rejected \(error.compensatingWriteInfo?.first?.objectType ?? "nothing")")
        }
        let realm = try Realm(configuration: configuration(arguments))
        Scenario.say("open")
        RunLoop.main.run(until: Date() + 60)
        withExtendedLifetime(realm) {}
    }

    private static func ingestRealm(_ arguments: [String]) throws -> Realm {
        try Realm(configuration: configuration(arguments, types: [IngestReading.self]))
    }

    /// Logs in, opens, and creates a reading when it is sent SIGUSR1.
    private static func createReading(_ arguments: [String]) throws {
        signal(SIGUSR1, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)
        AppScenarios.wait { done in
            App(id: arguments[0]).login(credentials: .anonymous) { result in
                if case .failure(let error) = result { done(error) } else { done(nil) }
            }
        }
        let realm = try ingestRealm(arguments)
        source.setEventHandler {
            do {
                let realm = try ingestRealm(arguments)
                try realm.write { realm.create(IngestReading.self, value: ["value": 1.5]) }
                Scenario.say("created, \(realm.isEmpty ? 0 : 1) here")
            } catch {
                Scenario.say("\(error)")
            }
        }
        source.resume()
        Scenario.say("open")
        RunLoop.main.run(until: Date() + 60)
        withExtendedLifetime(realm) {}
    }

    /// Opens, and waits until everything is on the server.
    private static func upload(_ arguments: [String]) throws {
        let realm = try ingestRealm(arguments)
        AppScenarios.wait { done in realm.syncSession?.wait(for: .upload, block: done) }
        Scenario.say("uploaded, \(realm.isEmpty ? 0 : 1) here")
    }

    /// REALM: opens a local realm with these classes, or all that there are.
    private static func openLocal(_ arguments: [String], _ types: [ObjectBase.Type]?) throws {
        do {
            _ = try Realm(
                configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: types))
            Scenario.say("opened")
        } catch {
            Scenario.say(error.localizedDescription.replacing("\n", with: " "))
        }
    }
}
