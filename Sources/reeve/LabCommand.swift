import Foundation
import Lab
import Model
import Wire

/// Tries a schema on simulated devices that lose connections, sleep and die.
enum LabCommand: Command {
    static let name = "lab"
    static let summary = "try a schema on simulated devices and a server, with all that can go wrong"
    static let synopsis =
        "SCHEMA.json|REALM [--seed N] [--rounds N] [--devices N] [--steps N] [--key-file FILE] [--json]"
    static let options: [Arguments.Option] = [
        .init("seed", "N", "begin with this run; the same seed gives the same run (a random one)"),
        .init("rounds", "N", "how many runs (20)"),
        .init("devices", "N", "how many devices share the realm (3)"),
        .init("steps", "N", "how many things happen in a run (200)"),
        KeyFile.option, .init("json", nil, "print one JSON document")
    ]

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.expect("SCHEMA.json or REALM")
        let source = arguments.positional[0]
        var options = LabOptions(
            seed: try arguments.number("seed").map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32))
        options.rounds = try arguments.number("rounds", minimum: 1) ?? options.rounds
        options.steps = try arguments.number("steps", minimum: 1) ?? options.steps
        options.devices = try arguments.number("devices", minimum: 1) ?? options.devices
        guard Laboratory.devices.contains(options.devices) else {
            throw UsageError("--devices takes at most \(Laboratory.devices.upperBound)")
        }
        let laboratory = try Laboratory(try schema(source, arguments), options)
        let asJSON = arguments.has("json")
        var total = Total()
        var progress = Progress("runs", total: options.rounds)
        try laboratory.run { outcome in
            total.add(outcome)
            progress.update(total.runs)
            return outcome.findings.isEmpty
        }
        progress.finish()
        if asJSON { Output.json(total.json(options)) } else { total.print(source, options) }
        return total.failure == nil ? 0 : 1
    }

    private static func schema(_ source: String, _ arguments: Arguments) throws -> RealmSchema {
        if LabSchemaFile.isJSON(source) { return try LabSchemaFile.schema(source) }
        let client = try AgentClient(key: KeyFile.key(arguments))
        return try client.call(RealmSchemaRequest(target: client.target(source))).schema
    }

    /// What the runs have shown together.
    private struct Total {
        var runs = 0
        var transactions = 0
        var faults = 0
        var restarts = 0
        var failure: LabOutcome?

        mutating func add(_ outcome: LabOutcome) {
            runs += 1
            transactions += outcome.transactions
            faults += outcome.faults
            restarts += outcome.restarts
            if !outcome.findings.isEmpty { failure = outcome }
        }

        func json(_ options: LabOptions) -> [String: Any] {
            var object: [String: Any] = [
                "seed": Int(options.seed), "runs": runs, "devices": options.devices, "transactions": transactions,
                "networkFaults": faults, "restarts": restarts, "ok": failure == nil
            ]
            if let failure {
                object["failure"] = ["seed": Int(failure.seed), "findings": failure.findings] as [String: Any]
            }
            return object
        }

        func print(_ source: String, _ options: LabOptions) {
            Output.line(
                "\(runs) run\(runs == 1 ? "" : "s") from seed \(options.seed): \(options.devices) devices, "
                    + "\(transactions) transactions, \(faults) faults of the network, \(restarts) restarts")
            guard let failure else { return Output.line("nothing lost, nothing twice, all the same in the end") }
            for finding in failure.findings.prefix(20) { Output.line("  \(finding)") }
            Output.line(
                "again: reeve lab \(source) --seed \(failure.seed) --rounds 1 --devices \(options.devices) "
                    + "--steps \(options.steps)")
        }
    }
}
