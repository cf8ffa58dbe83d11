/// Where somebody listens: a host name or a numeric address, and a port.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int

    package init(_ host: String, _ port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`, with brackets around an IPv6 address.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Something that is going on and can be given up. Whoever cancels hears nothing more of it.
@LoopActor
package protocol Cancellable: AnyObject, Sendable {
    func cancel()
}

/// Takes connections until it is closed.
@LoopActor
package protocol NetworkListener: AnyObject, Sendable {
    /// Where it listens; a port 0 that was asked for has been replaced by the real one.
    var endpoint: Endpoint { get }
    /// Consulted before each connection; false refuses it.
    var mayAccept: @LoopActor () -> Bool { get set }
    /// Connections refused so far.
    var refusedCount: Int { get }
    /// Stops listening. Connections made stay. Idempotent.
    func close()
}

/// Makes connections: the system's TCP, or one in memory.
@LoopActor
package protocol Network: AnyObject, Sendable {
    /// Listens at a numeric address, `localhost`, or `*` for all; port 0 takes a free one.
    func listen(
        _ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void
    ) throws -> any NetworkListener

    /// Connects within `deadline`, of which the resolution of the name is a part. `completion` is called once, later.
    func connect(
        _ endpoint: Endpoint, within deadline: Duration,
        completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) -> any Cancellable
}
