import Wire

/// The classes of a realm, or the realms that are open.
enum ListCommand: Command {
    static let name = "ls"
    static let summary = "list the classes of a realm with their counts, or the open realms"
    static let synopsis = "[REALM] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("[REALM]")
        let client = try AgentClient(key: KeyFile.key(arguments))
        if let path = arguments.optional(0) {
            let info = try client.call(RealmInfo(target: client.target(path)))
            if arguments.has("json") {
                Output.json(RealmDescription.json(info))
            } else {
                let encrypted = info.encrypted ? ", encrypted" : ""
                Output.line("\(info.path): version \(info.version), \(Output.size(info.fileSize))\(encrypted)")
                Output.table(["CLASS", "OBJECTS"], info.classes.map { [$0.name, "\($0.count)"] })
            }
        } else {
            let realms = try client.call(RealmList()).realms
            if arguments.has("json") {
                Output.json(
                    realms.map { realm in
                        [
                            "path": realm.path, "open": realm.open, "fileSize": Int(realm.fileSize),
                            "handles": Int(realm.handles), "inMemory": realm.inMemory,
                            "encrypted": realm.encrypted
                        ] as [String: Any]
                    })
            } else {
                Output.table(
                    ["REALM", "SIZE", "HANDLES"],
                    realms.map { [$0.path, Output.size($0.fileSize), "\($0.handles)"] }, limit: 120)
            }
        }
        return 0
    }
}
