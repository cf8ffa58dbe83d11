import Wire

/// Prints a digest of what a realm holds, by which replicas are compared.
enum HashCommand: Command {
    static let name = "hash"
    static let summary = "print a digest of what a realm holds"
    static let synopsis = "REALM [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let reply = try client.call(RealmHash(target: client.target(arguments.positional[0])))
        if arguments.has("json") {
            Output.json(["version": Int(reply.version), "hash": reply.hash] as [String: Any])
        } else {
            Output.line(reply.hash)
        }
        return 0
    }
}
