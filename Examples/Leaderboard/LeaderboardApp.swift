import RealmSwift
import SwiftUI

/// Who is how far, on every terminal at once. The server is that of `$REEVE_SERVER`.
///
///     leaderboard NAME [SEASON]
@main
struct LeaderboardApp: SwiftUI.App {
    /// Of the app on the server.
    static let id = "leaderboard"
    /// Under which this terminal plays.
    static let player = CommandLine.arguments.dropFirst().first ?? NSUserName()
    /// Each season is a partition: a realm of its own.
    static let season = CommandLine.arguments.dropFirst(2).first ?? "spring"

    var body: some Scene {
        WindowGroup("Leaderboard") {
            OpeningView().environment(\.partitionValue, Self.season)
        }
    }
}
