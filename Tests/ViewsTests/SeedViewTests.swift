import Foundation
import RealmSwift
import SwiftUI
import TestSupport
import Testing

/// The scenarios of the seed documents that open realms in views.
@MainActor
@Suite(.serialized) struct SeedViewTests {
    struct ContentView: View {
        @ObservedResults(KennelDog.self) var dogs

        var body: some View {
            List {
                ForEach(dogs) { dog in
                    Text(dog.name)
                }
                .onDelete(perform: $dogs.remove)
            }
        }
    }

    @Test("S11, UI-06: @ObservedResults opens when the view is evaluated, and follows other threads")
    func observedResults() async throws {
        let kennel = Kennel()
        let former = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = former }
        Realm.Configuration.defaultConfiguration = kennel.configuration
        let host = ViewHost(ContentView())
        #expect(!Realm.fileExists(for: kennel.configuration))
        #expect(host.texts == [])
        #expect(Realm.fileExists(for: kennel.configuration))
        try await kennel.elsewhere { $0.add(KennelDog(name: "Rex")) }
        #expect(await host.settles { host.texts == ["Rex"] })
        #expect(host.delete(rowOf: "Rex"))
        #expect(await host.settles { host.texts == [] })
        try await kennel.elsewhere { #expect($0.objects(KennelDog.self).isEmpty) }
    }

    @Test("S13, UI-12, CF-03: a configuration in the environment counts for the views below, not for siblings")
    func configurations() async throws {
        let (standard, other) = (Kennel(), Kennel())
        let former = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = former }
        Realm.Configuration.defaultConfiguration = standard.configuration
        try standard.filled("Default")
        try other.filled("Injected")
        let host = ViewHost(
            VStack {
                ContentView()
                ContentView().environment(\.realmConfiguration, other.configuration)
            })
        #expect(host.texts == ["Default", "Injected"])
        // Both are open at once, and each follows its own file.
        try await standard.elsewhere { $0.add(KennelDog(name: "Second")) }
        #expect(await host.settles { host.texts == ["Default", "Second", "Injected"] })
    }

    struct DogView: View {
        @ObservedRealmObject var dog: KennelDog

        var body: some View {
            TextField("name", text: $dog.name)
            Text(dog.name)
        }
    }

    @Test("S24, UI-09: @ObservedRealmObject shows changes, writes by its binding, and survives deletion")
    func observedRealmObject() async throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex")
        let dog = try #require(realm.objects(KennelDog.self).first)
        let host = ViewHost(DogView(dog: dog.freeze()))
        #expect(host.texts == ["name", "Rex"])
        try await kennel.elsewhere { $0.objects(KennelDog.self).first?.name = "Max" }
        #expect(await host.settles { host.texts == ["name", "Max"] })

        var transactions = 0
        let token = realm.observe { _, _ in transactions += 1 }
        #expect(host.enter("Ivo", into: "name"))
        #expect(await host.settles { host.texts == ["name", "Ivo"] })
        #expect(dog.name == "Ivo")
        // The value that is there already makes no transaction.
        #expect(host.enter("Ivo", into: "name"))
        let evaluations = host.evaluationCount
        try await kennel.elsewhere { realm in realm.delete(realm.objects(KennelDog.self)) }
        #expect(await host.settles { host.texts == ["name"] })
        #expect(host.evaluationCount == evaluations + 1)
        #expect(host.enter("nobody", into: "name") && host.texts == ["name"])
        token.invalidate()
        // One for each transaction, of which the deletion is the second.
        #expect(transactions == 2)
    }

    @Test("S40, CF-04: a file for each user beside the default one")
    func filePerUser() throws {
        let username = "GordonCole"
        let kennel = Kennel()
        let former = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = former }
        Realm.Configuration.defaultConfiguration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: kennel.directory.path("default.realm")), objectTypes: [KennelDog.self])
        let defaultRealm = try Realm()
        var config = Realm.Configuration.defaultConfiguration
        config.fileURL!.deleteLastPathComponent()
        config.fileURL!.appendPathComponent(username)
        config.fileURL!.appendPathExtension("realm")
        let realm = try Realm(configuration: config)
        #expect(realm != defaultRealm)
        for name in ["default.realm", "GordonCole.realm"] {
            #expect(FileManager.default.fileExists(atPath: kennel.directory.path(name)))
        }
        #expect(Realm.Configuration.defaultConfiguration.fileURL?.lastPathComponent == "default.realm")
    }

    struct Explicit: View {
        static let kennel = Kennel()
        @ObservedResults(KennelDog.self, configuration: kennel.configuration) var dogs
        var body: some View { ForEach(dogs) { Text($0.name) } }
    }

    @Test("S41, S44, UI-06: a configuration that is given goes before the environment's, and that before the default")
    func precedence() throws {
        let (standard, environment) = (Kennel(), Kennel())
        let former = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = former }
        Realm.Configuration.defaultConfiguration = standard.configuration
        try standard.filled("default")
        try environment.filled("environment")
        try Explicit.kennel.filled("explicit")
        let host = ViewHost(
            VStack {
                ContentView()
                Group {
                    ContentView()
                    Explicit()
                }
                .environment(\.realmConfiguration, environment.configuration)
            })
        #expect(host.texts == ["default", "environment", "explicit"])
    }

    struct LocalOnlyContentView: View {
        @ObservedResults(KennelDog.self) var dogs

        var body: some View {
            if dogs.first != nil {
                Text("\(dogs.count) dogs")
            } else {
                Button("Add") { $dogs.append(KennelDog(name: "Rex")) }
            }
        }
    }

    @Test("S42, UI-07: a view that branches on its results goes over to the other branch by itself")
    func localContent() async throws {
        let kennel = Kennel()
        let host = ViewHost(LocalOnlyContentView().environment(\.realmConfiguration, kennel.configuration))
        #expect(host.texts == ["Add"])
        #expect(host.press("Add"))
        #expect(await host.settles { host.texts == ["1 dogs"] })
    }

    struct RealmView: View {
        @Environment(\.realm) private var realm
        var body: some View { Text("\(realm.objects(KennelDog.self).count)") }
    }

    @Test("S20, UI-13: a realm in the environment is the one that the views below open")
    func injectedRealm() throws {
        let kennel = Kennel()
        let realm = try kennel.filled("Rex", "Ivo")
        let host = ViewHost(
            VStack {
                RealmView()
                LocalOnlyContentView()
            }
            .environment(\.realm, realm))
        #expect(host.texts == ["2", "2 dogs"])
    }
}
