import CPlatform
import Foundation
import Wire

/// Stands between clients and an agent, passes frames on, and can lose one: the message that it holds back never
/// arrives, and the connection ends.
package final class FrameProxy: @unchecked Sendable {
    /// What is lost.
    package enum Loss: Sendable {
        /// The next request of a method: the agent never sees it.
        case request(String)
        /// The reply to it: the agent has done what was asked.
        case reply(String)
    }

    /// Where clients find the proxy.
    package let location: SocketLocation
    private let agent: SocketLocation
    private let listener: Int32
    private let lock = NSLock()
    private var losses: [Loss]
    private var requests: [String: Int] = [:]

    /// Loses each of `losses` once, in this order.
    package init(to agent: AgentUnderTest, losing losses: [Loss] = []) throws {
        self.agent = agent.location
        self.losses = losses
        let directory = agent.home.path("proxy")
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        location = try SocketLocation(path: directory + "/agent.sock")
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: location.path.utf8) }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(listener, 16) == 0 else { throw TestFailure("the proxy can't listen: \(errno)") }
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// Ends the proxy for new clients.
    package func close() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// How many requests of a method clients have sent, lost ones included.
    package func count(of method: String) -> Int { lock.withLock { requests[method] ?? 0 } }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let server = try? BlockingConnection(to: agent, deadline: .now + .seconds(10)) else {
                Foundation.close(client)
                continue
            }
            let link = Link(client: BlockingConnection(adopting: client), socket: client, server: server)
            Thread.detachNewThread { [self] in carryRequests(link) }
            Thread.detachNewThread { [self] in carryReplies(link) }
        }
    }

    private final class Link: @unchecked Sendable {
        let client: BlockingConnection
        let socket: Int32
        let server: BlockingConnection
        let lock = NSLock()
        private var methods: [Int64: String] = [:]

        init(client: BlockingConnection, socket: Int32, server: BlockingConnection) {
            self.client = client
            self.socket = socket
            self.server = server
        }

        func note(_ id: Int64?, _ method: String) {
            if let id { lock.withLock { methods[id] = method } }
        }

        func method(_ id: Int64) -> String? { lock.withLock { methods[id] } }

        func end() {
            client.shutdown()
            server.shutdown()
        }
    }

    private func carryRequests(_ link: Link) {
        defer { link.end() }
        while let frame = try? link.client.receiveFrame() {
            let (id, method) = frame.bytes.withUnsafeBytes { bytes -> (Int64?, String) in
                if case .request(let id, let method, _)? = try? UnsafeEnvelope(frame: bytes) { return (id, method) }
                return (nil, "")
            }
            link.note(id, method)
            let isLost = lock.withLock {
                requests[method, default: 0] += 1
                guard case .request(method)? = losses.first else { return false }
                losses.removeFirst()
                return true
            }
            if isLost || (try? link.server.send(frame.bytes)) == nil { return }
        }
    }

    private func carryReplies(_ link: Link) {
        defer { link.end() }
        while let frame = try? link.server.receiveFrame() {
            let id = frame.bytes.withUnsafeBytes { bytes -> Int64? in
                if case .result(let id, _)? = try? UnsafeEnvelope(frame: bytes) { return id }
                return nil
            }
            let isLost = lock.withLock {
                guard let id, let method = link.method(id), case .reply(method)? = losses.first else { return false }
                losses.removeFirst()
                return true
            }
            if isLost { return }
            if let descriptor = frame.descriptor {
                let sent = reeve_send_descriptor(link.socket, frame.bytes, frame.bytes.count, descriptor)
                Foundation.close(descriptor)
                guard sent == frame.bytes.count else { return }
            } else if (try? link.client.send(frame.bytes)) == nil {
                return
            }
        }
    }
}
