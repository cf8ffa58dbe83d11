/// Somebody who waits for what may take its time, and is told once.
final class Waiter<Value: Sendable>: Sendable {
    private struct State {
        var completion: (@Sendable (Result<Value, any Error>) -> Void)?
        var result: Result<Value, any Error>?
    }

    private let state = Lock(State())

    var isFinished: Bool { state.withLock { $0.result != nil } }

    /// `completion` is called with what `finish` was given first, be that before or after this.
    func begin(_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        let result = state.withLock { state in
            if state.result == nil { state.completion = completion }
            return state.result
        }
        if let result { completion(result) }
    }

    func finish(_ result: Result<Value, any Error>) {
        let completion = state.withLock { state -> (@Sendable (Result<Value, any Error>) -> Void)? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.completion = nil }
            return state.completion
        }
        completion?(result)
    }
}
