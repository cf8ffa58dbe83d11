import EventLoop
import Foundation
import Server

/// Runs a sync server.
enum ServerCommand: Command {
    static let name = "server"
    static let summary = "run a sync server"
    static let synopsis =
        "[--data DIR] [--listen HOST:PORT]… [--tls-certificate FILE --tls-key FILE] [--public-url URL] [--offline-days N] "
        + "[--mail-command PROGRAM] [--development] [--verbose]"
    static let options: [Arguments.Option] = [
        ServerData.option,
        .init(
            "listen", "HOST:PORT", "where to listen (127.0.0.1:9090); may be given several times, * is every address"),
        .init("tls-certificate", "FILE", "certificate and those in between, PEM"),
        .init("tls-key", "FILE", "the certificate's private key, PEM"),
        .init("public-url", "URL", "what clients are told to connect to, if not the name by which they come"),
        .init("offline-days", "N", "how long a device may stay away before it has to start anew (30)"),
        .init("mail-command", "PROGRAM", "what sends mails: one run for each, which gets it as JSON"),
        .init("development", nil, "make apps when a client asks for them"),
        .init("verbose", nil, "log more")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        var configuration = ServerConfiguration(dataDirectory: try ServerData.directory(arguments, make: true))
        let places = arguments.all("listen")
        if !places.isEmpty { configuration.listen = try places.map(endpoint) }
        switch (arguments.value("tls-certificate"), arguments.value("tls-key")) {
        case (let chain?, let key?): configuration.certificate = .init(chain: chain, key: key)
        case (nil, nil): break
        default: throw UsageError("--tls-certificate and --tls-key belong together")
        }
        configuration.publicURL = arguments.value("public-url")
        if let days = try arguments.number("offline-days", minimum: 1) {
            guard days <= 36_500 else { throw UsageError("--offline-days takes at most 36500 days") }
            configuration.sync.history.maximumOfflineTime = UInt64(days) * 86_400_000
        }
        if let program = arguments.value("mail-command") {
            guard program.hasPrefix("/"), access(program, X_OK) == 0 else {
                throw UsageError("--mail-command takes the path of a program, from / on")
            }
            configuration.mailCommand = program
        }
        configuration.isDevelopment = arguments.has("development")
        return try ServerProcess.run(
            configuration, log: .standardError(from: arguments.has("verbose") ? .debug : .info))
    }

    private static func endpoint(_ text: String) throws -> Endpoint {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("--listen takes an address and a port, such as 127.0.0.1:9090, not \"\(text)\"")
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { throw UsageError("--listen needs an address before the port; * is every address") }
        return Endpoint(String(host), Int(port))
    }
}

/// The data directory of a server, on command lines.
enum ServerData {
    static let option = Arguments.Option(
        "data", "DIR", "the server's data directory ($REEVE_SERVER_DATA, else ~/.local/share/reeve/server)")

    /// The directory that was named, or the default; with `make`, those above it are made.
    static func directory(_ arguments: Arguments, make: Bool = false) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        if let named = arguments.value("data") ?? environment["REEVE_SERVER_DATA"] {
            guard !named.isEmpty else { throw UsageError("--data needs a directory") }
            return URL(fileURLWithPath: named).standardizedFileURL.path
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw UsageError("there is no home directory; name the data directory with --data")
        }
        let shared = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        if make {
            try FileManager.default.createDirectory(
                atPath: shared + "/reeve", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        return shared + "/reeve/server"
    }
}
