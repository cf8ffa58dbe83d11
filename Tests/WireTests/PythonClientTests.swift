import Foundation
import TestSupport
import Testing

@testable import Wire

/// The client in `contrib` was written from PROTOCOL.md alone; that it reads what we write shows the page is right.
@Suite("Python client")
struct PythonClientTests {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("its codec passes its tests, and reads every message we write", .enabled(if: python != nil))
    func codec() throws {
        let directory = TemporaryDirectory()
        let samples = try WireSamples.payloads.map { try WireSamples.document($0) }
        try Data(samples.flatMap { $0 }).write(to: URL(fileURLWithPath: directory.path("samples")))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.arguments = ["-B", "-m", "unittest", "discover", "-q"]
        process.currentDirectoryURL = URL(
            fileURLWithPath: #filePath.replacing("Tests/WireTests/PythonClientTests.swift", with: "contrib/python"))
        process.environment = ProcessInfo.processInfo.environment.merging([
            "REEVE_BSON_SAMPLES": directory.path("samples"), "REEVE_BSON_SAMPLE_COUNT": "\(samples.count)"
        ]) { $1 }
        let output = directory.path("output")
        try Data().write(to: URL(fileURLWithPath: output))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = file
        process.standardOutput = file
        try process.run()
        process.waitUntilExit()
        let said = try String(contentsOfFile: output, encoding: .utf8)
        #expect(process.terminationStatus == 0, "\(said)")
    }
}
