import RealmSwift
import SwiftUI

/// Notes in two windows. With SwiftUI it is an app as any other; elsewhere its windows are lines on a terminal.
///
///     notes [FILE]
@main
struct NotesApp: SwiftUI.App {
    init() {
        var configuration = Realm.Configuration(objectTypes: [Note.self])
        if CommandLine.arguments.count > 1 {
            configuration.fileURL = URL(fileURLWithPath: CommandLine.arguments[1])
        }
        Realm.Configuration.defaultConfiguration = configuration
    }

    var body: some Scene {
        WindowGroup("Notes") { NoteList() }
        WindowGroup("Pinned") { PinnedNotes() }
    }
}
