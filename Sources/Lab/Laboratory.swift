import Agent
import EventLoop
import Model

/// What to try, and how often.
package struct LabOptions: Sendable {
    package var devices = 3
    /// Random runs, each from a seed of its own.
    package var rounds = 20
    /// Things that happen in a run.
    package var steps = 200
    package var seed: UInt64

    /// The first run is from this seed, the next one from the number after it.
    package init(seed: UInt64) { self.seed = seed }
}

/// What a run has shown.
package struct LabOutcome: Sendable {
    package var seed: UInt64
    /// What is wrong; empty if nothing is.
    package var findings: [String] = []
    package var transactions = 0
    /// Times that the network did something.
    package var faults = 0
    /// Times that an agent or the server was started anew.
    package var restarts = 0
    /// Objects at the end.
    package var objects = 0

    init(seed: UInt64) { self.seed = seed }
}

/// Tries a schema on devices and a server that exist in memory only, on a network that loses connections and in a time that
/// passes as it is told to (nothing of it depends on the machine): what is acknowledged must never be lost or happen twice,
/// reads never go back in time, and in the end all must have the same.
package struct Laboratory: Sendable {
    package let schema: RealmSchema
    package let options: LabOptions

    package static let devices = 1...20

    /// Throws for a schema that can't be synced by partition, or has nothing to write.
    package init(_ schema: RealmSchema, _ options: LabOptions) throws {
        if let problem = schema.problemOfSync(flexible: false) { throw LabFailure(problem) }
        guard schema.classes.contains(where: { $0.kind == .topLevel }) else {
            throw LabFailure("the schema has no class of objects that could be written")
        }
        self.schema = schema
        self.options = options
    }

    /// Runs one round, on the loop's thread. Throws what keeps it from being run at all.
    package func run(seed: UInt64) throws -> LabOutcome {
        try EventLoop.shared.run { [schema, options] in
            var run = try LabRun(schema, options, seed: seed)
            return try run.run()
        }
    }

    /// Runs all rounds; `progress` hears of each and may end it by false.
    package func run(_ progress: (LabOutcome) -> Bool) throws {
        for round in 0..<options.rounds {
            guard progress(try run(seed: options.seed &+ UInt64(round))) else { return }
        }
    }
}
