import Foundation
import TestSupport

@testable import Sync

/// The recorded sessions of `protocol.json`: every message between original clients and servers.
struct ProtocolVectors {
    enum Side: String, Sendable {
        case client, server
    }

    struct Event {
        var connection: Int
        var from: Side
        /// A binary WebSocket message; nil for everything else.
        var message: [UInt8]?
        /// The head of an upgrade.
        var http: String?
        var closeCode: Int?
        var decoded: [String: Any]
    }

    struct Record {
        var name: String
        var events: [Event]

        /// What each connection agreed on, by its number.
        var protocols: [Int: SyncProtocol] {
            var result: [Int: SyncProtocol] = [:]
            for event in events where event.from == .server {
                guard let head = event.http else { continue }
                let lines = head.components(separatedBy: "\r\n")
                guard let token = lines.first(where: { $0.hasPrefix("Sec-WebSocket-Protocol: ") })?.dropFirst(24)
                else { continue }
                let mode: SyncProtocol.Mode = token.contains("query") ? .flexible : .partition
                result[event.connection] = try? SyncProtocol.accept(answered: String(token), mode: mode)
            }
            return result
        }
    }

    static let file = VectorCoding.directory.appendingPathComponent("protocol.json")
    static let isPresent = FileManager.default.isReadableFile(atPath: file.path)
    static let absence = "no golden data: set REEVE_VECTORS to the directory of protocol.json"

    static func load() throws -> [Record] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        guard let top = json as? [String: Any], let records = top["records"] as? [[String: Any]] else {
            throw VectorCoding.Unreadable("records")
        }
        return try records.map { record in
            let events = try (record["events"] as? [[String: Any]] ?? []).map { event in
                let decoded = event["decoded"] as? [String: Any] ?? [:]
                guard let from = Side(rawValue: event["from"] as? String ?? "") else {
                    throw VectorCoding.Unreadable("from")
                }
                let isMessage = event["frame"] as? String == "binary"
                return Event(
                    connection: event["connection"] as? Int ?? 0, from: from,
                    message: isMessage ? try VectorCoding.bytes(event["hex"]) : nil,
                    http: event["text"] as? String, closeCode: decoded["close_code"] as? Int, decoded: decoded)
            }
            return Record(name: record["name"] as? String ?? "", events: events)
        }
    }
}
