import Foundation

/// The agent of this test process: one for all tests of the object model, which use files of their own.
package enum SharedAgent {
    private static let agent: AgentUnderTest = {
        do {
            let agent = try AgentUnderTest().start()
            setenv("REEVE_SOCKET", agent.location.path, 1)
            // Nothing frees what is static; and an agent stays as long as it has something to upload.
            atexit { SharedAgent.agent.kill(SIGKILL) }
            return agent
        } catch {
            preconditionFailure("no agent for the tests: \(error)")
        }
    }()

    /// Starts it if it doesn't run yet.
    package static func ensure() { _ = agent.pid }
}
