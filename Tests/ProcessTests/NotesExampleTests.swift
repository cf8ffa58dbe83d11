import Foundation
import TestSupport
import Testing

/// `Examples/Notes` on a terminal.
@Suite struct NotesExampleTests {
    @Test func twoTerminalsShareNotesAndOneIsKilled() throws {
        let agent = try AgentUnderTest().start()
        let realm = agent.home.path("notes.realm")
        let first = try TerminalProgram("notes", [realm], environment: agent.clientEnvironment)
        try first.wait(for: "── window 1 of 2 ──", "Notes", "[1 Search: ]", "[2 New note: ]  [- Add]", "0 notes")
        let second = try TerminalProgram("notes", [realm], environment: agent.clientEnvironment)
        try second.wait(for: "0 notes")

        first.type("2 Groceries")
        try first.wait(for: "[2 New note: Groceries]  [3 Add]", "0 notes")
        first.type("3")
        try first.wait(for: "1) [2   pin]  [3 Groceries]", "[4 New note: ]  [- Add]", "1 note")
        try second.wait(for: "1) [2   pin]  [3 Groceries]", "[4 New note: ]  [- Add]", "1 note")

        // The second window of the second terminal, while the first one pins and edits.
        second.type("w 2")
        try second.wait(for: "── window 2 of 2 ──", "Pinned", "nothing is pinned")
        first.type("2")
        try second.wait(for: "Pinned", "· Groceries")
        first.type("3")
        try first.wait(for: "[1 Title: Groceries]", "[2 Text: ]", "[3 Done]")
        first.type("2 milk, bread")
        try second.wait(for: "· Groceries: milk, bread")
        first.kill()

        second.type("w 1")
        var mark = second.screen.count
        second.type("1 nothing like it")
        try second.wait(for: "0 notes", after: mark)
        second.type("1")
        second.type("- 1")
        mark = second.screen.count
        second.type("w 2")
        try second.wait(for: "Pinned", "nothing is pinned", after: mark)
        second.type("q")
        #expect(try second.finish() == 0)
    }
}
