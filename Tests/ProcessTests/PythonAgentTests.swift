import Foundation
import TestSupport
import Testing

/// The client in `contrib/python`, written from the protocol's page alone, against a real agent.
@Suite struct PythonAgentTests {
    @Test func itsOwnTestsPass() throws {
        let agent = try AgentUnderTest().start()
        // The tests restart it: that one is nobody's child.
        defer { _ = try? agent.command(["shutdown"]) }
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../contrib/python").standardizedFileURL.path
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-B", "-m", "unittest", "discover", "-v", folder]
        process.environment = agent.clientEnvironment.merging(["REEVE_TEST_REALM": agent.home.path("python.realm")]) {
            $1
        }
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("test_after_the_agent_came_back_everything_is_opened_anew"), "\(text)")
        #expect(text.contains("test_a_realm_from_creation_to_deletion") && text.contains("... ok"), "\(text)")
    }
}
