import Foundation
import Wire

/// Creates or changes one object.
enum PutCommand: Command {
    static let name = "put"
    static let summary = "create an object, or change the one with its primary key"
    static let synopsis = "REALM CLASS '{\"name\": …}' [--create|--update] [--key-file FILE] [--receipt|--json]"
    static let options: [Arguments.Option] = [
        KeyFile.option,
        .init("create", nil, "fail if the object exists"),
        .init("update", nil, "fail if the object doesn't exist"),
        ReceiptOutput.option,
        .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM", "CLASS", "OBJECT")
        if arguments.has("create"), arguments.has("update") {
            throw UsageError("--create and --update exclude each other")
        }
        guard
            let parsed = try? JSONSerialization.jsonObject(with: Data(arguments.positional[2].utf8)),
            let json = parsed as? [String: Any]
        else { throw UsageError("the object must be a JSON object such as '{\"name\": \"Rex\"}'") }

        let realm = try AgentClient(key: KeyFile.key(arguments)).open(arguments.positional[0])
        let schema = try realm.schema()
        let table = try realm.classSchema(arguments.positional[1])
        let mode: PutMode = arguments.has("create") ? .create : arguments.has("update") ? .update : .upsert
        let reply = try realm.client.call(
            ObjectPut(
                realm: realm.handle, className: table.name,
                objects: [try ObjectText.object(json, table, in: schema)], mode: mode, uid: UniqueId()))
        if arguments.has("json") {
            var result: [String: Any] = ["version": Int(reply.version), "created": Int(reply.created)]
            result["receipt"] = realm.receipt(reply.own)
            Output.json(result)
        } else if arguments.has("receipt") {
            try ReceiptOutput.show([realm.receipt(reply.own)])
        } else {
            Output.line(reply.created == 1 ? "created" : "changed")
        }
        return 0
    }
}
