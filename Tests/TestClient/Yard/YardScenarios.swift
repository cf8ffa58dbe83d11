import Foundation
import RealmSwift
import TestSupport

/// Random transactions of several processes, each of which observes all of them.
enum YardScenarios {
    static var all: [String: Scenario.Body] {
        ["shunt": { try shunt($0, on: nil) }, "shunt-on-queue": { try shunt($0, on: DispatchQueue(label: "yard")) }]
    }

    /// REALM NUMBER SEED STEPS: writes and observes, prints `written`, and goes on to observe until a line of input;
    /// then `updates N of M observers, faults K`.
    private static func shunt(_ arguments: [String], on queue: DispatchQueue?) throws {
        let numbers = arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 3 else { throw CocoaError(.formatting) }
        let yard = try here(queue) { try ShuntingYard(arguments[0], queue, numbers[0], numbers[1]) }
        try turns(queue) { yard.watch.hasBegun }
        Scenario.say("ready")
        for _ in 0..<numbers[2] {
            try here(queue) { try yard.step() }
            turn(queue)
        }
        Scenario.say("written")
        _ = readLine()
        here(queue) { _ = yard.realm.refresh() }
        try turns(queue) { yard.watch.outdated.isEmpty }
        here(queue) { Scenario.say(yard.summary) }
    }

    private static func here<Result>(_ queue: DispatchQueue?, _ body: () throws -> Result) rethrows -> Result {
        if let queue { return try queue.sync(execute: body) }
        return try body()
    }

    /// Lets what is due be delivered.
    private static func turn(_ queue: DispatchQueue?) {
        if queue == nil { _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001)) }
    }

    private static func turns(_ queue: DispatchQueue?, until condition: () -> Bool) throws {
        let isThere = eventually(within: .seconds(30)) {
            turn(queue)
            return here(queue, condition)
        }
        if !isThere { throw CocoaError(.userCancelled) }
    }
}

/// One process's part.
private final class ShuntingYard {
    let realm: Realm
    let watch: YardWatch
    private var writer: YardWriter

    init(_ path: String, _ queue: DispatchQueue?, _ number: Int, _ seed: Int) throws {
        let yard: Yard
        (realm, yard) = try Yard.open(path, queue: queue)
        watch = YardWatch(realm, yard)
        writer = YardWriter(realm, yard, number: number, seed: UInt64(seed))
    }

    func step() throws {
        // Some observers don't hear of some commits (WR-02), and take what they see for known.
        let silenced = watch.tokens.indices.filter { _ in Int.random(in: 0..<40, using: &writer.random) == 0 }
        try writer.transact(withoutNotifying: silenced.map { watch.tokens[$0] })
        for index in silenced { watch.records[index].begin() }
    }

    var summary: String {
        let updates = watch.records.map(\.updates).reduce(0, +)
        return "updates \(updates) of \(watch.records.count) observers, faults \(watch.faults)"
    }
}
