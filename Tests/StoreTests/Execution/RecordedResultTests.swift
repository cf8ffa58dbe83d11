import Foundation
import Model
import Query
import TestSupport
import Testing

@testable import Store

/// Queries that the reference has run, on its data in a realm file: the same objects in the same order, the same errors.
@Suite("Recorded results", .disabled(if: QueryVectors.isAbsent, "no queries.json; set REEVE_VECTORS to its directory"))
struct RecordedResultTests {
    @Test func `each recorded query selects what the reference selects`() throws {
        let vectors = try QueryVectors.load()
        let realm = try RecordedRealm(vectors.data)
        var agreeing = 0
        var waiting: [PropertyKind: Int] = [:]
        var waitingCount = 0
        for record in vectors.records {
            let query = { (schema: RealmSchema) throws(QueryError) in
                let parsed = try RQL.parse(record.text, arguments: record.arguments)
                return try ClassQuery(record.className, parsed.condition, parsed.descriptors).checked(in: schema)
            }
            let missing = try realm.kindsMissing(for: query)
            guard missing.isEmpty else {
                waitingCount += 1
                for kind in missing { waiting[kind, default: 0] += 1 }
                continue
            }
            let outcome = realm.outcome(query)
            if outcome == record.outcome || record.outcome == .error(nil) && outcome.isError {
                agreeing += 1
            } else {
                Issue.record("\(record) gives \(outcome), should be \(record.outcome)")
            }
        }
        let kinds = waiting.sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print(
            "recorded queries: \(vectors.records.count), \(agreeing) agree,",
            "\(waitingCount) wait for types that the store doesn't have (\(kinds))")
        #expect(agreeing + waitingCount == vectors.records.count)
        #expect(realm.snapshot.damage.isEmpty)
    }

    @Test func `values, links and lists of them are types that the store has`() throws {
        let realm = try RecordedRealm(QueryVectors.load().data)
        let missing = realm.missing.filter {
            $0.type != .mixed && !$0.isEmbedded && ($0.collection == .single || $0.collection == .list)
        }
        #expect(missing.isEmpty)
        #expect(realm.kinds.count > 20)
    }
}

extension QueryVectors {
    fileprivate var data: RecordedData { RecordedData(schema: schema, instructions: instructions) }
}

extension QueryVectors.Outcome {
    fileprivate var isError: Bool {
        if case .error = self { true } else { false }
    }
}
