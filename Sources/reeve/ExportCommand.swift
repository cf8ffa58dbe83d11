import Wire

/// Writes objects as JSON lines, in a form that `import` reads.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "write the objects of a class as JSON, one a line"
    static let synopsis = "REALM CLASS [QUERY] \(QueryOptions.synopsis) [--array] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] =
        QueryOptions.options + [
            KeyFile.option, .init("array", nil, "one JSON array instead of lines"),
            .init("json", nil, "errors as JSON, too")
        ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "[QUERY]")
        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        let names = try realm.classSchema(arguments.positional[1]).properties.map(\.name)
        let isArray = arguments.has("array")
        var progress = Progress("objects")
        defer { progress.finish() }
        var count = 0
        if isArray { Output.line("[") }
        var held: String?
        try realm.forEach(QueryOptions.request(arguments), properties: names) { object in
            var json = ObjectText.json(object)
            json["$key"] = nil
            if let held { Output.line(isArray ? held + "," : held) }
            held = Output.jsonText(json)
            count += 1
            progress.update(count)
        }
        if let held { Output.line(held) }
        if isArray { Output.line("]") }
        return 0
    }
}
