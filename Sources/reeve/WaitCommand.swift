import Foundation
import Wire

/// Waits for what becomes of transactions.
enum WaitCommand: Command {
    static let name = "wait"
    static let summary = "wait until transactions are on the server, by their receipts"
    static let synopsis = "RECEIPT… [--until durable|uploaded] [--timeout SECONDS] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        .init("until", "STATE", "durable, or uploaded, which is what it waits for else"),
        .init("timeout", "SECONDS", "wait so long at most; 0 asks how it stands now"), KeyFile.option,
        .init("json", nil, "print a JSON document for each")
    ]

    /// Exit status when the server doesn't take a transaction, or not all of it.
    private static let rejectedStatus: Int32 = 4
    /// Exit status when the time is over.
    private static let lateStatus: Int32 = 5

    static func run(_ arguments: Arguments) throws -> Int32 {
        guard !arguments.positional.isEmpty else { throw UsageError("RECEIPT is missing") }
        let until: CommitState
        switch arguments.value("until") {
        case "uploaded", nil: until = .uploaded
        case "durable": until = .durable
        case let other?: throw UsageError("--until takes durable or uploaded, not \"\(other)\"")
        }
        for receipt in arguments.positional where WireReceipt(receipt) == nil {
            throw UsageError("\"\(receipt.prefix(80))\" isn't a receipt")
        }
        let deadline = try arguments.number("timeout").map { ContinuousClock.now + .seconds($0) }
        let key = try KeyFile.key(arguments)
        var replies: [ReceiptWaitReply] = []
        for receipt in arguments.positional {
            let reply = try wait(for: receipt, until, deadline, key)
            replies.append(reply)
            show(reply, receipt, arguments)
        }
        if replies.contains(where: { $0.state == .rejected }) { return rejectedStatus }
        return until == .uploaded && replies.contains { $0.state == .durable } ? lateStatus : 0
    }

    /// How long to wait for an agent that ends.
    private static let pause = 0.05

    /// Asks the agent, and again if that ends meanwhile.
    private static func wait(
        for receipt: String, _ until: CommitState, _ deadline: ContinuousClock.Instant?, _ key: EncryptionKey?
    ) throws -> ReceiptWaitReply {
        while true {
            do {
                let client = try AgentClient(key: key)
                try client.require(.receipts)
                let left = deadline.map { max(0, Int64(ContinuousClock.now.duration(to: $0) / .milliseconds(1))) }
                return try client.call(
                    ReceiptWait(receipt: receipt, until: until, timeoutMilliseconds: left, key: key))
            } catch let error as WireError where [.connectionLost, .shuttingDown].contains(error.code) {
                Thread.sleep(forTimeInterval: pause)
            }
        }
    }

    private static func show(_ reply: ReceiptWaitReply, _ receipt: String, _ arguments: Arguments) {
        if arguments.has("json") {
            var result: [String: Any] = ["receipt": receipt, "state": reply.state.rawValue]
            result["reason"] = reply.reason
            if !reply.rejected.isEmpty {
                result["rejected"] = reply.rejected.map { object in
                    var json: [String: Any] = ["class": object.className, "reason": object.reason]
                    json["key"] = object.key.map { SyncDescription.text($0) }
                    return json
                }
            }
            return Output.json(result)
        }
        let name = arguments.positional.count > 1 ? "  \(receipt)" : ""
        Output.line(emphasising: reply.state.rawValue, name + (reply.reason.map { ": \($0)" } ?? ""))
        for object in reply.rejected {
            let key = object.key.map { " " + SyncDescription.text($0) } ?? ""
            Output.line("  \(object.className)\(key): \(object.reason)")
        }
    }
}
