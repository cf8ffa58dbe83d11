import Wire

/// How a query would be carried out.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "print how a query would be carried out"
    static let synopsis = "REALM CLASS [QUERY] \(QueryOptions.synopsis) [--key-file FILE] [--json]"
    static let options: [Arguments.Option] =
        QueryOptions.options + [
            KeyFile.option, .init("json", nil, "print the lines as a JSON array")
        ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "[QUERY]")
        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        let request = ReadExplain(realm: realm.handle, query: try QueryOptions.request(arguments))
        let lines = try realm.client.call(request).lines
        if arguments.has("json") { Output.json(lines) } else { lines.forEach(Output.line) }
        return 0
    }
}
