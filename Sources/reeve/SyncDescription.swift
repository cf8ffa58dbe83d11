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
        return text
    }

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
