import Foundation

/// Collects what comes out of a pipe on a thread of its own, so that no writer ever waits for the test.
package final class OutputCollector: @unchecked Sendable {
    // Every access to `bytes` and `hasEnded` is under `lock`.
    private let lock = NSLock()
    private var bytes: [UInt8] = []
    private var hasEnded = false

    /// Reads a description of its own, which closing `pipe` doesn't disturb.
    package init(_ pipe: Pipe) {
        let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                lock.withLock { bytes += buffer[..<count] }
            }
            close(descriptor)
            lock.withLock { hasEnded = true }
        }
    }

    /// Everything so far.
    package var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// The lines so far that have an end.
    package var lines: [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        lines.removeLast()
        return lines.map(String.init)
    }

    /// Whether nothing more comes.
    package var isComplete: Bool { lock.withLock { hasEnded } }
}
