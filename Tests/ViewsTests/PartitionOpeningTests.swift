import Foundation
import RealmSwift
import SwiftUI
import TestSupport
import Testing

final class PartitionViewDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
}

// As the samples call it.
private typealias Dog = PartitionViewDog

/// Views that open partitions, against a server that comes and goes.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PartitionOpeningTests {
    static let appId = "views-partitions"

    struct DogsView: View {
        @ObservedResults(PartitionViewDog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
        var body: some View {
            Text(dogs.map(\.name).joined(separator: ", "))
            Button("Add") { $dogs.append(PartitionViewDog(value: ["name": "Zoe"])) }
        }
    }

    struct AsyncView: View {
        @AsyncOpen(appId: appId, partitionValue: "north", timeout: 10000) var asyncOpen

        var body: some View {
            switch asyncOpen {
            case .connecting: Text("connecting")
            case .waitingForUser: Text("waiting")
            case .open(let realm): DogsView().environment(\.realm, realm)
            case .progress: Text("progress")
            case .error(let error): Text(error.localizedDescription)
            }
        }
    }

    struct AutoView: View {
        @AutoOpen(appId: appId, partitionValue: "north", timeout: 1000) var autoOpen

        var body: some View {
            switch autoOpen {
            case .connecting: Text("connecting")
            case .waitingForUser: Text("waiting")
            case .open(let realm): DogsView().environment(\.realm, realm)
            case .progress: Text("progress")
            case .error(let error): Text(error.localizedDescription)
            }
        }
    }

    /// Has the partition of another view where it is told to.
    struct PlaceView: View {
        @State private var place = "south"
        var body: some View {
            AsyncView().environment(\.partitionValue, place)
            Button("north") { place = "north" }
        }
    }

    /// What another device of the user has put into two partitions.
    @MainActor private func fill(_ user: User, _ directory: TemporaryDirectory) async throws {
        for (partition, names) in [("north", ["Ada", "Rex"]), ("south", ["Ivo"])] {
            var configuration = user.configuration(partitionValue: partition)
            configuration.fileURL = URL(fileURLWithPath: directory.path("\(partition).realm"))
            configuration.objectTypes = [Dog.self]
            let realm = try await Realm(configuration: configuration)
            try realm.write { for name in names { realm.add(Dog(value: ["name": name])) } }
            try await realm.syncSession?.wait(for: .upload)
        }
    }

    @Test("S14, S19, S22, S23, UI-01, UI-02, UI-13: both open what is on the server, AutoOpen also without it")
    @MainActor func opening() async throws {
        SharedAgent.ensure()
        let directory = TemporaryDirectory()
        var server = try ServerUnderTest(directory)
        let port = server.port
        let app = App(id: Self.appId, configuration: AppConfiguration(baseURL: server.url))
        let user = try await app.login(credentials: .anonymous)
        try await fill(user, directory)
        // Other tests of this process have other classes.
        var usual = user.configuration(partitionValue: "north")
        usual.objectTypes = [Dog.self]
        let views = ViewHost(
            VStack {
                AsyncView()
                PlaceView()
                AutoView()
            }
            .environment(\.realmConfiguration, usual))
        let first = views.texts
        #expect(first.count == 4 && first[2] == "north" && Set(first).isSubset(of: ["connecting", "progress", "north"]))
        #expect(
            await views.settles {
                views.texts == ["Ada, Rex", "Add", "Ivo", "Add", "north", "Ada, Rex", "Add"]
            }, "\(views.texts)")
        #expect(views.press("north"))
        #expect(
            await views.settles {
                views.texts == ["Ada, Rex", "Add", "Ada, Rex", "Add", "north", "Ada, Rex", "Add"]
            }, "\(views.texts)")
        views.close()

        // Without a server, with the files of the first run.
        server.end(SIGKILL)
        let offline = ViewHost(AutoView().environment(\.realmConfiguration, usual))
        #expect(offline.texts == ["connecting"])
        #expect(await offline.settles { offline.texts == ["Ada, Rex", "Add"] }, "\(offline.texts)")
        #expect(offline.press("Add"))
        #expect(await offline.settles { offline.texts.first == "Ada, Rex, Zoe" })
        // No file at all: an empty realm.
        let empty = ViewHost(
            AutoView().environment(\.partitionValue, "east").environment(\.realmConfiguration, usual))
        #expect(await empty.settles { empty.texts == ["Add"] }, "\(empty.texts)")
        empty.close()
        // The written dog goes up when there is a server.
        server = try ServerUnderTest(directory, port: port)
        var configuration = user.configuration(partitionValue: "north")
        configuration.fileURL = URL(fileURLWithPath: directory.path("north.realm"))
        configuration.objectTypes = [Dog.self]
        let other = try await Realm(configuration: configuration)
        let dogs = other.objects(Dog.self)
        #expect(await offline.settles { dogs.count == 3 })
        offline.close()
        withExtendedLifetime(server) {}
    }
}
