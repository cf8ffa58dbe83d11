import RealmSwift
import SwiftUI

/// All players, the best first, with buttons for the one who plays here.
struct BoardView: View {
    @ObservedResults(Player.self, sortDescriptor: SortDescriptor(keyPath: "score", ascending: false)) private
        var players

    var body: some View {
        List {
            ForEach(players) { player in
                PlayerRow(player: player)
            }
        }
        if players.contains(where: { $0._id == LeaderboardApp.player }) {
            Text("season \(LeaderboardApp.season), \(players.count) playing")
        } else {
            Button("Join as \(LeaderboardApp.player)") {
                $players.append(Player(name: LeaderboardApp.player))
            }
        }
    }
}

/// A line of the board.
struct PlayerRow: View {
    @ObservedRealmObject var player: Player

    var body: some View {
        HStack {
            Text("\(player._id) \(player.score)")
            if player._id == LeaderboardApp.player {
                Button("+1") { score(1) }
                Button("+10") { score(10) }
            }
        }
    }

    private func score(_ points: Int) {
        $player.score.wrappedValue += points
        $player.lastScored.wrappedValue = Date()
    }
}
