import CPlatform
import Foundation
import TestSupport
import Wire

/// A socket before a real agent that makes it look like one of another version: it says another version and other
/// features at hello, and doesn't know some methods. Everything else, descriptors too, goes through untouched.
final class AgentOfAnotherVersion: @unchecked Sendable {
    let location: SocketLocation
    private let agent: AgentUnderTest
    private let version: String
    private let features: [Feature]
    private let missing: Set<String>
    // Set once, before the accepting thread starts; that thread alone uses it.
    private let listener: Int32

    init(_ agent: AgentUnderTest, version: String, features: [Feature] = [.descriptors], missing: [Method] = []) throws
    {
        self.agent = agent
        self.version = version
        self.features = features
        self.missing = Set(missing.map(\.rawValue))
        let directory = agent.home.path("relay")
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        location = try SocketLocation(path: "\(directory)/agent.sock")
        unlink(location.path)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: location.path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 16) == 0 else { throw TestFailure("can't listen at \(location.path)") }
        Thread.detachNewThread { [self] in acceptClients() }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Foundation.close(listener)
    }

    private func acceptClients() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let real = try? agent.connectRaw() else {
                Foundation.close(client)
                continue
            }
            let relay = Relay(client: client, agent: real)
            Thread.detachNewThread { [self] in forwardRequests(relay) }
            Thread.detachNewThread { [self] in forwardReplies(relay) }
        }
    }

    /// The two ends of one conversation.
    private struct Relay: Sendable {
        let socket: Int32
        let client: BlockingConnection
        let agent: BlockingConnection

        init(client: Int32, agent: BlockingConnection) {
            socket = client
            self.client = BlockingConnection(adopting: client)
            self.agent = agent
        }
    }

    private func forwardRequests(_ relay: Relay) {
        while let frame = try? relay.client.receiveFrame() {
            let refusal = frame.bytes.withUnsafeBytes { bytes -> [UInt8]? in
                guard case .request(let id, let method, _) = try? UnsafeEnvelope(frame: bytes),
                    missing.contains(method)
                else { return nil }
                let error = WireError(.unknownMethod, "no method \(method)")
                return try? FrameEncoder().failure(error, id: id) { Array($0) }
            }
            if let refusal { try? relay.client.send(refusal) } else { try? relay.agent.send(frame.bytes) }
        }
        relay.agent.shutdown()
    }

    private func forwardReplies(_ relay: Relay) {
        while let frame = try? relay.agent.receiveFrame() {
            let bytes = disguised(frame.bytes)
            guard let descriptor = frame.descriptor else {
                try? relay.client.send(bytes)
                continue
            }
            let sent = reeve_send_descriptor(relay.socket, bytes, bytes.count, descriptor)
            Foundation.close(descriptor)
            if sent > 0, sent < bytes.count { try? relay.client.send(Array(bytes[sent...])) }
        }
        relay.client.shutdown()
    }

    /// A reply that names the agent's version (hello, status) as the other version would give it.
    private func disguised(_ frame: [UInt8]) -> [UInt8] {
        let reply = frame.withUnsafeBytes { bytes -> [UInt8]? in
            guard case .result(let id, let view) = try? UnsafeEnvelope(frame: bytes) else { return nil }
            var document = BSONDocument(view)
            guard document["agent"] == .string(ReeveVersion.current) else { return nil }
            document["agent"] = .string(version)
            if document["features"] != nil { document["features"] = .array(features.map { .string($0.rawValue) }) }
            return try? FrameEncoder().result(
                id: id,
                writing: { writer in
                    for element in document.elements { writer.value(.text(element.key), element.value) }
                },
                send: { Array($0) })
        }
        return reply ?? frame
    }
}
