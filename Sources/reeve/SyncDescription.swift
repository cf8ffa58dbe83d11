import Foundation
import Model
import Wire

/// A synced realm's state as text and as JSON.
enum SyncDescription {
    static func text(_ state: SyncStateReply) -> String {
        var text = "user \(state.target.user) of \(state.target.app) at \(state.target.server): \(state.connection)"
        if let partition = state.target.partition { text += ", partition \(partition)" }
        if state.paused {
            text += ", paused (reeve sync resume)"
        } else if state.session == .inactive {
            text += ", stopped"
        }
        if let error = state.error { text += "; \(error)" }
        if let subscriptions = state.subscriptions { text += "\n" + self.text(subscriptions) }
        return text
    }

    /// The latest set, a line for each subscription.
    private static func text(_ subscriptions: SubscriptionsReply) -> String {
        let set = subscriptions.set
        var lines = ["subscriptions: set \(set.version) is \(set.state)"]
        if set.state == .error, let error = set.error { lines[0] += " (\(error))" }
        if set.version != subscriptions.active { lines[0] += ", set \(subscriptions.active) is in force" }
        for item in set.subscriptions {
            lines.append("  \(item.name.map { "\($0), " } ?? "")\(item.className): \(item.query)")
        }
        return lines.joined(separator: "\n")
    }

    private static func json(_ subscriptions: SubscriptionsReply) -> [String: Any] {
        let set = subscriptions.set
        var json: [String: Any] = [
            "version": Int(set.version), "state": set.state.rawValue, "active": Int(subscriptions.active),
            "subscriptions": set.subscriptions.map { item in
                var json: [String: Any] = [
                    "id": item.id.description, "class": item.className, "query": item.query,
                    "created": time(item.created), "updated": time(item.updated)
                ]
                json["name"] = item.name
                return json
            }
        ]
        json["error"] = set.error
        return json
    }

    private static func time(_ time: Timestamp) -> String { self.time(time.seconds &* 1_000) }

    static func json(_ state: SyncStateReply) -> [String: Any] {
        var json: [String: Any] = [
            "app": state.target.app, "server": state.target.server, "user": state.target.user,
            "session": state.session.rawValue, "connection": state.connection.rawValue, "paused": state.paused,
            "unsentTransactions": Int(state.unsentTransactions), "unsentBytes": Int(state.unsentBytes),
            "unsentObjects": state.unsentObjects.map {
                ["class": $0.className, "key": text($0.key), "since": time($0.since)]
            }
        ]
        json["partition"] = state.target.partition
        json["oldestUnsent"] = state.oldestUnsent.map { time($0) }
        json["error"] = state.error
        json["subscriptions"] = state.subscriptions.map { self.json($0) }
        return json
    }

    /// A primary key.
    static func text(_ key: PrimaryKey) -> String {
        switch key {
        case .null: "null"
        case .int(let value): "\(value)"
        case .string(let value): value
        case .objectId(let value): value.description
        case .uuid(let value): value.uuidString.lowercased()
        case .global(let high, let low): "\(high)-\(low)"
        }
    }

    /// A time in milliseconds since 1970, as ISO 8601.
    static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1_000).formatted(.iso8601)
    }
}
