import Foundation

/// libuv's pipe is a stream over any stream socket: what is written here for Unix sockets carries TCP as well.
extension PipeConnection: ByteStream {
    package func start(_ delegate: any ByteStreamDelegate) {
        start(delegate: SocketDelegate(delegate))
    }

    package var peerName: String {
        if let descriptor, let address = SocketAddress(ofPeer: descriptor) { return address.description }
        return peer.map { "pid \($0.pid)" } ?? "unknown"
    }
}

/// Passes on what a socket tells.
private final class SocketDelegate: PipeConnectionDelegate {
    private let delegate: any ByteStreamDelegate

    init(_ delegate: any ByteStreamDelegate) {
        self.delegate = delegate
    }

    func connection(_ connection: PipeConnection, didReceive bytes: UnsafeRawBufferPointer) {
        delegate.stream(connection, didReceive: bytes)
    }

    func connectionDidReachEnd(_ connection: PipeConnection) {
        delegate.streamDidReachEnd(connection)
    }

    func connection(_ connection: PipeConnection, pressureDidChange isHigh: Bool) {
        delegate.stream(connection, pressureDidChange: isHigh)
    }

    func connection(_ connection: PipeConnection, didFail error: LoopError) {
        delegate.stream(connection, didFail: NetworkError(error))
    }
}
