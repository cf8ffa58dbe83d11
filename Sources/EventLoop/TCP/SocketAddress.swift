import CUV
import Foundation

/// An IPv4 or IPv6 address with its port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    private var bytes: [UInt8]

    package enum Family: Hashable, Sendable { case v4, v6 }

    /// From what the system gives; nil for other families.
    init?(_ address: UnsafePointer<sockaddr>, length: Int) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            bytes = Array(UnsafeRawBufferPointer(start: address, count: MemoryLayout<sockaddr_in>.size))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            bytes = Array(UnsafeRawBufferPointer(start: address, count: MemoryLayout<sockaddr_in6>.size))
        default: return nil
        }
    }

    /// From a numeric address; nil if `host` isn't one. Asks nobody.
    package init?(numeric host: String, port: Int) {
        guard (0...65535).contains(port) else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        guard let first = Self.all(in: list).first else { return nil }
        self = first
    }

    /// The other end of a connected socket; nil if that isn't TCP.
    init?(ofPeer socket: Int32) {
        self.init(socket, getpeername)
    }

    /// Our end of a socket; nil if that isn't TCP.
    init?(ofSocket socket: Int32) {
        self.init(socket, getsockname)
    }

    private init?(
        _ socket: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> SocketAddress? in
                guard call(socket, address, &length) == 0 else { return nil }
                return SocketAddress(address, length: Int(length))
            }
        }
        guard let address else { return nil }
        self = address
    }

    /// The addresses of a list, in its order.
    static func all(in list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
        sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            guard let entry, let address = entry.pointee.ai_addr else { return nil }
            return SocketAddress(address, length: Int(entry.pointee.ai_addrlen))
        }
    }

    package var family: Family { bytes.count == MemoryLayout<sockaddr_in>.size ? .v4 : .v6 }

    /// Both families have the port at the same place.
    package var port: Int { Int(bytes[2]) << 8 | Int(bytes[3]) }

    var domain: Int32 { family == .v4 ? AF_INET : AF_INET6 }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result) rethrows -> Result {
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
        return try withUnsafePointer(to: &storage) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0, socklen_t(bytes.count)) }
        }
    }

    /// The numeric address without the port.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withSockaddr { getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
        guard status == 0 else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var description: String { Endpoint(host, port).description }
}
