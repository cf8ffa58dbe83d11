/// TCP of the machine.
package final class SystemNetwork: Network {
    package init() {}

    package func listen(
        _ endpoint: Endpoint, accepted: @escaping @LoopActor (any ByteStream) -> Void
    ) throws -> any NetworkListener {
        try TCPListener(endpoint, accepted: accepted)
    }

    package func connect(
        _ endpoint: Endpoint, within deadline: Duration,
        completion: @escaping @LoopActor (Result<any ByteStream, NetworkError>) -> Void
    ) -> any Cancellable {
        TCPConnector(endpoint, within: deadline, completion: completion)
    }
}
