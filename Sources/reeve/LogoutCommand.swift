import ClientKit
import Foundation
import Wire

/// Logs a user out on this machine, who may have changes that aren't on the server.
enum LogoutCommand: Command {
    static let name = "logout"
    static let summary = "log a user of an app out, who may have something to send"
    static let synopsis =
        "APP [USER] [--server URL] [--after-upload | --discard] [--remove] [--timeout SECONDS] [--json]"
    static let options: [Arguments.Option] = [
        .init("server", "URL", "the app's server ($REEVE_SERVER, else http://localhost:9090)"),
        .init("after-upload", nil, "wait until everything is on the server, then delete the user's realm files"),
        .init("discard", nil, "give up what isn't on the server, and delete the user's realm files at once"),
        .init("remove", nil, "forget the user, too"),
        .init("timeout", "SECONDS", "with --after-upload: give up after so long, and change nothing"),
        .init("json", nil, "print one JSON document")
    ]

    /// Returns 1 if the user has unsent changes, and nothing says what is to become of them.
    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("APP", "[USER]")
        if arguments.has("after-upload"), arguments.has("discard") {
            throw UsageError("give either --after-upload or --discard")
        }
        let timeout = try arguments.number("timeout").map { Int64(clamping: $0).multipliedReportingOverflow(by: 1_000) }
        let policy: UnsentPolicy =
            arguments.has("after-upload") ? .upload : arguments.has("discard") ? .discard : .refuse
        let client = try AgentClient()
        try client.require(.departures)
        let app = AppIdentity(
            id: arguments.positional[0], baseURL: arguments.value("server") ?? AppConfiguration.builtInURL)
        let id = try user(arguments.optional(1), of: app, client)
        let limit = timeout.map { $0.overflow ? .max : $0.partialValue }
        var serverError: WireError?
        do {
            if arguments.has("remove") {
                _ = try client.call(AppRemove(app: app, user: id, unsent: policy, timeoutMilliseconds: limit))
            } else {
                _ = try client.call(AppLogout(app: app, user: id, unsent: policy, timeoutMilliseconds: limit))
            }
        } catch let error as WireError where isServers(error) {
            serverError = error
        }
        if arguments.has("json") {
            var json: [String: Any] = ["app": app.id, "user": id, "filesDeleted": policy != .refuse]
            json["serverError"] = serverError?.message
            Output.json(json)
        } else {
            Output.line(
                "user \(id) is logged out" + (policy == .refuse ? "" : "; the realm files are deleted")
                    + (serverError.map { "; the server doesn't know: \($0.message)" } ?? ""))
        }
        return 0
    }

    /// What the server says, or that it says nothing, comes when the user is logged out here already.
    private static func isServers(_ error: WireError) -> Bool {
        [.appError, .serverUnreachable, .badServerAnswer].contains(error.code)
    }

    /// Who is meant: the current user, if nobody is named.
    private static func user(_ name: String?, of app: AppIdentity, _ client: AgentClient) throws -> String {
        let known = try client.call(AppUsers(app: app))
        if let id = name ?? known.current, known.users.contains(where: { $0.id == id }) { return id }
        let list = known.users.map { "\($0.id) (\($0.state.rawValue))" }.joined(separator: ", ")
        throw WireError(
            .unknownUser,
            (name.map { "app \(app.id) has no user \($0) here" } ?? "nobody is logged in to app \(app.id) here")
                + "; users at \(app.baseURL): \(list.isEmpty ? "none" : list)")
    }
}
