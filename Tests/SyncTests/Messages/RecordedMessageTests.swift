import Foundation
import Model
import TestSupport
import Testing

@testable import Sync

/// Every recorded message, against what the recording says of it, and back to its bytes.
@Suite(.enabled(if: ProtocolVectors.isPresent, Comment(rawValue: ProtocolVectors.absence)))
struct RecordedMessageTests {
    /// Bodies of the stand-in server, which writes JSON with spaces and in another order.
    private static func isSpacedJSON(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes, as: UTF8.self).hasPrefix("json_error") && bytes.contains(Array("\": ".utf8))
    }

    @Test func `recorded messages decode as described`() throws {
        var count = 0
        for record in try ProtocolVectors.load() {
            let protocols = record.protocols
            for (place, event) in record.events.enumerated() {
                guard let bytes = event.message, let agreed = protocols[event.connection] else { continue }
                let found: [String: Any]
                switch event.from {
                case .client:
                    found = MessageDescription.of(try ClientMessage(decoding: bytes, for: agreed), bytes: bytes)
                case .server:
                    found = MessageDescription.of(
                        try ServerMessage(decoding: bytes, for: agreed), bytes: bytes)
                }
                var expected = event.decoded
                expected["changesets"] = (expected["changesets"] as? [[String: Any]])?.map { entry in
                    entry.filter { $0.key != "instructions" }
                }
                // Entries are left out of the description where there are none.
                if expected["changesets"] == nil, found["changesets"] != nil { expected["changesets"] = [Any]() }
                #expect(
                    NSDictionary(dictionary: found) == NSDictionary(dictionary: expected), "\(record.name) \(place)")
                count += 1
            }
        }
        #expect(count > 800)
    }

    @Test func `recorded messages encode to the same bytes`() throws {
        var differing: [String] = []
        for record in try ProtocolVectors.load() {
            let protocols = record.protocols
            for (place, event) in record.events.enumerated() {
                guard let bytes = event.message, let agreed = protocols[event.connection] else { continue }
                let encoded: [UInt8]
                switch event.from {
                case .client:
                    let message = try ClientMessage(decoding: bytes, for: agreed)
                    encoded = message.encoded()
                    #expect(try ClientMessage(decoding: encoded, for: agreed) == message)
                case .server:
                    let message = try ServerMessage(decoding: bytes, for: agreed)
                    encoded = message.encoded(for: agreed)
                    #expect(try ServerMessage(decoding: encoded, for: agreed) == message)
                }
                if encoded != bytes, !Self.isSpacedJSON(bytes) { differing.append("\(record.name) \(place)") }
            }
        }
        #expect(differing == [])
    }

    @Test func `changesets of recorded messages are those described`() throws {
        var count = 0
        for record in try ProtocolVectors.load() {
            let protocols = record.protocols
            for event in record.events {
                guard let bytes = event.message, let agreed = protocols[event.connection],
                    let described = event.decoded["changesets"] as? [[String: Any]]
                else { continue }
                let changesets: [[UInt8]]
                if case .client = event.from,
                    case .upload(let upload) = try ClientMessage(decoding: bytes, for: agreed)
                {
                    changesets = upload.entries.map(\.changeset)
                } else if case .download(let download) = try ServerMessage(decoding: bytes, for: agreed) {
                    changesets = download.entries.map(\.changeset)
                } else {
                    continue
                }
                for (changeset, description) in zip(changesets, described) {
                    guard let list = description["instructions"] as? [[String: Any]] else { continue }
                    let found = try Changeset.decode(changeset)
                    // Long lists are cut in the description.
                    let readable = try list.filter { $0["op"] != nil }.map(VectorCoding.instruction)
                    #expect(Array(found.prefix(readable.count)) == readable, "\(record.name)")
                    count += 1
                }
            }
        }
        #expect(count > 100)
    }
}
