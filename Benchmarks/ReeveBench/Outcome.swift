import Foundation

/// What an asynchronous call will have brought. The semaphore orders the one write before the one read: hence Sendable.
final class Outcome<Value: Sendable>: @unchecked Sendable {
    private var result: Result<Value, Error>?
    private let isThere = DispatchSemaphore(value: 0)

    static func of(_ call: (@escaping @Sendable (Result<Value, Error>) -> Void) -> Void) throws -> Value {
        let outcome = Outcome()
        call { result in
            outcome.result = result
            outcome.isThere.signal()
        }
        outcome.isThere.wait()
        guard let result = outcome.result else { throw BenchError("no answer came") }
        return try result.get()
    }
}
