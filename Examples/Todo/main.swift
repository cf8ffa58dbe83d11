import Foundation
import RealmSwift

// A to-do list in the terminal. Open it in two windows: each shows at once what the other one does.
//
//     todo REALM [LIST]            type commands, one a line; `help` lists them
//     todo REALM LIST COMMAND…     carry out one and show the list

var arguments = Array(CommandLine.arguments.dropFirst())
guard !arguments.isEmpty else {
    FileHandle.standardError.write(Data("usage: todo REALM [LIST [COMMAND…]]\n".utf8))
    exit(2)
}
let path = arguments.removeFirst()
let name = arguments.isEmpty ? "Today" : arguments.removeFirst()

do {
    let realm = try Realm(
        configuration: Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [TodoItem.self, TodoList.self]))
    let commands = try Commands(listNamed: name, in: realm)
    guard arguments.isEmpty else {
        if let answer = try commands.run(arguments.joined(separator: " ")) { say(answer) }
        say(commands.text)
        exit(0)
    }
    let window = Window(commands)
    // Lines are read beside the run loop, which delivers changes, and carried out on it.
    DispatchQueue.global().async {
        while let line = readLine(), line != "quit" {
            DispatchQueue.main.async { MainActor.assumeIsolated { window.run(line) } }
        }
        DispatchQueue.main.async { exit(0) }
    }
    RunLoop.main.run()
} catch {
    FileHandle.standardError.write(Data("todo: \(error.localizedDescription)\n".utf8))
    exit(1)
}
