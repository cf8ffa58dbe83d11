import Foundation

/// Accounts with an address and a password. Failures are `AppError` with the server's text, or errors of the connection;
/// the forms with a closure call back in the background.
public final class EmailPasswordAuth: Sendable {
    public typealias Completion = @Sendable (Error?) -> Void

    private let app: App

    init(_ app: App) {
        self.app = app
    }

    private func send(_ endpoint: String, _ fields: Document) async throws {
        try await AgentRequest.background { try self.post(endpoint, fields) }
    }

    private func send(_ endpoint: String, _ fields: Document, _ completion: @escaping Completion) {
        AgentRequest.background({ try self.post(endpoint, fields) }, error: completion)
    }

    private func post(_ endpoint: String, _ fields: Document) throws {
        let path = "app/\(pathPart(app.appId))/auth/providers/local-userpass/\(endpoint)"
        try app.call("POST", path, ExtendedJSON.text(fields))
    }

    /// Makes an account. The password has 6 to 128 characters.
    public func registerUser(email: String, password: String) async throws {
        try await send("register", ["email": .string(email), "password": .string(password)])
    }

    public func registerUser(email: String, password: String, completion: @escaping Completion) {
        send("register", ["email": .string(email), "password": .string(password)], completion)
    }

    /// Confirms an address with what was sent to it.
    public func confirmUser(_ token: String, tokenId: String) async throws {
        try await send("confirm", ["token": .string(token), "tokenId": .string(tokenId)])
    }

    public func confirmUser(_ token: String, tokenId: String, completion: @escaping Completion) {
        send("confirm", ["token": .string(token), "tokenId": .string(tokenId)], completion)
    }

    /// Has the confirmation sent once more.
    public func resendConfirmationEmail(_ email: String) async throws {
        try await send("confirm/send", ["email": .string(email)])
    }

    public func resendConfirmationEmail(_ email: String, completion: @escaping Completion) {
        send("confirm/send", ["email": .string(email)], completion)
    }

    /// Runs the server's confirmation function once more.
    public func retryCustomConfirmation(_ email: String) async throws {
        try await send("confirm/call", ["email": .string(email)])
    }

    public func retryCustomConfirmation(_ email: String, completion: @escaping Completion) {
        send("confirm/call", ["email": .string(email)], completion)
    }

    /// Has a token sent with which the password can be set anew.
    public func sendResetPasswordEmail(_ email: String) async throws {
        try await send("reset/send", ["email": .string(email)])
    }

    public func sendResetPasswordEmail(_ email: String, completion: @escaping Completion) {
        send("reset/send", ["email": .string(email)], completion)
    }

    /// Sets the password anew with the token that was sent.
    public func resetPassword(to password: String, token: String, tokenId: String) async throws {
        try await send("reset", reset(password, token, tokenId))
    }

    public func resetPassword(to password: String, token: String, tokenId: String, completion: @escaping Completion) {
        send("reset", reset(password, token, tokenId), completion)
    }

    private func reset(_ password: String, _ token: String, _ tokenId: String) -> Document {
        ["password": .string(password), "token": .string(token), "tokenId": .string(tokenId)]
    }

    /// Has the server's function decide about a new password.
    public func callResetPasswordFunction(email: String, password: String, args: [AnyBSON]) async throws {
        try await send("reset/call", call(email, password, args))
    }

    public func callResetPasswordFunction(
        email: String, password: String, args: [AnyBSON], _ completion: @escaping Completion
    ) {
        send("reset/call", call(email, password, args), completion)
    }

    private func call(_ email: String, _ password: String, _ args: [AnyBSON]) -> Document {
        ["email": .string(email), "password": .string(password), "arguments": .array(args)]
    }
}
