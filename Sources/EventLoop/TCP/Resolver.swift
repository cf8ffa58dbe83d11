import CUV
import Foundation

/// Finds the addresses of a host name, on libuv's threads.
@LoopActor
final class Resolver: Cancellable {
    private let request: UnsafeMutablePointer<uv_getaddrinfo_t>
    private let host: String
    private var completion: (@LoopActor (Result<[SocketAddress], NetworkError>) -> Void)?

    /// Begins to ask. `completion` is called once, later.
    init(
        _ host: String, port: Int, completion: @escaping @LoopActor (Result<[SocketAddress], NetworkError>) -> Void
    ) {
        self.host = host
        self.completion = completion
        request = .allocate(capacity: 1)
        request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | AI_ADDRCONFIG
        let status = uv_getaddrinfo(
            EventLoop.shared.uv, request,
            { @Sendable request, status, list in
                guard let request, let data = request.pointee.data else { return }
                let resolver = Unmanaged<Resolver>.fromOpaque(data).takeRetainedValue()
                let addresses = SocketAddress.all(in: list)
                uv_freeaddrinfo(list)
                request.deallocate()
                EventLoop.shared.enter { LoopActor.assumeIsolated { resolver.finish(status, addresses) } }
            }, host, String(port), &hints)
        guard status != 0 else { return }
        // A name that libuv doesn't even take; nobody is called back by it.
        request.deallocate()
        Unmanaged.passUnretained(self).release()
        EventLoop.shared.post { [self] in finish(status, []) }
    }

    func cancel() {
        completion = nil
    }

    private func finish(_ status: Int32, _ addresses: [SocketAddress]) {
        guard let completion else { return }
        self.completion = nil
        if addresses.isEmpty {
            let reason = status == 0 ? "no address" : uv_strerror(status).map { String(cString: $0) } ?? "\(status)"
            completion(.failure(NetworkError(.resolve, "the host name \(host) can't be resolved: \(reason)")))
        } else {
            completion(.success(addresses))
        }
    }
}
