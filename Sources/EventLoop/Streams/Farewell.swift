/// Ends a connection so that the peer gets the last words.
///
/// A socket that is closed with bytes of the peer unread resets the connection, and what was sent last may be lost on the
/// other side. So our direction is ended first, and what still comes is thrown away until the peer ends its own.
package final class Farewell: ByteStreamDelegate {
    private var timer: (any ScheduledTimer)?

    /// Bytes that a peer may still send before it is cut off.
    private static let limit = 64 << 20
    private var discarded = 0

    /// Takes the stream over; closes it after `deadline` at the latest.
    @discardableResult
    package init(_ stream: any ByteStream, scheduler: any Scheduler, within deadline: Duration = .seconds(2)) {
        guard !stream.isClosed else { return }
        let timer = scheduler.timer { [self] in
            end()
            stream.close()
        }
        self.timer = timer
        timer.start(after: deadline, repeating: nil)
        stream.shutdownWriting()
        if stream.isAtEnd {
            end()
            stream.close(drainingFor: deadline)
        } else {
            stream.start(self)
        }
    }

    package func stream(_ stream: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) {
        discarded += bytes.count
        guard discarded > Self.limit else { return }
        end()
        stream.close()
    }

    package func streamDidReachEnd(_ stream: any ByteStream) {
        end()
        stream.close(drainingFor: .seconds(2))
    }

    package func stream(_ stream: any ByteStream, pressureDidChange isHigh: Bool) {}

    package func stream(_ stream: any ByteStream, didFail error: NetworkError) { end() }

    private func end() {
        timer?.close()
        timer = nil
    }
}
