import Wire

/// Writes a compact copy: a backup, or the way from a plain realm to an encrypted one, to another key, and back.
enum CopyCommand: Command {
    static let name = "copy"
    static let summary = "write a compact copy of a realm, also while apps have it open; encrypt, decrypt or re-key it"
    static let synopsis = "REALM TO [--key-file FILE] [--to-key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option,
        .init("to-key-file", "FILE", "encrypts the copy with this key; without it the copy is plain"),
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "TO")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let key = try KeyFile.key(arguments, option: "to-key-file")
        if key != nil { try client.require(.encryption) }
        let reply = try client.call(
            RealmCopy(
                target: client.target(arguments.positional[0]),
                destination: AgentClient.absolute(arguments.positional[1]), destinationKey: key))
        if arguments.has("json") {
            Output.json(["bytes": Int(reply.bytes)])
        } else {
            Output.line("\(Output.size(reply.bytes)) in \(arguments.positional[1])")
        }
        return 0
    }
}
