import Foundation
import Wire

/// Says where one object stands between this device and the server.
enum WhyCommand: Command {
    static let name = "why"
    static let summary = "say where an object of a synced realm stands, and what it waits for"
    static let synopsis = "REALM CLASS KEY [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [KeyFile.option, .init("json", nil, "print one JSON document")]

    /// Returns 0 if the object is here and everything that was written to it here is on the server.
    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "KEY")
        let client = try AgentClient(key: KeyFile.key(arguments))
        // Not opened: who has the realm open wants it to be synced.
        let target = client.target(arguments.positional[0])
        let schema = try client.call(RealmSchemaRequest(target: target)).schema
        let table = try OpenRealm.classSchema(arguments.positional[1], in: schema)
        let key = try ObjectText.key(arguments.positional[2], table)
        let reply = try client.call(SyncExplain(target: target, className: table.name, key: key))
        let standing = ObjectStandingText(reply, name: "\(table.name) \(SyncDescription.text(key))")
        if arguments.has("json") { Output.json(standing.json) } else { standing.lines.forEach(Output.line) }
        return reply.exists && reply.unsentTransactions == 0 ? 0 : 1
    }
}

/// Where an object stands, in words and as JSON.
struct ObjectStandingText {
    let reply: SyncExplainReply
    /// The class, and the primary key.
    let name: String

    init(_ reply: SyncExplainReply, name: String) {
        self.reply = reply
        self.name = name
    }

    var lines: [String] { [sent, wait, rejection, subscription, writer, news].compactMap { $0 } }

    private var isUnsent: Bool { reply.unsentTransactions > 0 }

    private var sent: String {
        guard isUnsent else {
            return reply.exists
                ? "\(name) is here, and everything that was written to it here is on the server."
                : "There is no \(name) here, and nothing of it waits to be sent."
        }
        let count = reply.unsentTransactions
        let since = reply.unsentSince.map { count == 1 ? ", of \(time($0))" : ", the oldest of \(time($0))" } ?? ""
        let what = reply.exists ? "\(name) was changed here" : "\(name) was deleted here"
        return "\(what), and \(count == 1 ? "the transaction isn't" : "\(count) transactions aren't") on the server yet"
            + since + "."
    }

    /// What keeps it.
    private var wait: String? {
        guard isUnsent else { return nil }
        let session =
            "the session of user \(reply.state.target.user)"
            + (reply.state.target.partition.map { " for partition \($0)" } ?? "")
        if reply.isResetting {
            return "It waits for \(session), which is getting the server's state first (client reset)."
        }
        if let obstacle = reply.obstacle { return "It waits for \(session), which sends nothing: \(obstacle)." }
        let queue =
            reply.before > 0 ? " \(reply.before) earlier transaction\(reply.before == 1 ? " goes" : "s go") first." : ""
        switch reply.state.connection {
        case .connected: return "It is being sent by \(session)." + queue
        case .connecting: return "It waits for \(session), which is connecting to \(reply.state.target.server)." + queue
        case .disconnected:
            let since = reply.offlineSince.map { " since \(time($0))" } ?? ""
            return "It waits for \(session): there is no connection to \(reply.state.target.server)\(since)"
                + (reply.state.error.map { " (\($0))" } ?? "") + "." + queue
        }
    }

    private var rejection: String? {
        reply.rejection.map { rejection in
            "What was written to it here was undone" + (rejection.at.map { ", at \(time($0))" } ?? "")
                + ": \(rejection.reason)."
        }
    }

    private var subscription: String? {
        guard let isSubscribed = reply.isSubscribed else { return nil }
        let set = reply.state.subscriptions?.set
        if !isSubscribed { return "No subscription asks for objects of its class: the server doesn't send them." }
        switch set?.state {
        case .pending?, .bootstrapping?:
            return "The latest subscriptions aren't in force yet: what they ask for is still to come."
        case .error?: return "The server has refused the latest subscriptions" + (set?.error.map { ": \($0)." } ?? ".")
        default: return nil
        }
    }

    private var writer: String? {
        guard let writer = reply.lastWriter else { return nil }
        let who =
            switch writer.file {
            case 0: "on this device"
            case 1: "by the server"
            default: "by another device (file \(writer.file))"
            }
        return "It was written last \(who), at \(time(writer.at))."
    }

    /// What is said of an object that waits for nothing, but may be behind.
    private var news: String? {
        guard !isUnsent else { return nil }
        if reply.isResetting { return "The realm is getting the server's state (client reset)." }
        if let obstacle = reply.obstacle { return "What others write to it doesn't come: \(obstacle)." }
        guard reply.state.connection == .disconnected, let since = reply.offlineSince else { return nil }
        return
            "What others write to it comes with the next connection to \(reply.state.target.server); there has been none "
            + "since \(time(since))."
    }

    private func time(_ milliseconds: Int64) -> String { SyncDescription.time(milliseconds) }

    var json: [String: Any] {
        var json: [String: Any] = [
            "exists": reply.exists, "unsentTransactions": Int(reply.unsentTransactions), "before": Int(reply.before),
            "resetting": reply.isResetting, "text": lines, "realm": SyncDescription.json(reply.state)
        ]
        json["unsentSince"] = reply.unsentSince.map(time)
        json["obstacle"] = reply.obstacle
        json["offlineSince"] = reply.offlineSince.map(time)
        json["rejection"] = reply.rejection.map { rejection in
            var json = ["reason": rejection.reason]
            json["at"] = rejection.at.map(time)
            return json
        }
        json["lastWriter"] = reply.lastWriter.map { ["file": Int($0.file), "at": time($0.at)] as [String: Any] }
        json["subscribed"] = reply.isSubscribed
        return json
    }
}
