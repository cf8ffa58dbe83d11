import Wire

/// Deletes objects by key or by query.
enum DeleteCommand: Command {
    static let name = "delete"
    static let summary = "delete objects by primary key, or all that match a query"
    static let synopsis = "REALM CLASS KEY… | REALM CLASS --where QUERY [--key-file FILE] [--receipt|--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option,
        .init("where", "QUERY", "delete what matches; TRUEPREDICATE matches everything"),
        ReceiptOutput.option,
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        guard arguments.positional.count >= 2 else { throw UsageError("REALM and CLASS are needed") }
        let keys = arguments.positional.dropFirst(2)
        let filter = arguments.value("where")
        guard keys.isEmpty != (filter == nil) else { throw UsageError("give either keys or --where") }

        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        let table = try realm.classSchema(arguments.positional[1])
        let reply = try realm.client.call(
            ObjectDelete(
                realm: realm.handle, className: table.name,
                keys: filter == nil ? try keys.map { try ObjectText.key($0, table) } : nil, filter: filter,
                uid: UniqueId()))
        if arguments.has("json") {
            var result: [String: Any] = ["version": Int(reply.version), "deleted": Int(reply.deleted)]
            result["receipt"] = realm.receipt(reply.own)
            Output.json(result)
        } else if arguments.has("receipt") {
            try ReceiptOutput.show([realm.receipt(reply.own)])
        } else {
            Output.line("\(reply.deleted) deleted")
        }
        return reply.deleted == 0 && filter == nil ? 1 : 0
    }
}
