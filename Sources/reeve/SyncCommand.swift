import Foundation
import Wire

/// How a synced realm stands; stops and goes on.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "say how a synced realm stands; pause, resume, wait"
    static let synopsis = "status | pause | resume | reconnect  REALM [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [KeyFile.option, .init("json", nil, "print one JSON document")]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("status|pause|resume|reconnect", "REALM")
        let client = try AgentClient(key: KeyFile.key(arguments))
        let target = client.target(arguments.positional[1])
        switch arguments.positional[0] {
        case "status": break
        case "pause": _ = try client.call(SyncControl(target: target, wish: .suspend))
        case "resume": _ = try client.call(SyncControl(target: target, wish: .resume))
        case "reconnect": _ = try client.call(SyncControl(target: target, wish: .reconnect))
        case let other: throw UsageError("\"\(other)\" is none of status, pause, resume, reconnect")
        }
        let state = try client.call(SyncStateRequest(target: target))
        if arguments.has("json") {
            Output.json(SyncDescription.json(state))
        } else {
            Output.line(SyncDescription.text(state))
        }
        return 0
    }
}
