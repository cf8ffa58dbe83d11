import RealmSwift
import SwiftUI

/// Notes in two windows. With SwiftUI it is an app as any other; elsewhere its windows are lines on a terminal.
///
///     notes [FILE]
///     notes --sync          the server is that of $REEVE_SERVER
@main
struct NotesApp: SwiftUI.App {
    /// Of the app on the server.
    static let id = "notes"
    private let isSynced = CommandLine.arguments.dropFirst().first == "--sync"

    init() {
        var configuration = Realm.Configuration(objectTypes: [Note.self])
        if !isSynced, CommandLine.arguments.count > 1 {
            configuration.fileURL = URL(fileURLWithPath: CommandLine.arguments[1])
        }
        Realm.Configuration.defaultConfiguration = configuration
    }

    var body: some Scene {
        WindowGroup("Notes") { opened(NoteList()) }
        WindowGroup("Pinned") { opened(PinnedNotes()) }
    }

    @ViewBuilder private func opened(_ content: some View) -> some View {
        if isSynced { SyncedNotes { content } } else { content }
    }
}
