import Foundation
import Model
import Query
import TestSupport
import Testing

@testable import Store

/// The plain evaluator is right where the outcome is known.
@Suite("Naive evaluator", .disabled(if: QueryVectors.isAbsent, "no queries.json; set REEVE_VECTORS to its directory"))
struct NaiveEvaluatorTests {
    @Test func `recorded queries on their data, of whatever type`() throws {
        let vectors = try QueryVectors.load()
        let naive = NaiveQuery(try NaiveRealm(vectors.schema, vectors.instructions))
        var count = 0
        for record in vectors.records {
            guard case .keys(let keys) = record.outcome else { continue }
            let parsed = try RQL.parse(record.text, arguments: record.arguments)
            let query = try ClassQuery(record.className, parsed.condition, parsed.descriptors)
                .checked(in: vectors.schema)
            #expect(naive.objects(query).map(\.key) == keys, "\(record)")
            count += 1
        }
        #expect(count > 400)
    }

    @Test func `worked examples (Q-136)`() throws {
        let naive = NaiveQuery(try NaiveRealm(WorkedExamples.schema, WorkedExamples.instructions))
        for example in WorkedResultTests.queries {
            let parsed = try RQL.parse(example.text, arguments: WorkedExamples.arguments)
            let query = try ClassQuery("P", parsed.condition, parsed.descriptors).checked(in: WorkedExamples.schema)
            #expect(
                naive.objects(query).map(\.key) == example.keys.map { .int($0) }, "Q-\(example.rules): \(example.text)")
        }
    }
}

/// Random queries on random data: the store's plans against the plain evaluator. Repeat a failure with `REEVE_SEED`.
struct PlanAgainstNaiveTests {
    @Test func `the store finds what the plain evaluator finds`() throws {
        var generator = SeededGenerator(seed: randomSeed ^ 0x51)
        let supported = try Self.supportedKinds()
        let rounds = soakFactor > 1 ? 200 : 20
        var refused = 0
        var selected = 0
        for round in 0..<rounds {
            let data = NaiveSample.make(&generator).reduced(to: supported)
            let naive = NaiveQuery(try NaiveRealm(data.schema, data.instructions))
            let realm = TestRealm()
            let file = try realm.open()
            try file.ensure(Self.indexed(data.schema, &generator))
            // In two transactions, so that there are several clusters and changed ones.
            let middle = Int.random(in: 0...data.instructions.count, using: &generator)
            for part in [data.instructions[..<middle], data.instructions[middle...]] where !part.isEmpty {
                try file.write(Array(part))
            }
            let snapshot = try file.snapshot()
            var queries = NaiveGenerator(schema: data.schema, generator: generator)
            var count = 0
            while count < 100 {
                let query = queries.query(count % 4 == 0 ? "Other" : "Thing")
                guard let checked = try? query.checked(in: data.schema) else {
                    refused += 1
                    continue
                }
                count += 1
                let expected = naive.objects(checked).map(\.key)
                selected += expected.isEmpty ? 0 : 1
                let table = try #require(snapshot.table(named: query.className))
                let found = try snapshot.objects(query).compactMap { table.primaryKey(of: $0) }
                guard found == expected else {
                    Issue.record("seed \(randomSeed), round \(round): \(text(checked)) finds \(found), not \(expected)")
                    continue
                }
                #expect(try snapshot.count(query) == expected.count, "seed \(randomSeed): \(text(checked))")
            }
            generator = queries.generator
            #expect(snapshot.damage.isEmpty, "seed \(randomSeed), round \(round)")
        }
        print("random queries: \(rounds * 100) agree, \(selected) of them select something, \(refused) were refused")
        #expect(selected > rounds * 25)
    }

    private func text(_ query: ClassQuery) -> String {
        query.stages.map { stage in
            guard let printed = try? RQL.print(stage.condition, stage.descriptors) else { return "\(stage)" }
            return printed.text + (printed.arguments.isEmpty ? "" : " \(printed.arguments)")
        }.joined(separator: " FILTER ")
    }

    /// Kinds of properties that the store has; the others arrive by themselves.
    private static func supportedKinds() throws -> Set<PropertyKind> {
        var generator = SeededGenerator(seed: 1)
        let sample = NaiveSample.make(&generator)
        let declaring = RecordedData(
            schema: sample.schema, instructions: sample.schema.declaration + sample.instructions)
        let realm = try RecordedRealm(declaring)
        let missing = realm.missing.map(\.description).sorted().joined(separator: ", ")
        print("random queries do without \(missing.isEmpty ? "nothing" : missing)")
        return realm.kinds.subtracting(realm.missing)
    }

    /// With an ordered index on some of the properties that can have one.
    private static func indexed(_ schema: RealmSchema, _ generator: inout SeededGenerator) -> RealmSchema {
        var schema = schema
        for owner in schema.classes.indices where schema.classes[owner].kind == .topLevel {
            for index in schema.classes[owner].properties.indices {
                let property = schema.classes[owner].properties[index]
                guard property.name != schema.classes[owner].primaryKey, IndexCoding.supports(property) else {
                    continue
                }
                schema.classes[owner].properties[index].isIndexed = Bool.random(using: &generator)
            }
        }
        return schema
    }
}
