import Wire

/// Gives the space of deleted data back, while the realm is in use.
enum CompactCommand: Command {
    static let name = "compact"
    static let summary = "shrink a realm file to what it holds, also while apps have it open"
    static let synopsis = "REALM [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let reply = try client.call(RealmCompact(target: client.target(arguments.positional[0])))
        if arguments.has("json") {
            Output.json(
                ["before": Int(reply.before), "after": Int(reply.after), "generation": Int(reply.generation)])
        } else {
            Output.line("\(Output.size(reply.before)) → \(Output.size(reply.after))")
        }
        return 0
    }
}
