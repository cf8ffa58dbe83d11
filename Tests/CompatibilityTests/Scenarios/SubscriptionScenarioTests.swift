import Foundation
import RealmSwift
import TestSupport
import Testing

final class FlexiblePerson: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
}

final class FlexibleDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var favoriteTreat: String
}

// The classes as the samples call them; schema names are unique in this process.
private typealias Person = FlexiblePerson
private typealias Dog = FlexibleDog

/// Scenarios S15 to S17: subscribing after opening, and by the configuration.
@Suite("Subscriptions of an app", .timeLimit(.minutes(2)))
struct SubscriptionScenarioTests {
    private let directory = TemporaryDirectory()
    private static var types: [ObjectBase.Type] { [FlexiblePerson.self, FlexibleDog.self] }

    @MainActor private func app(_ name: String = #function) async throws -> FlexibleApp {
        try await FlexibleApp("flx-" + name.prefix { $0.isLetter || $0.isNumber }, in: directory)
    }

    @MainActor private func fill(_ app: FlexibleApp) async throws {
        let other = try await app.otherDevice(Dog.self)
        try other.write { for n in 0..<20 { other.add(Dog(value: ["name": "dog \(n)"])) } }
        try await other.syncSession?.wait(for: .upload)
        let another = try await app.otherDevice(Person.self, place: "persons")
        try another.write { another.add(Person(value: ["name": "Ann"])) }
        try await another.syncSession?.wait(for: .upload)
    }

    @Test("S15, SU-06: subscribing after opening; once, however often the view appears")
    @MainActor func subscribingAfterOpening() async throws {
        let app = try await app()
        try await fill(app)
        let realm = try await Realm(configuration: app.configuration(Self.types))
        let told = Told<Int>()
        let token = realm.objects(Dog.self).observe { _ in told.add(1) }
        defer { token.invalidate() }
        for _ in 0..<2 {
            let subscriptions = realm.subscriptions
            let foundSubscription = subscriptions.first(named: "all_dogs")
            subscriptions.change {
                if foundSubscription == nil {
                    subscriptions.append(QuerySubscription<Dog>(name: "all_dogs") { $0.name != "" })
                }
            }
        }
        #expect(await soon { realm.objects(Dog.self).count == 20 })
        #expect(await soon { told.all.count > 1 })
        #expect(realm.subscriptions.count == 1)
    }

    @Test("S16, AP-26, SU-10, RE-16, RE-18: initial subscriptions, and their data after a downloading open")
    @MainActor func initialSubscriptions() async throws {
        let app = try await app()
        try await fill(app)
        let user = app.user
        let runs = Told<Int>()
        let config = user.flexibleSyncConfiguration(initialSubscriptions: { subs in
            runs.add(1)
            let peopleSubscriptionExists = subs.first(named: "people")
            let dogsSubscriptionExists = subs.first(named: "dogs")
            if (peopleSubscriptionExists != nil) && (dogsSubscriptionExists != nil) { return }
            subs.append(QuerySubscription<Person>(name: "people"))
            subs.append(QuerySubscription<Dog>(name: "dogs"))
        })
        #expect(config.syncConfiguration?.initialSubscriptions?.rerunOnOpen == false)
        let configuration = app.configuration(Self.types, of: config)
        do {
            let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)
            #expect(realm.objects(Dog.self).count == 20 && realm.objects(Person.self).count == 1)
            #expect(realm.subscriptions.map(\.name) == ["people", "dogs"])
            #expect(realm.subscriptions.state == .complete)
        }
        for _ in 0..<2 {
            let again = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
            #expect(again.subscriptions.count == 2)
        }
        #expect(runs.all.count == 1)
        // By the form with a callback, on another machine.
        let elsewhere = app.configuration(Self.types, place: "elsewhere", of: config)
        let queue = DispatchQueue(label: "opening")
        let count = await withCheckedContinuation { continuation in
            _ = Realm.asyncOpen(configuration: elsewhere, callbackQueue: queue) { result in
                continuation.resume(returning: (try? result.get())?.objects(Dog.self).count)
            }
        }
        #expect(count == 20)
        #expect(runs.all.count == 2)
    }

    @Test("S16, AP-26, CF-06: with rerunOnOpen the block runs whenever the process opens the realm first")
    @MainActor func rerunOnOpen() async throws {
        let app = try await app()
        let runs = Told<Int>()
        let config = app.user.flexibleSyncConfiguration(
            initialSubscriptions: { subs in
                runs.add(1)
                subs.removeAll()
                subs.append(QuerySubscription<Dog>(name: "dogs \(runs.all.count)"))
            }, rerunOnOpen: true)
        let configuration = app.configuration(Self.types, of: config)
        for run in 1...3 {
            let realm = try await Realm(configuration: configuration)
            // Open already: it doesn't run.
            let again = try await Realm(configuration: configuration)
            #expect(again == realm)
            #expect(runs.all.count == run)
            #expect(realm.subscriptions.map(\.name) == ["dogs \(run)"])
        }
    }

    @Test("S17, SU-09: without a name the same subscription again is no error and no duplicate")
    @MainActor func sameAgain() async throws {
        let app = try await app()
        let realm = try await Realm(configuration: app.configuration(Self.types))
        let subscriptions = realm.subscriptions
        for _ in 0..<2 {
            try await subscriptions.update {
                subscriptions.append(QuerySubscription<Dog> { $0.name == "Rex" })
                if subscriptions.first(named: "people") == nil {
                    subscriptions.append(QuerySubscription<Person>(name: "people"))
                }
            }
        }
        #expect(subscriptions.count == 2)
    }

    @Test("S16, AP-26, RE-03: processes that open at the same instant subscribe once")
    @MainActor func severalProcesses() async throws {
        let app = try await app()
        let path = app.configuration([]).fileURL?.path ?? ""
        let environment = ProcessInfo.processInfo.environment
        let children = try (0..<4).map { _ in
            try ChildProgram(["S16 initial", app.user.app.appId, path], environment: environment)
        }
        for child in children {
            let (status, _, errors) = child.finish()
            #expect(status == 0, "\(errors)")
            #expect(child.said.last == "2 subscriptions", "\(child.said) \(errors)")
        }
        #expect(children.flatMap(\.said).contains("subscribing"))
    }

    @Test("S17, MK-77, SU-09: a name that exists ends the process, and the set stays as it is")
    @MainActor func existingName() async throws {
        let app = try await app()
        let configuration = app.configuration(Self.types)
        let realm = try await Realm(configuration: configuration)
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<Dog>(name: "dogs") { $0.name == "Rex" })
        }
        let child = try ChildProgram(
            ["S17 again", app.user.app.appId, configuration.fileURL?.path ?? ""],
            environment: ProcessInfo.processInfo.environment)
        let (_, wasTrapped, errors) = child.finish()
        #expect(wasTrapped)
        #expect(errors.contains("A subscription named 'dogs' already exists"), "\(errors)")
        #expect(realm.subscriptions.count == 1 && realm.subscriptions.state == .complete)
        #expect(realm.subscriptions.first(ofType: Dog.self, where: { $0.name == "Rex" }) != nil)
    }

    @Test("SU-01, SU-02, S15, XR-08: processes share the subscriptions, and see the same states")
    @MainActor func sharedSet() async throws {
        let app = try await app()
        try await fill(app)
        let configuration = app.configuration(Self.types)
        let realm = try await Realm(configuration: configuration)
        let before = realm.subscriptions
        #expect(before.count == 0)
        let child = try ChildProgram(
            ["S15 second", app.user.app.appId, configuration.fileURL?.path ?? ""],
            environment: ProcessInfo.processInfo.environment)
        #expect(await soon { child.said.contains("complete, 20 dogs") }, "\(child.said)")
        #expect(before.count == 1 && before.state == .superseded)
        let after = realm.subscriptions
        #expect(after.first(named: "dogs") != nil && after.state == .complete)
        #expect(await soon { realm.objects(Dog.self).count == 20 })
        try await after.update { after.removeAll() }
        child.send(SIGUSR1)
        #expect(child.finish().status == 0)
        #expect(child.said.last == "superseded, 0 subscriptions, 0 dogs", "\(child.said)")
    }

    @Test("SU-22, ER-20: a subscription that another process ends while an object is being added")
    @MainActor func endedMeanwhile() async throws {
        let app = try await app()
        let configuration = app.configuration(Self.types)
        let realm = try await Realm(configuration: configuration)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>(name: "dogs")) }
        let arguments = ["SU-22 end", app.user.app.appId, configuration.fileURL?.path ?? ""]
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(Dog(value: ["name": "Rex"]))
                let child = try ChildProgram(arguments, environment: ProcessInfo.processInfo.environment)
                #expect(child.finish().status == 0)
            }
        }
        #expect(error?.code == .noSubscriptionForWrite, "\(error as Any)")
        #expect(error?.localizedDescription.contains("FlexibleDog") == true)
        #expect(realm.objects(Dog.self).isEmpty && realm.subscriptions.count == 0)
    }

    @Test("SY-13, ER-29, XR-08: each process that has the realm open is told of rejected writes")
    @MainActor func everyProcessIsTold() async throws {
        let app = try await app()
        let configuration = app.configuration(Self.types)
        let realm = try await Realm(configuration: configuration)
        let subscriptions = realm.subscriptions
        try await subscriptions.update {
            subscriptions.append(QuerySubscription<Dog>(name: "dogs") { $0.name == "Rex" })
        }
        let child = try ChildProgram(
            ["SY-13 told", app.user.app.appId, configuration.fileURL?.path ?? ""],
            environment: ProcessInfo.processInfo.environment)
        defer { child.kill() }
        #expect(await soon { child.said.contains("open") })
        let told = Told<SyncError.Code>()
        app.user.app.syncManager.errorHandler = { error, _ in
            if let error = error as? SyncError { told.add(error.code) }
        }
        try realm.write { realm.add(Dog(value: ["name": "Bello"])) }
        #expect(await soon { told.all == [.writeRejected] })
        #expect(await soon { child.said.contains("rejected FlexibleDog") })
    }
}
