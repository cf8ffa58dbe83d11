import RealmSwift
import SwiftUI

/// Downloads the season before it shows it: a board that is not up to date would be of no use.
struct OpeningView: View {
    @AsyncOpen(appId: LeaderboardApp.id, partitionValue: "", timeout: 5_000) private var opening

    var body: some View {
        switch opening {
        case .connecting: ProgressView("connecting")
        case .waitingForUser: LoginView()
        case .progress(let progress): ProgressView(progress)
        case .open(let realm): BoardView().environment(\.realm, realm)
        case .error(let error): Text("The board can't be opened: \(error.localizedDescription)")
        }
    }
}

/// Logs in. Everybody may play, so nobody is asked for a password.
struct LoginView: View {
    @State private var failure: String?

    var body: some View {
        Text(failure ?? "logging in")
            .task {
                do {
                    _ = try await RealmSwift.App(id: LeaderboardApp.id).login(credentials: .anonymous)
                } catch {
                    failure = "Nobody can log in: \(error.localizedDescription)"
                }
            }
    }
}
