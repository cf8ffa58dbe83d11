import Foundation
import TestSupport

@testable import EventLoop

/// Notes what a stream tells, and does what a test plugs in.
@LoopActor
final class StreamRecorder: ByteStreamDelegate {
    var received: [UInt8] = []
    var pieces = 0
    var ends = 0
    var pressure: [Bool] = []
    var errors: [NetworkError] = []
    var onReceive: (@LoopActor (any ByteStream, UnsafeRawBufferPointer) -> Void)?
    var onEnd: (@LoopActor (any ByteStream) -> Void)?

    func stream(_ stream: any ByteStream, didReceive bytes: UnsafeRawBufferPointer) {
        pieces += 1
        if let onReceive { onReceive(stream, bytes) } else { received += bytes }
    }

    func streamDidReachEnd(_ stream: any ByteStream) {
        ends += 1
        onEnd?(stream)
    }

    func stream(_ stream: any ByteStream, pressureDidChange isHigh: Bool) { pressure.append(isHigh) }

    func stream(_ stream: any ByteStream, didFail error: NetworkError) { errors.append(error) }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Answers what it gets, and ends when the peer does.
    static func echo() -> StreamRecorder {
        let recorder = StreamRecorder()
        recorder.onReceive = { $0.write($1) }
        recorder.onEnd = { $0.close(drainingFor: .seconds(10)) }
        return recorder
    }
}

/// What came of a connection attempt.
@LoopActor
final class Attempt {
    var stream: (any ByteStream)?
    var error: NetworkError?
    var isDone: Bool { stream != nil || error != nil }

    func finish(_ result: Result<any ByteStream, NetworkError>) {
        precondition(!isDone, "told twice")
        switch result {
        case .success(let stream): self.stream = stream
        case .failure(let error): self.error = error
        }
    }
}
