import Foundation
import Wire

/// What was written here and isn't on the server yet.
enum QueueCommand: Command {
    static let name = "queue"
    static let summary = "say what of a synced realm waits to be sent, and since when"
    static let synopsis = "REALM [--limit N] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        .init("limit", "N", "name so many objects at most (100)"), KeyFile.option,
        .init("json", nil, "print one JSON document")
    ]

    /// Returns 0 if nothing waits.
    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("REALM")
        let limit = min(try arguments.number("limit") ?? 100, 10_000)
        let client = try AgentClient(key: KeyFile.key(arguments))
        let state = try client.call(
            SyncStateRequest(target: client.target(arguments.positional[0]), objects: Int32(limit)))
        if arguments.has("json") {
            Output.json(SyncDescription.json(state))
        } else {
            show(state)
        }
        return state.unsentTransactions == 0 ? 0 : 1
    }

    private static func show(_ state: SyncStateReply) {
        guard let oldest = state.oldestUnsent, state.unsentTransactions > 0 else {
            return Output.line("everything is on the server")
        }
        let count = state.unsentTransactions
        Output.line(
            "\(count) transaction\(count == 1 ? "" : "s"), \(Output.size(state.unsentBytes)), since "
                + "\(SyncDescription.time(oldest)); \(SyncDescription.text(state))")
        if !state.unsentObjects.isEmpty {
            Output.table(
                ["CLASS", "KEY", "SINCE"],
                state.unsentObjects.map {
                    [$0.className, SyncDescription.text($0.key), SyncDescription.time($0.since)]
                })
        }
    }
}
