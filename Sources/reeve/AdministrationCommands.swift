import Foundation

/// Apps of a sync server.
enum AppCommand: Command {
    static let name = "app"
    static let summary = "make, set up, migrate or list the apps of a sync server"
    static let synopsis =
        "create NAME [--partition-key PROPERTY:TYPE | --flexible] | permissions NAME [FILE] | "
        + "migrate NAME --to flexible|partition [--partition-key PROPERTY:TYPE] | set NAME [--anonymous on|off] [--api-keys on|off] "
        + "[--email off|automatic|mail] [--jwt-secret-file FILE | --jwt-key-file FILE | --jwks-url URL | --jwt-off] "
        + "[--jwt-audience TEXT] | list    [--data DIR] [--json]"
    static let options: [Arguments.Option] = [
        .init("partition-key", "PROPERTY:TYPE", "property and type (string, int, objectId, uuid; ? behind: or null)"),
        .init("flexible", nil, "objects are synced by subscriptions, not by partition"),
        .init("to", "KIND", "how a migrated app is synced from now on: flexible, or partition"),
        .init("anonymous", "on|off", "log-in without any proof"), .init("api-keys", "on|off", "log-in by API keys"),
        .init("email", "HOW", "accounts with address and password: off, confirmed automatically, or by mail"),
        .init("jwt-secret-file", "FILE", "log-in by tokens signed with this secret (HS256)"),
        .init("jwt-key-file", "FILE", "log-in by tokens signed with the private key of this public one (RS256, PEM)"),
        .init("jwks-url", "URL", "log-in by tokens signed with one of the keys published there (RS256)"),
        .init("jwt-audience", "TEXT", "what such tokens must be for; the app's name"),
        .init("jwt-off", nil, "no log-in by tokens"),
        ServerData.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        switch arguments.optional(0) {
        case "set":
            try arguments.expect("set", "NAME")
            var fields = ["name": arguments.positional[1]]
            for (option, field) in [
                ("anonymous", "anonymous"), ("api-keys", "apiKeys"), ("email", "email"), ("jwks-url", "jwksURL"),
                ("jwt-audience", "jwtAudience")
            ] { fields[field] = arguments.value(option) }
            fields["jwtSecret"] = try arguments.value("jwt-secret-file").map(secret)
            fields["jwtKey"] = try arguments.value("jwt-key-file").map(secret)
            if arguments.has("jwt-off") { fields["jwt"] = "off" }
            let app = try administer("app.set", fields, arguments)
            if !arguments.has("json") { Output.line("set up the app \(text(app, "id"))") }
        case "permissions": try permissions(arguments)
        case "migrate": try migrate(arguments)
        case "create":
            try arguments.expect("create", "NAME")
            var fields = ["name": arguments.positional[1]]
            fields["partitionKey"] = arguments.value("partition-key")
            if arguments.has("flexible") { fields["type"] = "flexible" }
            let app = try administer("app.create", fields, arguments)
            if !arguments.has("json") { Output.line("made the app \(text(app, "id"))") }
        case "list":
            try arguments.expect("list")
            let apps = try administer("app.list", [:], arguments)
            guard !arguments.has("json") else { break }
            Output.table(
                ["APP", "TYPE", "PARTITION KEY", "USERS"],
                rows(apps).map { row in ["id", "type", "partitionKey", "users"].map { text(row, $0) } })
        default: throw UsageError("create, set, permissions, migrate or list?")
        }
        return 0
    }

    /// What is in a file, without the line's end that editors leave there.
    private static func secret(_ path: String) throws -> String {
        var text = try String(contentsOfFile: path, encoding: .utf8)
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    /// Moves the objects of an app from partitions to flexible sync, or back.
    private static func migrate(_ arguments: Arguments) throws {
        try arguments.expect("migrate", "NAME")
        guard let kind = arguments.value("to"), ["flexible", "partition"].contains(kind) else {
            throw UsageError("--to flexible or --to partition?")
        }
        let name = arguments.positional[1]
        var fields = ["name": name, "to": kind]
        fields["partitionKey"] = arguments.value("partition-key")
        let watch = MigrationWatch(of: name, try ServerData.directory(arguments, make: false))
        defer { watch.end() }
        let answer = try administer("app.migrate", fields, arguments)
        guard !arguments.has("json") else { return }
        guard ((answer as? [String: Any])?["migrated"] as? NSNumber)?.boolValue == true else {
            return Output.line("the app \(name) is synced that way already")
        }
        watch.end()
        Output.line(
            kind == "flexible"
                ? "\(text(answer, "objects")) objects of \(text(answer, "partitions")) partitions are synced by subscriptions now"
                : "\(text(answer, "objects")) objects are in \(text(answer, "partitions")) partitions now")
        let corrected = text(answer, "corrected")
        if corrected != "0" {
            Output.line(
                "\(corrected) of them named another partition than the one that they were in; they name that one now")
        }
    }

    /// Puts the permissions of a file in force, or prints those that are.
    private static func permissions(_ arguments: Arguments) throws {
        var fields: [String: String] = [:]
        if let path = arguments.optional(2) {
            try arguments.expect("permissions", "NAME", "FILE")
            fields["permissions"] = try String(contentsOfFile: path, encoding: .utf8)
        } else {
            try arguments.expect("permissions", "NAME")
        }
        fields["name"] = arguments.positional[1]
        let answer = try administer("app.permissions", fields, arguments)
        guard !arguments.has("json") else { return }
        let permissions = text(answer, "permissions")
        if fields["permissions"] != nil {
            Output.line("the permissions of \(arguments.positional[1]) are in force")
        } else {
            Output.line(permissions.isEmpty ? "everybody may read and write everything" : permissions)
        }
    }
}

/// Users of a sync server.
enum UserCommand: Command {
    static let name = "user"
    static let summary = "list, disable, enable, delete or log out users of a sync server"
    static let synopsis = "list APP | disable USER | enable USER | delete USER | revoke USER    [--data DIR] [--json]"
    static let options: [Arguments.Option] = [ServerData.option, .init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        let action = arguments.optional(0) ?? ""
        switch action {
        case "list":
            try arguments.expect("list", "APP")
            let users = try administer("user.list", ["app": arguments.positional[1]], arguments)
            guard !arguments.has("json") else { break }
            Output.table(
                ["USER", "STATE", "LAST SEEN"],
                rows(users).map { user in
                    let seen = Date(timeIntervalSince1970: (user["lastSeenAt"] as? NSNumber)?.doubleValue ?? 0)
                    let isDisabled = (user["disabled"] as? NSNumber)?.boolValue == true
                    return [text(user, "id"), isDisabled ? "disabled" : "enabled", seen.formatted(.iso8601)]
                })
        case "disable", "enable", "delete", "revoke":
            try arguments.expect(action, "USER")
            let user = try administer("user." + action, ["user": arguments.positional[1]], arguments)
            if !arguments.has("json") { Output.line("\(action): \(text(user, "user"))") }
        default: throw UsageError("list, disable, enable, delete or revoke?")
        }
        return 0
    }
}

/// Connections of a sync server.
enum SessionCommand: Command {
    static let name = "session"
    static let summary = "list who is connected to a sync server"
    static let synopsis = "list [--data DIR] [--json]"
    static let options: [Arguments.Option] = [ServerData.option, .init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        guard arguments.optional(0) == "list" else { throw UsageError("list?") }
        try arguments.expect("list")
        let sessions = try administer("session.list", [:], arguments)
        guard !arguments.has("json") else { return 0 }
        Output.table(
            ["CONNECTION", "APP", "USER", "PROTOCOL", "CLIENT"],
            rows(sessions).map { row in ["id", "app", "user", "protocol", "agent"].map { text(row, $0) } })
        return 0
    }
}

/// Does a command; prints the answer if JSON is wanted.
private func administer(_ command: String, _ fields: [String: String], _ arguments: Arguments) throws -> Any {
    let directory = try ServerData.directory(arguments, make: command == "app.create")
    let answer = try AdministrationClient(dataDirectory: directory).perform(command, fields)
    if arguments.has("json") { Output.json(answer) }
    return answer
}

private func rows(_ answer: Any) -> [[String: Any]] { answer as? [[String: Any]] ?? [] }

private func text(_ answer: Any, _ key: String) -> String {
    switch (answer as? [String: Any])?[key] {
    case let text as String: text
    case let number as NSNumber: number.stringValue
    default: "-"
    }
}
