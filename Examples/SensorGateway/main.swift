import Foundation
import RealmSwift

// Reads what sensors say and sends it to the server of $REEVE_SERVER, whenever there is one.
//
//     some-sensors | sensor-gateway NAME ROOM

/// Prints one line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Opens at once: a gateway that starts without a network collects nevertheless.
@MainActor func open(_ user: User) throws -> Realm {
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Reading.self, Place.self]
    return try Realm(configuration: configuration)
}

/// The user of this gateway. Without a network only one who has logged in before is known.
func user(of app: App) async throws -> User {
    if let user = app.currentUser { return user }
    return try await app.login(credentials: .anonymous)
}

@MainActor func run(_ arguments: [String]) async throws {
    let app = App(id: "sensors")
    let gateway = Gateway(try open(await user(of: app)), name: arguments[0], room: arguments[1])
    say("ready")
    var last: CommitReceipt?
    while let line = readLine() {
        switch line.trimmingCharacters(in: .whitespaces) {
        case "": continue
        case "state":
            let isUploaded = if let last { try await Gateway.isUploaded(last) } else { true }
            say("\(gateway.stored) stored, \(isUploaded ? "all on the server" : "not all on the server")")
        case let reading:
            guard let receipt = try gateway.store(reading) else {
                say("not a reading: \(reading)")
                continue
            }
            last = receipt
            say("stored \(receipt)")
        }
    }
    // Readings go up in their order: where the last one is, all are.
    guard let last else { return say("nothing to send") }
    say("\(gateway.stored) stored; waiting for the server")
    switch try await last.wait() {
    case .uploaded, .durable: say("everything is on the server")
    case .rejected(let rejection): throw Gateway.Refusal(reason: rejection.reason)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: sensor-gateway NAME ROOM\n".utf8))
    exit(2)
}
do {
    try await run(arguments)
} catch {
    FileHandle.standardError.write(Data("sensor-gateway: \(error.localizedDescription)\n".utf8))
    exit(1)
}
