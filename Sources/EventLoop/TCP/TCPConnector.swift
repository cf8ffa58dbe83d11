import Foundation

/// Connects to the first address of a host that answers.
///
/// Addresses of both families are tried in turns, the next one as soon as the last has failed or kept us waiting for
/// `patience`: a network whose IPv6 leads nowhere costs a moment, not a time-out.
@LoopActor
final class TCPConnector: Cancellable {
    static let patience: Duration = .milliseconds(250)

    private let endpoint: Endpoint
    private var completion: (@LoopActor (Result<any ByteStream, NetworkError>) -> Void)?
    private var resolver: Resolver?
    private var waiting: [SocketAddress] = []
    private var attempts: [(socket: Int32, watcher: WritableWatcher)] = []
    private var failures: [String] = []
    private var deadline: LoopTimer?
    private var next: LoopTimer?

    init(
        _ endpoint: Endpoint, within deadline: Duration,
        completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) {
        self.endpoint = endpoint
        self.completion = completion
        let timer = LoopTimer { [self] in
            finish(.failure(NetworkError(.timeout, "\(endpoint) doesn't answer within \(deadline)")))
        }
        timer.start(after: deadline)
        self.deadline = timer
        next = LoopTimer { [self] in tryNext() }
        if !(1...65535).contains(endpoint.port) {
            refuseLater(NetworkError(.address, "\(endpoint) has no usable port"))
        } else if let address = SocketAddress(numeric: endpoint.host, port: endpoint.port) {
            waiting = [address]
            next?.start(after: .zero)
        } else {
            resolver = Resolver(endpoint.host, port: endpoint.port) { [self] in didResolve($0) }
        }
    }

    func cancel() {
        completion = nil
        tearDown()
    }

    private func refuseLater(_ error: NetworkError) {
        EventLoop.shared.post { [self] in finish(.failure(error)) }
    }

    private func didResolve(_ result: Result<[SocketAddress], NetworkError>) {
        resolver = nil
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let addresses):
            waiting = Self.interleaved(addresses)
            tryNext()
        }
    }

    /// The families in turns, beginning with that of the first address; within a family the order stays.
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        let preferred = addresses.filter { $0.family == first.family }
        let others = addresses.filter { $0.family != first.family }
        return (0..<max(preferred.count, others.count)).flatMap { index in
            [preferred, others].compactMap { index < $0.count ? $0[index] : nil }
        }
    }

    private func tryNext() {
        while completion != nil, !waiting.isEmpty {
            let address = waiting.removeFirst()
            do {
                try connect(address)
                if !waiting.isEmpty { next?.start(after: Self.patience) }
                return
            } catch {
                failures.append("\(address): \(error)")
            }
        }
        giveUpIfNothingIsLeft()
    }

    private func connect(_ address: SocketAddress) throws {
        let socket = try TCPSocket.make(address.domain)
        var status = address.withSockaddr { Foundation.connect(socket, $0, $1) }
        if status != 0, errno == EINPROGRESS || errno == EINTR { status = 0 }
        do {
            guard status == 0 else { throw LoopError("connect", errorNumber: errno) }
            let watcher = try WritableWatcher(socket: socket) { [self] in didConnect(socket, address) }
            attempts.append((socket, watcher))
        } catch {
            Foundation.close(socket)
            throw error
        }
    }

    private func didConnect(_ socket: Int32, _ address: SocketAddress) {
        guard completion != nil, let index = attempts.firstIndex(where: { $0.socket == socket }) else { return }
        attempts.remove(at: index)
        let error = TCPSocket.get(socket, SOL_SOCKET, SO_ERROR)
        if error == 0 {
            TCPSocket.configure(socket)
            // Takes the socket over, also when it fails.
            if let connection = try? PipeConnection(adopting: socket) { return finish(.success(connection)) }
            failures.append("\(address): no memory for the connection")
        } else {
            Foundation.close(socket)
            failures.append("\(address): \(LoopError("connect", errorNumber: error))")
        }
        next?.cancel()
        tryNext()
    }

    private func giveUpIfNothingIsLeft() {
        guard attempts.isEmpty, waiting.isEmpty else { return }
        let reasons = failures.joined(separator: "; ")
        finish(.failure(NetworkError(.connect, "no connection to \(endpoint): \(reasons)")))
    }

    private func finish(_ result: Result<any ByteStream, NetworkError>) {
        guard let completion else { return }
        self.completion = nil
        tearDown()
        completion(result)
    }

    private func tearDown() {
        resolver?.cancel()
        resolver = nil
        deadline?.close()
        deadline = nil
        next?.close()
        next = nil
        for attempt in attempts {
            attempt.watcher.close()
            Foundation.close(attempt.socket)
        }
        attempts = []
        waiting = []
    }
}
