import Wire

/// Walks a whole realm file and says whether it is sound.
enum VerifyCommand: Command {
    static let name = "verify"
    static let summary = "check a realm file from end to end"
    static let synopsis = "REALM [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let reply = try client.call(RealmVerify(target: client.target(arguments.positional[0])))
        if arguments.has("json") {
            Output.json(
                [
                    "version": Int(reply.version), "objects": Int(reply.objects), "problems": reply.problems
                ] as [String: Any])
        } else if reply.problems.isEmpty {
            Output.line("sound: \(reply.objects) objects at version \(reply.version)")
        } else {
            for problem in reply.problems { Output.line(problem) }
            Output.line("\(reply.problems.count) problem\(reply.problems.count == 1 ? "" : "s")")
        }
        return reply.problems.isEmpty ? 0 : 1
    }
}
