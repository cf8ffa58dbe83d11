import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Blocking client")
struct BlockingClientTests {
    /// Answers each request with what `answer` makes of it.
    private func client(
        _ answer: @escaping @Sendable (_ id: Int64, _ method: String, FrameEncoder) throws -> [[UInt8]]
    ) throws -> BlockingClient {
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
        let far = BlockingConnection(adopting: sockets[1])
        Thread {
            let encoder = FrameEncoder()
            while let frame = try? far.receiveFrame() {
                let replies = try? frame.bytes.withUnsafeBytes { bytes -> [[UInt8]] in
                    guard case .request(let id, let method, _) = try UnsafeEnvelope(frame: bytes) else { return [] }
                    return try answer(id ?? 0, method, encoder)
                }
                for reply in replies ?? [] { try? far.send(reply) }
            }
        }.start()
        return BlockingClient(BlockingConnection(adopting: sockets[0]), timeout: .seconds(10))
    }

    @Test("hello, a reply, a refusal, events in between")
    func calls() throws {
        let client = try client { id, method, encoder in
            switch method {
            case "hello":
                return [try encoder.result(HelloReply(agent: "1.2", pid: 3), id: id) { Array($0) }]
            case "snapshot.pin":
                let event = RealmChanged(realm: 1, version: 5, pin: 6, generation: 0)
                return [
                    try encoder.event(event) { Array($0) },
                    // To a request that was given up.
                    try encoder.result(Acknowledgement(), id: 1) { Array($0) },
                    try encoder.result(SnapshotPinReply(pin: 9, version: 5, generation: 0), id: id) { Array($0) }
                ]
            default:
                return [try encoder.failure(WireError(.unknownMethod, "no such method"), id: id) { Array($0) }]
            }
        }
        #expect(try client.hello(client: "test").agent == "1.2")
        #expect(client.agent?.pid == 3)
        #expect(try client.call(SnapshotPin(realm: 1)).pin == 9)
        #expect(try client.nextEvent().decoded(as: RealmChanged.self).pin == 6)
        let error = #expect(throws: WireError.self) { try client.call(RealmList()) }
        #expect(error?.name == "unsupportedFeature" && error?.facts["agent"] == .string("1.2"))
        let late = #expect(throws: WireError.self) { try client.nextEvent(timeout: .milliseconds(10)) }
        #expect(late?.name == "timedOut")
    }

    @Test("an error without id ends whatever is awaited")
    func connectionFailure() throws {
        let client = try client { _, _, encoder in
            [try encoder.failure(WireError(.outOfResources, "too many"), id: nil) { Array($0) }]
        }
        let error = #expect(throws: WireError.self) { try client.hello(client: "test") }
        #expect(error?.name == "outOfResources")
    }

    @Test("a result without its fields is badReply")
    func badReply() throws {
        let client = try client { id, _, encoder in [try encoder.result(Acknowledgement(), id: id) { Array($0) }] }
        let error = #expect(throws: WireError.self) { try client.call(SnapshotPin(realm: 1)) }
        #expect(error?.name == "badReply")
        #expect(error?.facts["field"] == .string("pin"))
    }
}
