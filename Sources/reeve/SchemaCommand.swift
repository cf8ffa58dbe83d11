import Wire

/// The classes of a realm with their properties.
enum SchemaCommand: Command {
    static let name = "schema"
    static let summary = "print the classes and properties of a realm"
    static let synopsis = "REALM [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let reply = try client.call(RealmSchemaRequest(target: client.target(arguments.positional[0])))
        if arguments.has("json") {
            Output.json(
                [
                    "schemaVersion": Int(reply.schemaVersion), "classes": RealmDescription.json(reply.schema)
                ] as [String: Any])
            return 0
        }
        Output.line("schema version \(reply.schemaVersion)")
        for table in reply.schema.classes {
            Output.line("")
            Output.line(emphasising: table.name, table.kind == .topLevel ? "" : " (\(table.kind))")
            for property in table.properties {
                let marks = [
                    table.primaryKey == property.name ? "primary key" : nil, property.isIndexed ? "indexed" : nil
                ]
                let note = marks.compactMap { $0 }.joined(separator: ", ")
                Output.line(
                    "  \(property.name): \(RealmDescription.type(property))" + (note.isEmpty ? "" : "  (\(note))"))
            }
        }
        return 0
    }
}
