import Foundation

/// A listening TCP socket. How it fares when descriptors run out is `PipeListener`'s doing.
package final class TCPListener: NetworkListener {
    package let endpoint: Endpoint
    private let listener: PipeListener

    /// Listens at a numeric address, `localhost` (127.0.0.1), or `*` (every address of both families).
    package init(_ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void) throws {
        let candidates: [String] =
            switch endpoint.host {
            case "*": ["::", "0.0.0.0"]
            case "localhost": ["127.0.0.1"]
            default: [endpoint.host]
            }
        let addresses = candidates.compactMap { SocketAddress(numeric: $0, port: endpoint.port) }
        guard !addresses.isEmpty else {
            throw NetworkError(
                .address, "can't listen at \(endpoint): give a numeric address, localhost, or * for all addresses")
        }
        let socket = try Self.bind(addresses, at: endpoint)
        self.endpoint = Endpoint(endpoint.host, SocketAddress(ofSocket: socket)?.port ?? endpoint.port)
        listener = try PipeListener(adopting: socket) { connection in
            if let descriptor = connection.descriptor { TCPSocket.configure(descriptor) }
            accepted(connection)
        }
    }

    package var mayAccept: @LoopActor () -> Bool {
        get { listener.mayAccept }
        set { listener.mayAccept = newValue }
    }

    package var refusedCount: Int { listener.refusedCount }

    /// What a refused peer is sent before its connection is closed. Best effort.
    package var refusal: [UInt8] {
        get { listener.refusal }
        set { listener.refusal = newValue }
    }

    package func close() { listener.close() }

    /// Binds the first of the addresses that the machine has.
    private static func bind(_ addresses: [SocketAddress], at endpoint: Endpoint) throws -> Int32 {
        var failure = LoopError("bind", errorNumber: EADDRNOTAVAIL, path: endpoint.description)
        for address in addresses {
            let socket: Int32
            do {
                socket = try TCPSocket.make(address.domain)
            } catch let error as LoopError {
                // A machine without IPv6.
                failure = error
                continue
            }
            TCPSocket.set(socket, SOL_SOCKET, SO_REUSEADDR, 1)
            if address.family == .v6 {
                TCPSocket.set(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, endpoint.host == "*" ? 0 : 1)
            }
            if address.withSockaddr({ Foundation.bind(socket, $0, $1) }) == 0 { return socket }
            failure = LoopError("bind", errorNumber: errno, path: endpoint.description)
            Foundation.close(socket)
        }
        throw failure
    }
}
