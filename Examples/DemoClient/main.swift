import Foundation
import RealmSwift

/// The programs of the demo: several processes of them share one realm.
let usage = """
    usage: demo-client REALM ROLE
      write NAME COUNT     make COUNT visits, one transaction each; print `acknowledged N` after each
      stall NAME           begin a visit, print `half-way`, and never finish it
      watch CODE-PREFIX SECONDS   print changes of the visits to places whose code begins so
      read SECONDS         print aggregates twice a second
      device-write NAME COUNT     REALM is a server's address: make COUNT visits on this device
      device-watch COUNT SECONDS  likewise: wait until COUNT visits are on this device; exit 1 if they don't come
      check LOG...         compare the realm with the logs of the writers; exit 1 if anything is off
    """

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first, let role = arguments.dropFirst().first else {
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(2)
}
let rest = Array(arguments.dropFirst(2))

let configuration = Realm.Configuration(
    fileURL: URL(fileURLWithPath: path), objectTypes: [Subdivision.self, Visit.self, Tally.self])

do {
    switch (role, rest.count) {
    case ("write", 2):
        guard let count = Int(rest[1]) else { throw Usage() }
        try Writer(name: rest[0], configuration: configuration).run(count: count)
    case ("stall", 1):
        try Writer(name: rest[0], configuration: configuration).stall()
    case ("watch", 2):
        guard let seconds = Double(rest[1]) else { throw Usage() }
        try Watcher(prefix: rest[0], configuration: configuration).run(seconds: seconds)
    case ("read", 1):
        guard let seconds = Double(rest[0]) else { throw Usage() }
        try Reader(configuration: configuration).run(seconds: seconds)
    case ("device-write", 2):
        guard let count = Int(rest[1]) else { throw Usage() }
        try await Device(server: path).write(rest[0], count: count)
    case ("device-watch", 2):
        guard let count = Int(rest[0]), let seconds = Double(rest[1]) else { throw Usage() }
        exit(try await Device(server: path).watch(count: count, seconds: seconds) ? 0 : 1)
    case ("check", 1...):
        exit(try Checker(configuration: configuration).run(logs: rest) ? 0 : 1)
    default:
        throw Usage()
    }
} catch is Usage {
    say(usage, to: .standardError)
    exit(2)
} catch {
    say("demo-client \(role): \(error.localizedDescription)", to: .standardError)
    exit(1)
}
