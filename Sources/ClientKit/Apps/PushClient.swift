import Foundation

/// Registers devices for messages by way of the server. Servers have given this up; what they say to it is the error.
public final class PushClient: Sendable {
    private let app: App
    /// The service of the server's that sends.
    public let serviceName: String

    init(_ app: App, _ serviceName: String) {
        self.app = app
        self.serviceName = serviceName
    }

    private func call(_ verb: String, _ body: String?, _ user: User) throws {
        let path = "app/\(pathPart(app.appId))/push/providers/\(pathPart(serviceName))/registration"
        try app.call(verb, path, body, token: .access, user: user.id)
    }

    /// Has messages to the user sent to a device.
    public func registerDevice(token: String, user: User) async throws {
        try await AgentRequest.background {
            try self.call("PUT", ExtendedJSON.text(["registrationToken": .string(token)]), user)
        }
    }

    /// As the form with `async`. Calls back in the background.
    public func registerDevice(token: String, user: User, completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background(
            { try self.call("PUT", ExtendedJSON.text(["registrationToken": .string(token)]), user) }, error: completion)
    }

    /// Ends that.
    public func deregisterDevice(user: User) async throws {
        try await AgentRequest.background { try self.call("DELETE", nil, user) }
    }

    /// As the form with `async`. Calls back in the background.
    public func deregisterDevice(user: User, completion: @escaping @Sendable (Error?) -> Void) {
        AgentRequest.background({ try self.call("DELETE", nil, user) }, error: completion)
    }
}
