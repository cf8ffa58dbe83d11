import Foundation
import RealmSwift

/// A terminal that shows a list, whoever changes it.
@MainActor
final class Window {
    private let commands: Commands
    private var token: NotificationToken?

    init(_ commands: Commands) {
        self.commands = commands
        let isTerminal = isatty(STDOUT_FILENO) == 1
        token = commands.list.items.observe { change in
            if case .error(let error) = change { say("no more news: \(error.localizedDescription)") }
            // The whole screen is drawn anew; what isn't one gets each state below the last.
            say((isTerminal ? "\u{1B}[2J\u{1B}[H" : "") + commands.text)
        }
    }

    func run(_ line: String) {
        do {
            if let answer = try commands.run(line) { say(answer) }
        } catch {
            say("not done: \(error.localizedDescription)")
        }
    }
}

/// Prints at once, also where nobody sits at a terminal.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}
