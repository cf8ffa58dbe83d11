import Foundation
import RealmSwift
import TestSupport
import Testing

final class WeatherSensor: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var deviceId: String
    @Persisted var temperatureInFahrenheit: Float
    @Persisted var barometricPressureInHg: Float
    @Persisted var windSpeedInMph: Int

    // Other tests of this process open local realms with all of its classes.
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class WeatherStation: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var city: String
}

final class WeatherPlace: EmbeddedObject {
    @Persisted var street: String
    @Persisted var marks: List<Int>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class WeatherReport: AsymmetricObject {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var place: WeatherPlace?
    @Persisted var former: List<WeatherPlace>
    @Persisted var values: List<Double>
    @Persisted var note = "none"
    @Persisted var station: WeatherStation?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Scenarios S25 to S30: data that only goes up.
@Suite("Data ingest", .timeLimit(.minutes(2)))
struct IngestScenarioTests {
    private let directory = TemporaryDirectory()
    @MainActor private func app(_ name: String = #function) async throws -> FlexibleApp {
        try await FlexibleApp("ingest-" + name.prefix { $0.isLetter || $0.isNumber }, in: directory)
    }

    @MainActor private func documents(_ app: FlexibleApp, _ className: String) throws -> [String] {
        try SharedServer.objects(className, app: app.user.app.appId)
    }

    @Test("S25, S26, S27, S29, OB-21, WR-25, XR-19: one document on the server, and nothing to subscribe to")
    @MainActor func createOne() async throws {
        let flexible = try await app()
        let user = try await flexible.user.app.login(credentials: .anonymous)
        var config = user.flexibleSyncConfiguration()
        config.objectTypes = [WeatherSensor.self]
        config = flexible.configuration([WeatherSensor.self], of: config)
        let asymmetricRealm = try await Realm(configuration: config)
        #expect(asymmetricRealm.subscriptions.count == 0)
        try asymmetricRealm.write {
            asymmetricRealm.create(
                WeatherSensor.self,
                value: [
                    "_id": ObjectId.generate(), "deviceId": "WX1278UIT", "temperatureInFahrenheit": 66.7,
                    "barometricPressureInHg": 29.65, "windSpeedInMph": 2
                ])
        }
        try await asymmetricRealm.syncSession?.wait(for: .upload)
        let found = try documents(flexible, "WeatherSensor")
        #expect(found.count == 1)
        #expect(found.first?.contains("WX1278UIT") == true && found.first?.contains("66.7") == true)
        #expect(asymmetricRealm.isEmpty && asymmetricRealm.subscriptions.count == 0)
    }

    @Test("S26, XR-09: without a server, logging in throws a sentence for people")
    @MainActor func noServer() async throws {
        SharedAgent.ensure()
        let app = App(id: "ingest-nowhere", configuration: AppConfiguration(baseURL: "http://127.0.0.1:9"))
        do {
            _ = try await app.login(credentials: .anonymous)
            Issue.record("logged in without a server")
        } catch {
            #expect(error.localizedDescription.count > 10)
        }
    }

    @Test("S27, SV-24, SV-25, CF-13: not in a realm of a partition")
    @MainActor func partition() async throws {
        let flexible = try await app()
        var configuration = flexible.user.configuration(partitionValue: "p")
        configuration.objectTypes = [WeatherSensor.self]
        do {
            _ = try await Realm(configuration: configuration)
            Issue.record("opened")
        } catch {
            #expect(Realm.Error.schemaMismatch ~= error)
            #expect(error.localizedDescription.contains("Asymmetric class 'WeatherSensor'"))
            #expect(error.localizedDescription.contains("partition-based"))
        }
    }

    @Test("SV-25, SM-08: classes of synced realms have a key that is stored as _id")
    @MainActor func keys() async throws {
        let flexible = try await app()
        var partition = flexible.user.configuration(partitionValue: "p")
        partition.objectTypes = [ShelterDog.self, ShelterKeeper.self]
        for configuration in [partition, flexible.configuration([ShelterDog.self, ShelterKeeper.self])] {
            do {
                _ = try await Realm(configuration: configuration)
                Issue.record("opened")
            } catch {
                for name in ["ShelterDog", "ShelterKeeper"] {
                    #expect(
                        error.localizedDescription.contains(
                            "Class '\(name)' of a synced Realm must have a primary key that is stored as '_id'"))
                }
            }
        }
    }

    @Test("S28, SM-02, SV-23: local realms beside it, with the classes listed or hidden")
    @MainActor func localRealms() throws {
        SharedAgent.ensure()
        let directory = TemporaryDirectory()
        var environment = ProcessInfo.processInfo.environment
        for (name, says) in [
            ("S28 all", "Asymmetric class 'IngestReading' is not allowed in a local Realm"),
            ("S28 listed", "opened"), ("S28 hidden", "opened")
        ] {
            environment["INGEST"] = name == "S28 hidden" ? nil : "1"
            let child = try ChildProgram([name, directory.path("\(name).realm")], environment: environment)
            let (_, wasTrapped, errors) = child.finish()
            #expect(!wasTrapped && child.said.last?.contains(says) == true, "\(name): \(child.said) \(errors)")
        }
    }

    @Test("S30, SY-18: offline it survives the end of process and agent, goes up once, and is gone then")
    @MainActor func offline() async throws {
        var server = try ServerUnderTest()
        try server.makeFlexibleApp("offline")
        let agent = try AgentUnderTest(environment: ["REEVE_SERVER": server.url]).start()
        let path = directory.path("offline.realm")
        let environment = agent.clientEnvironment.merging(["REEVE_SERVER": server.url]) { $1 }
        let first = try ChildProgram(["S30 create", "offline", path], environment: environment)
        #expect(eventually(within: .seconds(20)) { first.said.contains("open") })
        server.end(SIGKILL)
        first.send(SIGUSR1)
        #expect(eventually(within: .seconds(20)) { first.said.contains("created, 0 here") }, "\(first.said)")
        first.kill()
        _ = first.finish()
        agent.kill(SIGKILL)
        try agent.start()
        server = try ServerUnderTest(server.directory, port: server.port)
        let second = try ChildProgram(["S30 upload", "offline", path], environment: environment)
        let (status, _, errors) = second.finish()
        #expect(status == 0 && second.said.last == "uploaded, 0 here", "\(second.said) \(errors)")
        let found = try server.objects("IngestReading", app: "offline")
        #expect(found.count == 1 && found.first?.contains("1.5") == true)
        withExtendedLifetime(agent) {}
    }

    @Test("S30: ten thousand in one go are uploaded in order, each once")
    @MainActor func many() async throws {
        let flexible = try await app()
        let realm = try await Realm(configuration: flexible.configuration([WeatherSensor.self]))
        try realm.write {
            for number in 0..<10_000 {
                realm.create(WeatherSensor.self, value: ["deviceId": "d", "windSpeedInMph": number])
            }
        }
        try await realm.syncSession?.wait(for: .upload)
        let found = try documents(flexible, "WeatherSensor")
        #expect(found.count == 10_000)
        let wrong = found.enumerated().first { !$1.contains("value(\($0)), isDefault: false)]") }
        #expect(wrong == nil, "\(wrong as Any)")
        #expect(realm.isEmpty)
    }

    @Test("OB-21, F-64, F-71: embedded objects, collections of values, and links to plain objects")
    @MainActor func parts() async throws {
        let flexible = try await app()
        let types: [ObjectBase.Type] = [WeatherReport.self, WeatherPlace.self, WeatherStation.self]
        let realm = try await Realm(configuration: flexible.configuration(types))
        let subscriptions = realm.subscriptions
        try await subscriptions.update { subscriptions.append(QuerySubscription<WeatherStation>()) }
        try realm.write {
            let station = realm.create(WeatherStation.self, value: ["_id": "BRE", "city": "Bremen"])
            realm.create(
                WeatherReport.self,
                value: [
                    "_id": 1, "place": ["street": "Marktstr.", "marks": [1, 2]], "former": [["street": "Am Wall"]],
                    "values": [1.5, 2.5], "station": station
                ])
        }
        try await realm.syncSession?.wait(for: .upload)
        let found = try documents(flexible, "WeatherReport")
        #expect(found.count == 1)
        for part in ["Marktstr.", "Am Wall", "2.5", "none", "BRE"] {
            #expect(found.first?.contains(part) == true, "\(part) in \(found)")
        }
        #expect(realm.objects(WeatherStation.self).count == 1)
    }
}
