import Wire

/// Ends the agent.
enum ShutdownCommand: Command {
    static let name = "shutdown"
    static let summary = "end the agent; open commits are finished first"
    static let synopsis = "[--json]"
    static let options: [Arguments.Option] = [.init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        do {
            _ = try AgentClient(starting: false).call(AgentShutdown())
        } catch let error as WireError where error.code == .agentUnavailable {
            if arguments.has("json") { Output.json(["running": false]) } else { Output.line("no agent is running") }
            return 1
        }
        if arguments.has("json") { Output.json(["running": false, "ended": true]) }
        return 0
    }
}
