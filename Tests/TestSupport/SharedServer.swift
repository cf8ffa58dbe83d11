import Foundation

/// The sync server of this test process: one for all tests, which use apps of their own.
package enum SharedServer {
    private static let server: ServerUnderTest = {
        do {
            let server = try ServerUnderTest()
            // For child processes, and for apps that name no server.
            setenv("REEVE_SERVER", server.url, 1)
            // Nothing frees what is static.
            atexit { SharedServer.server.end(SIGKILL) }
            return server
        } catch {
            preconditionFailure("no server for the tests: \(error)")
        }
    }()

    /// Where it is; starts it if it doesn't run yet.
    package static var url: String { server.url }
}
