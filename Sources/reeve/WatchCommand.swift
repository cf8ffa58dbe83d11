import Wire

/// Prints what changes in a query's result, as it is committed.
enum WatchCommand: Command {
    static let name = "watch"
    static let summary = "print changes of a query's result until interrupted"
    static let synopsis =
        "REALM CLASS [QUERY] \(QueryOptions.synopsis) [--initial] [--changes N] [--since NAME] [--once] "
        + "[--forget] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] =
        QueryOptions.options + [
            KeyFile.option,
            .init("initial", nil, "first print the objects that match now"),
            .init("changes", "N", "end after N changes of the result"),
            .init("since", "NAME", "begin with what has changed since a watch of that name was ended"),
            .init("once", nil, "with --since: end when that is printed"),
            .init("forget", nil, "with --since: forget the name and end"),
            .init("json", nil, "print one JSON object a line")
        ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "[QUERY]")
        let name = arguments.value("since")
        for option in ["once", "forget"] where arguments.has(option) && name == nil {
            throw UsageError("--\(option) goes with --since")
        }
        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        if let name { return try CursorWatch(realm, name, arguments).run() }
        let subscription = try realm.client.call(
            Subscribe(
                realm: realm.handle, query: try QueryOptions.request(arguments), initial: arguments.has("initial")))
        if !arguments.has("json") { Output.line("\(subscription.count) match; watching") }
        var left = try arguments.number("changes", minimum: 1)
        while left != 0 {
            let change = try realm.client.nextChange()
            guard change.subscription == subscription.subscription else { continue }
            if arguments.has("json") { printJSON(change) } else { show(change) }
            if !change.more, !change.initial { left = left.map { $0 - 1 } }
        }
        return 0
    }

    static func show(_ change: Changed) {
        if change.reset { Output.line("! changes were missed; \(change.count) match now") }
        for (mark, objects) in [("-", change.deletions), ("+", change.insertions), ("~", change.modifications)] {
            guard case .objects(let documents) = objects else { continue }
            for document in documents {
                let fields = document.elements.map { "\($0.key)=\(Output.oneLine(ObjectText.text($0.value)))" }
                Output.line("\(mark) \(fields.joined(separator: " "))")
            }
        }
    }

    static func printJSON(_ change: Changed) {
        func json(_ objects: ChangedObjects) -> [Any] {
            guard case .objects(let documents) = objects else { return [] }
            return documents.map { ObjectText.json($0) }
        }
        Output.json(
            [
                "version": Int(change.version), "count": Int(change.count), "initial": change.initial,
                "reset": change.reset, "insertions": json(change.insertions),
                "modifications": json(change.modifications), "deletions": json(change.deletions)
            ] as [String: Any])
    }
}
