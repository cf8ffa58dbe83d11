import Dispatch
import Foundation
import Wire

/// Asks the agent on behalf of apps and users.
enum AgentRequest {
    /// Waits for the answer. Throws what an app sees: `AppError`, errors of the connection, `Realm.Error`; and if the agent
    /// lacks what the request needs.
    static func perform<Request: WireRequest>(
        _ request: Request, requiring feature: Feature? = nil
    ) throws -> Request.Reply {
        do {
            let link = try AgentConnection.shared.connected()
            if let feature { try link.agent.require(feature) }
            return try link.call(request)
        } catch {
            throw AppError.from(error)
        }
    }

    /// As `perform`, for what may be asked twice: an agent that ends meanwhile is followed by another.
    static func look<Request: WireRequest>(_ request: Request) throws -> Request.Reply {
        do {
            return try AgentConnection.shared.connected().call(request)
        } catch let error as WireError where error.code == .connectionLost || error.code == .shuttingDown {
            return try perform(request)
        } catch {
            throw AppError.from(error)
        }
    }

    /// Runs what waits for the agent, and so for a server, off the caller's thread.
    static func background<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            background(body) { continuation.resume(with: $0) }
        }
    }

    static func background<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value,
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        DispatchQueue.global(qos: .userInitiated).async { completion(Result { try body() }) }
    }

    /// For callbacks that only hear of errors.
    static func background(
        _ body: @escaping @Sendable () throws -> Void, error: @escaping @Sendable ((any Error)?) -> Void
    ) {
        background(body) { result in
            if case .failure(let failure) = result { error(failure) } else { error(nil) }
        }
    }
}

/// A callback of a result as one of a value and an error, of which one is nil.
func pair<Value>(
    _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void
) -> @Sendable (Result<Value, any Error>) -> Void {
    { result in
        switch result {
        case .success(let value): completion(value, nil)
        case .failure(let error): completion(nil, error)
        }
    }
}
