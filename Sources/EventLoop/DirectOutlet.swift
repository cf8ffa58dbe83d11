import Foundation

/// A way around the loop: lets other threads send on a connection while the loop itself has nothing to send there.
///
/// A reply that another thread has made then goes out at once, without waking the loop for it. What is sent is whole:
/// it never comes between bytes of something else.
package final class DirectOutlet: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var socket: Int32
    /// The loop has bytes to send, or is sending.
    private var isTaken = false
    /// What the socket didn't take of the last bytes; the loop sends it before anything else.
    private var rest: [UInt8] = []
    private var sends = 0

    init(_ socket: Int32) {
        self.socket = socket
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// What became of bytes that were to be sent.
    package enum Outcome: Sendable {
        case sent
        /// The loop must be told to send what is left: `PipeConnection.takeRest()`.
        case begun
        /// Nothing was sent: the connection is busy, full or closed.
        case refused
    }

    /// Sends `bytes` if nothing is in the way. Any thread.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard socket >= 0, !isTaken, rest.isEmpty else { return .refused }
        while true {
            let count = Foundation.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            if count == bytes.count {
                sends += 1
                return .sent
            }
            if count > 0 {
                sends += 1
                rest = Array(bytes[count...])
                return .begun
            }
            // A broken connection shows on the loop, which reads it.
            if errno != EINTR { return .refused }
        }
    }

    /// How often others have sent something.
    package var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return sends
    }

    /// The loop has something to send: nobody else sends until `release`. Returns what must go before it.
    func take() -> [UInt8] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isTaken = true
        defer { rest = [] }
        return rest
    }

    /// Everything that the loop had is sent.
    func release() {
        pthread_mutex_lock(mutex)
        isTaken = false
        pthread_mutex_unlock(mutex)
    }

    /// Nobody sends any more.
    func close() {
        pthread_mutex_lock(mutex)
        socket = -1
        pthread_mutex_unlock(mutex)
    }
}
