import Foundation
import RealmSwift

// Collects the logs of any number of programs in one realm.
//
//     some-program | log-collector REALM collect NAME
//     log-collector REALM report | follow | prune DAYS

let arguments = Array(CommandLine.arguments.dropFirst())

func open(_ path: String) throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Entry.self, Source.self]))
}

do {
    switch (arguments.dropFirst().first, arguments.count) {
    case ("collect", 3):
        let count = try Collector(realm: open(arguments[0]), source: arguments[2]).run()
        say("\(count) lines collected")
    case ("report", 2):
        Report(realm: try open(arguments[0])).print()
    case ("follow", 2):
        let token = Report(realm: try open(arguments[0])).follow()
        withExtendedLifetime(token) { RunLoop.main.run() }
    case ("prune", 3):
        guard let days = Double(arguments[2]), days >= 0 else { fallthrough }
        say("\(try Report(realm: open(arguments[0])).prune(olderThan: days * 86_400)) lines pruned")
    default:
        FileHandle.standardError.write(
            Data("usage: log-collector REALM collect NAME | report | follow | prune DAYS\n".utf8))
        exit(2)
    }
} catch {
    FileHandle.standardError.write(Data("log-collector: \(error.localizedDescription)\n".utf8))
    exit(1)
}
