import RealmSwift
import SwiftUI

/// Opens the notes of all devices, with what is new on the server if it answers soon, else as they are on this machine.
struct SyncedNotes<Content: View>: View {
    @AutoOpen(appId: NotesApp.id, partitionValue: "notes", timeout: 2_000) private var opening
    private let content: Content

    init(@ViewBuilder content: () -> Content) {
        self.content = content()
    }

    var body: some View {
        switch opening {
        case .connecting: ProgressView("connecting")
        case .waitingForUser: LoginView()
        case .progress(let progress): ProgressView(progress)
        case .open(let realm): content.environment(\.realm, realm)
        case .error(let error): Text("The notes can't be opened: \(error.localizedDescription)")
        }
    }
}

/// Logs in, which needs the server once.
struct LoginView: View {
    @State private var failure = ""

    var body: some View {
        Button("Log in") {
            Task {
                do {
                    _ = try await RealmSwift.App(id: NotesApp.id).login(credentials: .anonymous)
                } catch {
                    failure = error.localizedDescription
                }
            }
        }
        if !failure.isEmpty { Text("That didn't work: \(failure)") }
    }
}
