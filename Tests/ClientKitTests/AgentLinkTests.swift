import Foundation
import TestSupport
import Testing
import Wire

@testable import ClientKit

/// A request that can't be sent, and is found out only after others have gone on.
private struct UnsendableRequest: WireRequest {
    typealias Reply = Acknowledgement
    static let method = Method.snapshotPin
    private let isBeingBuilt: DispatchSemaphore?
    private let mayEnd: DispatchSemaphore?

    init(isBeingBuilt: DispatchSemaphore, mayEnd: DispatchSemaphore) {
        self.isBeingBuilt = isBeingBuilt
        self.mayEnd = mayEnd
    }

    init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        isBeingBuilt = nil
        mayEnd = nil
    }

    static func == (a: Self, b: Self) -> Bool { a.mayEnd === b.mayEnd }
    func hash(into hasher: inout Hasher) {}

    func write(to writer: BSONWriter) {
        isBeingBuilt?.signal()
        mayEnd?.wait()
        writer.string("filler", String(repeating: "x", count: 4096))
    }
}

@Suite("The connection's threads")
struct AgentLinkTests {
    /// A link to a socket that the test answers.
    private func link() throws -> (link: AgentLink, agent: BlockingConnection) {
        var sockets: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0 else {
            throw TestFailure("no socket pair: \(errno)")
        }
        let reply = HelloReply(agent: "test", pid: 1, limits: Limits(frame: 1024))
        let link = AgentLink(
            BlockingConnection(adopting: sockets[0]), agent: reply, onEvent: { _, _, _ in },
            onLoss: { _ in }, wantsEvents: { false })
        return (link, BlockingConnection(adopting: sockets[1]))
    }

    private func request(_ agent: BlockingConnection) throws -> Int64 {
        let frame = try agent.receiveFrame()
        return try frame.bytes.withUnsafeBytes { bytes in
            guard case .request(let id?, _, _) = try UnsafeEnvelope(frame: bytes) else {
                throw TestFailure("no request")
            }
            return id
        }
    }

    private func answer(_ id: Int64, _ agent: BlockingConnection) throws {
        try FrameEncoder().result(SnapshotPinReply(pin: id, version: 1, generation: 1), id: id) {
            try agent.send($0)
        }
    }

    // Whom the reader hands over to is left to chance: one round in two meets the thread that leaves.
    @Test("who leaves without having read lets another thread read", arguments: 0..<12)
    func leaving(round: Int) throws {
        let (link, agent) = try link()
        let done = ClientKit.Lock<Set<String>>([])
        func call(_ name: String) {
            Thread {
                _ = try? link.call(SnapshotPin(realm: 1))
                done.withLock { _ = $0.insert(name) }
            }.start()
        }
        call("reader")
        let first = try request(agent)
        call("waiter")
        let second = try request(agent)
        let (isBeingBuilt, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread {
            _ = try? link.call(UnsendableRequest(isBeingBuilt: isBeingBuilt, mayEnd: mayEnd))
            done.withLock { _ = $0.insert("leaver") }
        }.start()
        isBeingBuilt.wait()
        try answer(first, agent)
        #expect(eventually { done.withLock { $0.contains("reader") } })
        mayEnd.signal()
        #expect(eventually { done.withLock { $0.contains("leaver") } })
        try answer(second, agent)
        #expect(eventually(within: .seconds(3)) { done.withLock { $0.contains("waiter") } })
        agent.shutdown()
    }
}
