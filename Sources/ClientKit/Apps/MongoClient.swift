import Foundation

/// Databases that a service of the server's gives access to. All calls need a server that has such services: others
/// answer with an `AppError`.
public struct MongoClient: Sendable {
    let user: User
    /// The service's name.
    public let name: String

    init(_ user: User, _ name: String) {
        self.user = user
        self.name = name
    }

    public func database(named name: String) -> MongoDatabase { MongoDatabase(client: self, name: name) }
}

/// A database of a service's.
public struct MongoDatabase: Sendable {
    let client: MongoClient
    public let name: String

    public func collection(withName name: String) -> MongoCollection {
        MongoCollection(user: client.user, service: client.name, databaseName: self.name, name: name)
    }
}

/// A collection of documents. Failures are `AppError` with the server's text, or errors of the connection.
public struct MongoCollection: Sendable {
    let user: User
    let service: String
    let databaseName: String
    public let name: String

    /// Calls a function of the service's with what names the collection and `arguments`.
    func call(_ function: String, _ arguments: Document) throws -> AnyBSON {
        var arguments = arguments
        arguments["database"] = .string(databaseName)
        arguments["collection"] = .string(name)
        return try user.callFunction(function, [.document(arguments)], service: service)
    }

    func wrong(_ function: String) -> AppError {
        AppError(.unknown, "The server's answer to \(function) is not what it should be.")
    }
}
