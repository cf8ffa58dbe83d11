import EventLoop

/// How a server is run.
package struct ServerConfiguration: Sendable {
    /// Certificate chain and private key, in PEM files.
    package struct Certificate: Hashable, Sendable {
        package var chain: String
        package var key: String

        package init(chain: String, key: String) {
            self.chain = chain
            self.key = key
        }
    }

    /// Everything that the server keeps is below it.
    package var dataDirectory: String
    package var listen = [ServerConfiguration.defaultEndpoint]
    package var certificate: Certificate?
    /// Apps are made when a client asks for them.
    package var isDevelopment = false
    /// What clients are told to connect to; nil repeats the name by which they came (H-15).
    package var publicURL: String?
    package var sync = SyncOptions()
    /// Program that sends mails; nil: nobody does.
    package var mailCommand: String?
    /// Time for connections to end after SIGTERM.
    package var drain: Duration = .seconds(10)

    package static let defaultEndpoint = Endpoint("127.0.0.1", 9090)

    package init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }
}
