/// A connection in memory, and what can befall it.
@LoopActor
package final class MemoryLink {
    package let endpoint: Endpoint
    package let client: MemoryStream
    package let server: MemoryStream
    private let closedBoth: @LoopActor (MemoryLink) -> Void
    private var closed = 0

    init(
        _ conditions: MemoryConditions, _ endpoint: Endpoint, closedBoth: @escaping @LoopActor (MemoryLink) -> Void
    ) {
        self.closedBoth = closedBoth
        self.endpoint = endpoint
        client = MemoryStream(conditions, peerName: "memory \(endpoint)")
        server = MemoryStream(conditions, peerName: "memory client of \(endpoint)")
        client.connect(to: server) { [weak self] in self?.didClose() }
        server.connect(to: client) { [weak self] in self?.didClose() }
    }

    /// While true, nothing arrives at either end and nobody is told: a connection that is half dead.
    package var isStalled = false {
        didSet {
            client.isStalled = isStalled
            server.isStalled = isStalled
        }
    }

    /// The connection breaks: both ends fail, and what is under way is lost.
    package func cut() {
        client.fail(NetworkError(.read, "the connection to \(endpoint) was cut"))
        server.fail(NetworkError(.read, "the connection from a client of \(endpoint) was cut"))
    }

    private func didClose() {
        closed += 1
        if closed == 2 { closedBoth(self) }
    }
}
