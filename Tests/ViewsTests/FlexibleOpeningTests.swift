import Foundation
import RealmSwift
import SwiftUI
import TestSupport
import Testing

final class FlexibleViewDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
}

// As the samples call it.
private typealias Dog = FlexibleViewDog

/// Views that open realms of flexible sync, against a server.
@Suite(.serialized, .timeLimit(.minutes(2))) struct FlexibleOpeningTests {
    static let flexibleSyncAppId = "views-subscribing"
    private let directory = TemporaryDirectory()

    struct DogsView: View {
        @ObservedResults(FlexibleViewDog.self) var dogs
        var body: some View { Text("\(dogs.count) dogs") }
    }

    struct SubscribingView: View {
        let realm: Realm

        var body: some View {
            DogsView()
                .environment(\.realm, realm)
                .onAppear {
                    let subscriptions = realm.subscriptions
                    let foundSubscription = subscriptions.first(named: "user_name")
                    subscriptions.update {
                        if foundSubscription == nil {
                            subscriptions.append(QuerySubscription<Dog>(name: "user_name") { $0.name == "Rex" })
                        }
                    }
                }
        }
    }

    struct OpenFlexibleSyncRealmView: View {
        var subscribes = false
        @AsyncOpen(appId: flexibleSyncAppId, timeout: 10000) var asyncOpen

        var body: some View {
            switch asyncOpen {
            case .connecting: Text("connecting")
            case .waitingForUser: Text("waiting")
            case .open(let realm):
                if subscribes { SubscribingView(realm: realm) } else { DogsView().environment(\.realm, realm) }
            case .progress: Text("progress")
            case .error(let error): Text(error.localizedDescription)
            }
        }
    }

    private func configuration(_ user: User, _ place: String, of given: Realm.Configuration? = nil)
        -> Realm.Configuration
    {
        var configuration = given ?? user.flexibleSyncConfiguration()
        configuration.fileURL = URL(fileURLWithPath: directory.path("\(place).realm"))
        configuration.objectTypes = [Dog.self]
        return configuration
    }

    @Test("S14 S15 S18, UI-01, UI-04: the configuration's subscriptions are there when it opens, others can be added")
    @MainActor func opening() async throws {
        SharedAgent.ensure()
        try SharedServer.makeFlexibleApp(Self.flexibleSyncAppId)
        let app = App(id: Self.flexibleSyncAppId, configuration: AppConfiguration(baseURL: SharedServer.url))
        let config = { (user: User) in
            user.flexibleSyncConfiguration(initialSubscriptions: { subs in
                if subs.first(named: "dogs") == nil { subs.append(QuerySubscription<Dog>(name: "dogs")) }
            })
        }
        let user = try await app.login(credentials: .anonymous)
        let other = try await Realm(
            configuration: configuration(user, "other", of: config(user)), downloadBeforeOpen: .always)
        try other.write { for name in ["Rex", "Ada", "Ivo"] { other.add(Dog(value: ["name": name])) } }
        try await other.syncSession?.wait(for: .upload)

        let subscribed = ViewHost(
            OpenFlexibleSyncRealmView().environment(\.realmConfiguration, configuration(user, "a", of: config(user))))
        #expect(["connecting", "progress"].contains(subscribed.texts.first))
        #expect(await subscribed.settles { subscribed.texts == ["3 dogs"] }, "\(subscribed.texts)")
        subscribed.close()

        let later = ViewHost(
            OpenFlexibleSyncRealmView(subscribes: true).environment(\.realmConfiguration, configuration(user, "b")))
        #expect(await later.settles { later.texts == ["1 dogs"] }, "\(later.texts)")
        later.close()
    }

    /// Opens nothing itself, and has no configuration.
    struct RootView: View {
        let configuration: Realm.Configuration
        var body: some View {
            VStack {
                Text("dogs")
                OpenFlexibleSyncRealmView().environment(\.realmConfiguration, configuration)
            }
        }
    }

    @Test("S43, UI-04: the configuration that is injected where the opening view is made is the one that is opened")
    @MainActor func injected() async throws {
        SharedAgent.ensure()
        try SharedServer.makeFlexibleApp("views-injected")
        let app = App(id: "views-injected", configuration: AppConfiguration(baseURL: SharedServer.url))
        let user = try await app.login(credentials: .anonymous)
        let initial = user.flexibleSyncConfiguration(initialSubscriptions: { subs in
            subs.append(QuerySubscription<Dog>(name: "injected"))
        })
        var config = configuration(user, "injected", of: initial)
        config.schemaVersion = 2
        let opened = Opened()
        let host = ViewHost(InjectedView(opened: opened).environment(\.realmConfiguration, config))
        #expect(await host.settles { host.texts == ["0 dogs"] }, "\(host.texts)")
        let realm = try #require(opened.realm)
        #expect(realm.configuration.fileURL == config.fileURL && realm.configuration.schemaVersion == 2)
        #expect(realm.subscriptions.first(named: "injected") != nil && realm.schema.objectSchema.count == 1)
        host.close()
        let root = ViewHost(RootView(configuration: config))
        #expect(root.texts.first == "dogs")
        root.close()
    }

    @MainActor final class Opened {
        var realm: Realm?
    }

    struct InjectedView: View {
        let opened: Opened
        @AsyncOpen(appId: "views-injected", timeout: 10000) var asyncOpen

        var body: some View {
            switch asyncOpen {
            case .connecting: Text("connecting")
            case .waitingForUser: Text("waiting")
            case .open(let realm): DogsView().environment(\.realm, realm).onAppear { opened.realm = realm }
            case .progress: Text("progress")
            case .error(let error): Text(error.localizedDescription)
            }
        }
    }
}
