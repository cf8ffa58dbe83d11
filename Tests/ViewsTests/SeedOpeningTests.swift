import Foundation
import RealmSwift
import SwiftUI
import TestSupport
import Testing

/// The views of the seed documents that open synced realms, as far as nobody has logged in.
@MainActor
@Suite(.serialized) struct SeedOpeningTests {
    static let flexibleSyncAppId = "views-flexible"
    static let partitionAppId = "views-partition"

    struct ErrorView: View {
        let error: Error
        var body: some View { Text(error.localizedDescription) }
    }

    struct DogsView: View {
        @ObservedResults(KennelDog.self) var dogs
        let realm: Realm
        var body: some View { Text("\(dogs.count) dogs") }
    }

    struct OpenFlexibleSyncRealmView: View {
        @AsyncOpen(appId: flexibleSyncAppId, timeout: 4000) var asyncOpen

        var body: some View {
            switch asyncOpen {
            case .connecting:
                ProgressView()
            case .waitingForUser:
                ProgressView("Waiting for user to log in...")
            case .open(let realm):
                DogsView(realm: realm)
                    .environment(\.realm, realm)
            case .progress(let progress):
                ProgressView(progress)
            case .error(let error):
                ErrorView(error: error)
            }
        }
    }

    struct OpenPartitionBasedSyncRealmView: View {
        @AutoOpen(appId: partitionAppId, partitionValue: "", timeout: 4000) var autoOpen

        var body: some View {
            switch autoOpen {
            case .connecting:
                ProgressView()
            case .waitingForUser:
                ProgressView("Waiting for user to log in...")
            case .open(let realm):
                DogsView(realm: realm)
                    .environment(\.realm, realm)
            case .progress(let progress):
                ProgressView(progress)
            case .error(let error):
                ErrorView(error: error)
            }
        }
    }

    init() {
        SharedAgent.ensure()
        // No server is there: nothing may depend on one.
        let nowhere = AppConfiguration(baseURL: "http://127.0.0.1:9")
        for id in [Self.flexibleSyncAppId, Self.partitionAppId] { _ = App(id: id, configuration: nowhere) }
    }

    @Test("S14 S20 S23, UI-03: without user and network both wait for one, whatever the time") func waiting() {
        let host = ViewHost(
            VStack {
                OpenFlexibleSyncRealmView()
                OpenPartitionBasedSyncRealmView().environment(\.partitionValue, "north")
            })
        #expect(host.texts == ["Waiting for user to log in...", "Waiting for user to log in..."])
        #expect(host.evaluationCount == 1)
        host.close()
    }

    struct Cancelled: View {
        @AsyncOpen(appId: flexibleSyncAppId) var asyncOpen
        var body: some View {
            if case .waitingForUser = asyncOpen { Text("waiting") }
            Button("stop") { _asyncOpen.cancel() }
        }
    }

    @Test("UI-05: an opening can be cancelled, and its states be iterated") func cancelled() {
        let host = ViewHost(Cancelled())
        #expect(host.texts == ["waiting", "stop"])
        host.press("stop")
        #expect(host.texts == ["waiting", "stop"])
    }
}
