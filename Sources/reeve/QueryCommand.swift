import Wire

/// Objects that match a query.
enum QueryCommand: Command {
    static let name = "query"
    static let summary = "print the objects of a class that match a query"
    static let synopsis =
        "REALM CLASS [QUERY] \(QueryOptions.synopsis) [--properties A,B,…] [--count] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] =
        QueryOptions.options + [
            KeyFile.option,
            .init("count", nil, "print how many match instead"),
            .init("properties", "A,B,…", "only these properties"),
            .init("json", nil, "print one JSON object a line")
        ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "[QUERY]")
        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        let query = try QueryOptions.request(arguments)
        if arguments.has("count") {
            let count = try realm.client.call(ReadCount(realm: realm.handle, query: query)).count
            if arguments.has("json") { Output.json(["count": Int(count)]) } else { Output.line("\(count)") }
            return 0
        }
        let names = arguments.value("properties")?.split(separator: ",").map(String.init)
        if arguments.has("json") {
            try realm.forEach(query, properties: names) { Output.json(ObjectText.json($0)) }
            return 0
        }
        let columns = try names ?? realm.classSchema(query.className).properties.map(\.name)
        var rows: [[String]] = []
        var total = 0
        try realm.forEach(query, properties: names) { object in
            total += 1
            rows.append(columns.map { object[$0].map(ObjectText.text) ?? "-" })
            if rows.count == 1000 {
                Output.table(columns, rows)
                rows.removeAll()
            }
        }
        if !rows.isEmpty { Output.table(columns, rows) }
        Output.line("\(total) object\(total == 1 ? "" : "s")")
        return 0
    }
}

/// The options by which `query`, `watch` and `export` choose objects.
enum QueryOptions {
    static let synopsis = "[--sort PROPERTY[:desc]] [--distinct PROPERTY] [--limit N]"
    static let options: [Arguments.Option] = [
        .init("sort", "PROPERTY[:desc]", "order by it; may be given several times, the first is primary"),
        .init("distinct", "PROPERTY", "only the first object of each value"),
        .init("limit", "N", "at most N objects")
    ]

    /// The query that arguments 1 (class) and 2 (text) and the options make.
    static func request(_ arguments: Arguments) throws -> QueryRequest {
        QueryRequest(
            arguments.positional[1], filter: arguments.optional(2),
            sort: try arguments.all("sort").map(criterion), distinct: arguments.all("distinct"),
            limit: try arguments.number("limit").map(Int64.init))
    }

    private static func criterion(_ text: String) throws -> SortCriterion {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.count, parts.last) {
        case (1, _): return SortCriterion(parts[0])
        case (2, "asc"): return SortCriterion(parts[0])
        case (2, "desc"): return SortCriterion(parts[0], ascending: false)
        default: throw UsageError("--sort takes PROPERTY, PROPERTY:asc or PROPERTY:desc, not \"\(text)\"")
        }
    }
}
