import Foundation

/// The functions of an app's server, as members: `try await user.functions.sum(1, 2)`.
@dynamicMemberLookup
@frozen
public struct Functions: Sendable {
    @usableFromInline let user: User

    init(_ user: User) {
        self.user = user
    }

    /// Called with the function's result or what went wrong, in the background.
    public typealias FunctionCompletionHandler = @Sendable (AnyBSON?, Error?) -> Void
    /// A function with a callback of two.
    public typealias Function = @Sendable ([AnyBSON], @escaping FunctionCompletionHandler) -> Void
    /// Called with the function's result or what went wrong, in the background.
    public typealias ResultFunctionCompletionHandler = @Sendable (Result<AnyBSON, Error>) -> Void
    /// A function with a callback of one.
    public typealias ResultFunction = @Sendable ([AnyBSON], @escaping ResultFunctionCompletionHandler) -> Void

    public subscript(dynamicMember name: String) -> Function {
        let callable = FunctionCallable(name: name, user: user)
        return { arguments, completion in
            AgentRequest.background({ try callable.call(arguments) }, pair(completion))
        }
    }

    public subscript(dynamicMember name: String) -> ResultFunction {
        let callable = FunctionCallable(name: name, user: user)
        return { arguments, completion in AgentRequest.background({ try callable.call(arguments) }, completion) }
    }

    public subscript(dynamicMember name: String) -> FunctionCallable { FunctionCallable(name: name, user: user) }
}

/// A function of the server's, to be called. Throws `AppError`, for example `.functionNotFound`.
@dynamicCallable
public struct FunctionCallable: Sendable {
    let name: String
    let user: User

    /// With the arguments one by one.
    public func dynamicallyCall(withArguments arguments: [AnyBSON]) async throws -> AnyBSON {
        try await AgentRequest.background { try call(arguments) }
    }

    /// With the arguments in one array.
    public func dynamicallyCall(withArguments arguments: [[AnyBSON]]) async throws -> AnyBSON {
        try await AgentRequest.background { try call(arguments.first ?? []) }
    }

    func call(_ arguments: [AnyBSON]) throws -> AnyBSON {
        try user.callFunction(name, .array(arguments), service: nil)
    }
}

extension User {
    /// Calls a function of the server, or of a service behind it (H-51).
    func callFunction(_ name: String, _ arguments: AnyBSON, service: String?) throws -> AnyBSON {
        var body: Document = ["name": .string(name), "arguments": arguments]
        if let service { body["service"] = .string(service) }
        let path = "app/\(pathPart(app.appId))/functions/call"
        return try ExtendedJSON.value(
            app.call("POST", path, ExtendedJSON.text(body), token: .access, user: id))
    }
}
