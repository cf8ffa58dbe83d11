import Wire

/// The classes of a realm, or the realms that are open.
enum ListCommand: Command {
    static let name = "ls"
    static let summary = "list the classes of a realm with their counts, or the open realms"
    static let synopsis = "[REALM] [--json]"
    static let options: [Arguments.Option] = [.init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("[REALM]")
        let client = try AgentClient()
        if let path = arguments.optional(0) {
            let info = try client.call(RealmInfo(target: .path(AgentClient.absolute(path))))
            if arguments.has("json") {
                Output.json(RealmDescription.json(info))
            } else {
                Output.line("\(info.path): version \(info.version), \(Output.size(info.fileSize))")
                Output.table(["CLASS", "OBJECTS"], info.classes.map { [$0.name, "\($0.count)"] })
            }
        } else {
            let realms = try client.call(RealmList()).realms
            if arguments.has("json") {
                Output.json(
                    realms.map { realm in
                        [
                            "path": realm.path, "open": realm.open, "fileSize": Int(realm.fileSize),
                            "handles": Int(realm.handles), "inMemory": realm.inMemory
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
