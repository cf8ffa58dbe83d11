import Foundation
import Store

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

    /// Makes an app of flexible sync: in development and open to everybody, unless permissions say otherwise.
    package static func makeFlexibleApp(_ id: String, permissions: String? = nil) throws {
        try server.makeFlexibleApp(id, permissions: permissions)
    }

    /// Moves an app from partitions, named by the strings of `realm_id`, to flexible sync, or back.
    package static func migrate(_ app: String, to kind: String) throws {
        let (status, text) = try ServerUnderTest.reeve(
            ["app", "migrate", app, "--to", kind, "--partition-key", "realm_id:string"], data: server.directory)
        guard status == 0 else { throw TestFailure("reeve app migrate \(app): \(text)") }
    }

    /// The objects that the server has of a class in an app of flexible sync, as text.
    package static func objects(_ className: String, app: String) throws -> [String] {
        try server.objects(className, app: app)
    }
}

extension ServerUnderTest {
    /// What the objects of a class consist of that the server has in an app of flexible sync: as instructions that make
    /// them. The file is copied as a crash would leave it, and read as after one.
    package func objects(_ className: String, app: String) throws -> [String] {
        let copy = TemporaryDirectory()
        let source = directory.path("data/apps/\(app)")
        try whileStopped {
            for name in try FileManager.default.contentsOfDirectory(atPath: source) where !name.hasSuffix("-lock") {
                try FileManager.default.copyItem(atPath: source + "/" + name, toPath: copy.path(name))
            }
        }
        var options = RealmFileOptions()
        options.create = false
        options.keepsAsymmetricObjects = true
        let file = try RealmFile(path: copy.path("flexible.realm"), options: options)
        defer { try? file.close() }
        let snapshot = try file.snapshot()
        guard let table = snapshot.table(named: className) else { return [] }
        return (0..<table.count).map { "\(snapshot.instructions(creating: [table.key(at: $0)], of: table))" }
    }
}
