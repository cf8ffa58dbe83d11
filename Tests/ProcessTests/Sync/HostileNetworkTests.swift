import Foundation
import TestSupport
import Testing
import Wire

/// Peers of a server process that follow no rule.
@Suite struct HostileNetworkTests {
    @Test(
        "half requests, and frames that are unmasked, huge, torn or no UTF-8: the server drops them, and syncs on (P-22, P-24)"
    )
    func frames() throws {
        let server = try ServerUnderTest()
        let (a, b) = (try SyncedDevice(server.url), try SyncedDevice(server.url))
        for device in [a, b] {
            try device.open()
            try device.wait(.upload)
        }
        // Who begins a request and never ends it.
        let slow = try (0..<200).map { _ in try RawSocket(port: server.port) }
        for socket in slow { socket.send(Array("GET /api/client/v2.0/app/tasks/loc".utf8)) }
        let user = try #require(try a.wire.call(AppUsers(app: a.app, user: a.user, tokens: true)).users.first)
        let token = try #require(user.accessToken)
        let mask: [UInt8] = [1, 2, 3, 4]
        let frames: [[UInt8]] = [
            // Unmasked.
            [0x82, 3, 1, 2, 3],
            // As long as there are numbers for, and a little too long.
            [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] + mask,
            [0x82, 0xFF, 0, 0, 0, 0, 0x20, 0, 0, 0] + mask,
            // A text that is none.
            [0x81, 0x82] + mask + [0xC3 ^ 1, 0x28 ^ 2],
            // Reserved bits and opcodes, a fragment of nothing, a control frame in pieces.
            [0xF2, 0x80] + mask, [0x83, 0x80] + mask, [0x80, 0x80] + mask, [0x09, 0x80] + mask,
            // A message of random bytes.
            [0x82, 0xA0] + mask + (0..<32).map { _ in UInt8.random(in: 0...255) }
        ]
        for frame in frames {
            let socket = try RawSocket(port: server.port)
            socket.send(
                Array(
                    ("GET /api/client/v2.0/app/tasks/realm-sync?baas_at=\(token) HTTP/1.1\r\nHost: h\r\n"
                        + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        + "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n"
                        + "Sec-WebSocket-Protocol: com.mongodb.realm-sync#14\r\n\r\n").utf8))
            #expect(socket.receive().starts(with: Array("HTTP/1.1 101".utf8)))
            socket.send(frame)
            // Whatever it says last, it says no more.
            while !socket.receive().isEmpty {}
        }
        try a.put([(1, "still there")])
        try a.wait(.upload)
        try b.wait(.download)
        #expect(try b.tasks() == [1: "still there"])
        #expect(server.isRunning)
        withExtendedLifetime(slow) {}
    }
}

/// A TCP connection on which anything can be said.
private final class RawSocket {
    private let descriptor: Int32

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw TestFailure("the server doesn't take a connection: \(errno)") }
        // A server that never ends the connection fails the test instead of stopping it.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// What comes next; empty at the end.
    func receive() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 { #expect(errno == ECONNRESET, "the connection doesn't end: \(errno)") }
        return Array(bytes.prefix(max(0, count)))
    }
}
