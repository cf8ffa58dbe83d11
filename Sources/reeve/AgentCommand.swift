import Agent

/// Runs the agent.
enum AgentCommand: Command {
    static let name = "agent"
    static let summary = "run the agent that owns this user's realm files"
    static let synopsis = "[--daemon] [--socket PATH] [--idle-exit SECONDS] [--log FILE]"
    static let options: [Arguments.Option] = [
        .init("daemon", nil, "go to the background; returns when the agent is ready"),
        .init("socket", "PATH", "listen there instead of the default place"),
        .init("idle-exit", "SECONDS", "end when nobody has been connected for so long"),
        .init("log", "FILE", "where a background agent writes its log")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect()
        var options = AgentOptions()
        options.daemon = arguments.has("daemon")
        options.socket = arguments.value("socket")
        options.log = arguments.value("log")
        options.idleExitSeconds = try arguments.number("idle-exit", minimum: 1)

        return try AgentProcess.run(options)
    }
}
