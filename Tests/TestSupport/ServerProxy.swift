import CPlatform
import Foundation

/// Stands between an agent and a server, passes everything on, counts, and may delay or refuse.
package final class ServerProxy: @unchecked Sendable {
    // What changes is behind the lock.
    private let lock = NSLock()
    private var state = State()
    private let server: UInt16
    private let listener: Int32
    /// What apps are configured with.
    package let url: String

    private struct State {
        var requests: [String] = []
        var binds = 0
        var bytesDown = 0
        var refusals = 0
        var delay: (part: String, time: Duration)?
        var fault: Fault?
        var ends: [Ends] = []
    }

    /// What a server may say that is out of its mind.
    package enum Fault: CaseIterable, Sendable {
        /// Random bytes in place of an answer.
        case noise
        /// Random bytes once the WebSocket is open.
        case noisySocket
        /// Messages of random bytes.
        case noisyMessages
    }

    package init(to server: ServerUnderTest) throws {
        self.server = UInt16(server.port)
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = ServerProxy.address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard status else { throw TestFailure("the proxy can't listen: \(errno)") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in acceptAll() }
    }

    /// Ends it for new connections.
    package func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    // MARK: What it does

    /// Requests whose first line has a part wait for so long.
    package func delay(_ part: String, by time: Duration) { lock.withLock { state.delay = (part, time) } }

    /// The next so many connections for sync are refused, as with a token that isn't good any more.
    package func refuseConnections(_ count: Int) { lock.withLock { state.refusals = count } }

    /// All connections end.
    package func cutAll() { for ends in lock.withLock({ state.ends }) { ends.cut() } }

    /// From now on whoever connects for sync gets nothing but rubbish, as fast as it is read.
    package func spoil(_ fault: Fault) { lock.withLock { state.fault = fault } }

    // MARK: What it has seen

    /// First lines of requests.
    package var requests: [String] { lock.withLock { state.requests } }

    /// Requests whose first line has a part.
    package func count(_ part: String) -> Int { lock.withLock { state.requests.count { $0.contains(part) } } }

    /// Connections for sync that weren't refused, now or before.
    package var connections: Int { count("realm-sync") }

    /// BINDs that clients have sent.
    package var binds: Int { lock.withLock { state.binds } }

    /// Bytes that came from the server.
    package var bytesDown: Int { lock.withLock { state.bytesDown } }

    // MARK: Passing on

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = ServerProxy.address(server)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else {
                Foundation.close(client)
                Foundation.close(upstream)
                continue
            }
            let left = Ends(client, upstream)
            lock.withLock { state.ends.append(left) }
            Thread.detachNewThread { [self] in
                pass(from: client, to: upstream) { self.sawFromClient(&$0, $1, client) }
                left.leave()
            }
            Thread.detachNewThread { [self] in
                pass(from: upstream, to: client) { _, bytes in
                    let fault = lock.withLock { () -> Fault? in
                        state.bytesDown += bytes.count
                        return state.fault
                    }
                    guard let fault, bytes.starts(with: Array("HTTP/1.1 101".utf8)) else { return true }
                    pour(fault, after: bytes, to: client)
                    return false
                }
                left.leave()
            }
        }
    }

    /// Both sockets, closed when both directions are over.
    private final class Ends: @unchecked Sendable {
        // Behind the lock.
        private let lock = NSLock()
        private var users = 2
        private let sockets: [Int32]

        init(_ sockets: Int32...) { self.sockets = sockets }

        func cut() {
            lock.withLock {
                guard users > 0 else { return }
                for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }

        func leave() {
            lock.withLock {
                users -= 1
                for socket in sockets {
                    if users == 0 { Foundation.close(socket) } else { shutdown(socket, Int32(SHUT_RDWR)) }
                }
            }
        }
    }

    /// `look` says whether what came is passed on; it may keep something in a buffer of its own.
    private func pass(from: Int32, to: Int32, _ look: (inout Frames, ArraySlice<UInt8>) -> Bool) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var frames = Frames()
        while true {
            let count = recv(from, &bytes, bytes.count, 0)
            guard count > 0, look(&frames, bytes[..<count]) else { return }
            var sent = 0
            while sent < count {
                let done = bytes[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard done > 0 else { return }
                sent += done
            }
        }
    }

    /// Sends rubbish until nobody wants it any more.
    private func pour(_ fault: Fault, after head: ArraySlice<UInt8>, to client: Int32) {
        var generator = SystemRandomNumberGenerator()
        var bytes = fault == .noise ? [] : Array(head)
        while bytes.withUnsafeBytes({ send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) >= 0 {
            bytes = []
            while bytes.count < 16_384 {
                let count = UInt8.random(in: 1...125, using: &generator)
                if fault == .noisyMessages { bytes += [0x82, count] }
                for _ in 0..<count { bytes.append(UInt8.random(in: 0...255, using: &generator)) }
            }
        }
    }

    private func sawFromClient(_ frames: inout Frames, _ bytes: ArraySlice<UInt8>, _ client: Int32) -> Bool {
        if frames.isWebSocket {
            let binds = frames.read(bytes).count { $0.starts(with: Array("bind ".utf8)) }
            lock.withLock { state.binds += binds }
            return true
        }
        let line = String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self)
        guard line.hasSuffix("HTTP/1.1") else { return true }
        let isSync = line.contains("realm-sync")
        let (isRefused, delay) = lock.withLock { () -> (Bool, Duration?) in
            if isSync, state.refusals > 0 {
                state.refusals -= 1
                return (true, nil)
            }
            state.requests.append(line)
            return (false, state.delay.flatMap { line.contains($0.part) ? $0.time : nil })
        }
        if isRefused {
            let answer = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            _ = answer.withCString { send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
            return false
        }
        frames.isWebSocket = isSync
        if let delay { Thread.sleep(forTimeInterval: Double(delay.components.seconds) + 0.001) }
        return true
    }
}

/// The beginnings of the messages of a client's WebSocket.
private struct Frames {
    var isWebSocket = false
    private var buffer: [UInt8] = []

    mutating func read(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        buffer += bytes
        var found: [[UInt8]] = []
        while buffer.count >= 2 {
            var head = 2
            var length = Int(buffer[1] & 0x7F)
            let extra = length == 126 ? 2 : length == 127 ? 8 : 0
            guard buffer.count >= head + extra + 4 else { break }
            if extra > 0 { length = buffer[head..<(head + extra)].reduce(0) { $0 << 8 | Int($1) } }
            head += extra
            let mask = Array(buffer[head..<(head + 4)])
            head += 4
            guard buffer.count >= head + length else { break }
            found.append((0..<min(length, 16)).map { buffer[head + $0] ^ mask[$0 % 4] })
            buffer.removeFirst(head + length)
        }
        return found
    }
}
