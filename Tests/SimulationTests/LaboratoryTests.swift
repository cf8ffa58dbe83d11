import EventLoop
import History
import Model
import Store
import TestSupport
import Testing

@testable import Lab

@Suite("Laboratory")
struct LaboratoryTests {
    /// Every type in every collection that it can stand in, links and embedded objects, and keys of all types.
    static let everything: RealmSchema = {
        let types = ValueType.allCases.filter { $0 != .link }
        var properties = [PropertySchema("_id", .int)]
        for type in types {
            properties.append(PropertySchema("\(type)", type, nullable: type == .mixed))
            if type != .mixed { properties.append(PropertySchema("\(type)OrNot", type, nullable: true)) }
            for kind in [CollectionKind.list, .set, .dictionary] {
                properties.append(PropertySchema("\(type)s\(kind)", type, nullable: type == .mixed, collection: kind))
            }
        }
        let embedded = ClassSchema(
            "Part", kind: .embedded,
            [
                PropertySchema("n", .int), PropertySchema("word", .string, nullable: true),
                PropertySchema("words", .string, collection: .list),
                PropertySchema("owner", .link, nullable: true, target: "Thing"),
                PropertySchema("screw", .link, nullable: true, target: "Screw")
            ])
        func links(_ target: String, _ name: String, sets: Bool) -> [PropertySchema] {
            [
                PropertySchema(name, .link, nullable: true, target: target),
                PropertySchema("\(name)List", .link, collection: .list, target: target),
                PropertySchema("\(name)Map", .link, nullable: true, collection: .dictionary, target: target)
            ] + (sets ? [PropertySchema("\(name)Set", .link, collection: .set, target: target)] : [])
        }
        return RealmSchema([
            ClassSchema(
                "Thing", primaryKey: "_id",
                properties + links("Thing", "other", sets: true) + links("Part", "part", sets: false)),
            embedded, ClassSchema("Screw", kind: .embedded, [PropertySchema("length", .double)]),
            ClassSchema(
                "Named", primaryKey: "_id",
                [PropertySchema("_id", .string), PropertySchema("count", .int)] + links("Thing", "thing", sets: true)),
            ClassSchema(
                "Tagged", primaryKey: "_id", [PropertySchema("_id", .objectId), PropertySchema("note", .string)]),
            ClassSchema("Marked", primaryKey: "_id", [PropertySchema("_id", .uuid), PropertySchema("n", .int)])
        ])
    }()

    @Test("a schema with everything in it: nothing is lost, nothing happens twice, and all have the same in the end")
    func everything() throws {
        var options = LabOptions(seed: randomSeed)
        options.rounds = 4 * soakFactor
        var transactions = 0
        try Laboratory(Self.everything, options).run { outcome in
            #expect(outcome.findings == [], "seed \(outcome.seed)")
            transactions += outcome.transactions
            return true
        }
        #expect(transactions > 100 * options.rounds / 4)
    }

    @Test("the same seed gives the same run") func repetition() throws {
        var options = LabOptions(seed: randomSeed)
        options.devices = 2
        options.steps = 120
        let laboratory = try Laboratory(Self.everything, options)
        func facts(_ outcome: LabOutcome) -> [Int] {
            [outcome.transactions, outcome.faults, outcome.restarts, outcome.objects]
        }
        let first = try laboratory.run(seed: options.seed)
        #expect(try facts(laboratory.run(seed: options.seed)) == facts(first), "seed \(options.seed)")
        #expect(first.objects > 0)
    }

    @Test("what is lost, happens twice or goes back in time is found") func ledger() throws {
        let schema = RealmSchema([
            ClassSchema("Item", primaryKey: "_id", [PropertySchema("_id", .int), PropertySchema("n", .int)])
        ])
        try EventLoop.shared.run {
            let world = try World()
            let agent = try world.agent()
            let file = try agent.open("p")
            try agent.write("p", file.snapshot().schema.instructions(adding: schema))
            var random = SeededRandom(seed: 1)
            var ledger = Ledger(schema)
            let entry = try #require(ledger.entry(file.snapshot(), &random))
            // Acknowledged, and not there.
            ledger.acknowledged(entry)
            #expect(try ledger.missing(in: file.snapshot()) == ["Item 1000 is lost"])
            try agent.write("p", entry.instructions)
            #expect(try ledger.missing(in: file.snapshot()) == [])
            #expect(try ledger.look(file.snapshot(), reader: 0) == [])
            // Twice, though it was acknowledged once; then back.
            let path = InstructionPath("Item", .int(1_000), "n")
            try agent.write("p", [.addInteger(path, 2)])
            #expect(try ledger.missing(in: file.snapshot()) == ["Item 1000 counts 2 instead of 0"])
            #expect(try ledger.look(file.snapshot(), reader: 0) == [])
            try agent.write("p", [.addInteger(path, -1)])
            #expect(try ledger.look(file.snapshot(), reader: 0) == ["a counter of Item 1000 was 2 and is 1"])
            #expect(try ledger.look(file.snapshot(), reader: 1) == [])
        }
    }

    @Test("schemas that can't be synced are refused, with the reason") func refusals() {
        let keyless = RealmSchema([ClassSchema("Item", [PropertySchema("n", .int)])])
        let embedded = RealmSchema([ClassSchema("Item", kind: .embedded, [PropertySchema("n", .int)])])
        for (schema, reason) in [(keyless, "_id"), (embedded, "no class"), (RealmSchema([]), "no class")] {
            do {
                _ = try Laboratory(schema, LabOptions(seed: 1))
                Issue.record("taken")
            } catch {
                #expect("\(error)".contains(reason), "\(error)")
            }
        }
    }
}
