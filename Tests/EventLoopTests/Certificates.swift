import Foundation
import TestSupport

/// Certificates made for this test run by the `openssl` command.
struct Certificates: Sendable {
    static let shared = Certificates()

    private let directory = TemporaryDirectory()

    var authority: String { directory.path("ca.pem") }
    var otherAuthority: String { directory.path("other.pem") }
    /// For `localhost`, `*.example.test` and 127.0.0.1.
    var server: (chain: String, key: String) { (directory.path("server.pem"), directory.path("server.key")) }
    /// For `localhost`, until yesterday.
    var expired: (chain: String, key: String) { (directory.path("expired.pem"), directory.path("expired.key")) }
    /// For `localhost`, signed by nobody but itself.
    var selfSigned: (chain: String, key: String) { (directory.path("self.pem"), directory.path("self.key")) }

    private init() {
        makeAuthority("ca")
        makeAuthority("other")
        let names = "subjectAltName=DNS:localhost,DNS:*.example.test,IP:127.0.0.1"
        makeRequest("server", names)
        sign("server", days: 2)
        makeRequest("expired", "subjectAltName=DNS:localhost")
        sign("expired", days: -1)
        openssl(["req", "-x509", "-days", "2", "-subj", "/CN=self", "-addext", names] + key("self"))
    }

    func path(_ name: String) -> String { directory.path(name) }

    private func key(_ name: String) -> [String] {
        [
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", path("\(name).key"),
            "-out", path("\(name).pem")
        ]
    }

    private func makeAuthority(_ name: String) {
        openssl(
            ["req", "-x509", "-days", "2", "-subj", "/CN=\(name)", "-addext", "basicConstraints=critical,CA:TRUE"]
                + key(name))
    }

    private func makeRequest(_ name: String, _ extensions: String) {
        openssl(["req", "-subj", "/CN=\(name)", "-addext", extensions] + key(name))
    }

    private func sign(_ name: String, days: Int) {
        openssl([
            "x509", "-req", "-in", path("\(name).pem"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-days",
            "\(days)", "-copy_extensions", "copy", "-set_serial", "7", "-out", path("\(name).crt")
        ])
        try? FileManager.default.removeItem(atPath: path("\(name).pem"))
        try? FileManager.default.moveItem(atPath: path("\(name).crt"), toPath: path("\(name).pem"))
    }

    private func openssl(_ arguments: [String]) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { preconditionFailure("openssl: \(error)") }
        process.waitUntilExit()
        precondition(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
    }
}
