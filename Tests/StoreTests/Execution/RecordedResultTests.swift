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
        let realm = try RecordedRealm(QueryVectors.load())
        var agreeing = 0
        var waiting: [PropertyKind: Int] = [:]
        var waitingCount = 0
        for record in realm.vectors.records {
            let missing = realm.kindsNeeded(by: record).intersection(realm.missing)
            // The executor has no geometry.
            guard missing.isEmpty, !record.text.lowercased().contains("geowithin") else {
                waitingCount += 1
                for kind in missing { waiting[kind, default: 0] += 1 }
                continue
            }
            let outcome = try realm.outcome(record)
            if outcome == record.outcome || record.outcome == .error(nil) && outcome.isError {
                agreeing += 1
            } else {
                Issue.record("\(record) gives \(outcome), should be \(record.outcome)")
            }
        }
        let kinds = waiting.sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
            .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print(
            "recorded queries: \(realm.vectors.records.count), \(agreeing) agree,",
            "\(waitingCount) wait for types that the store doesn't have (\(kinds))")
        #expect(agreeing + waitingCount == realm.vectors.records.count)
        #expect(realm.snapshot.damage.isEmpty)
    }

    @Test func `values, links and lists of them are types that the store has`() throws {
        let realm = try RecordedRealm(QueryVectors.load())
        let missing = realm.missing.filter {
            $0.type != .mixed && !$0.isEmbedded && ($0.collection == .single || $0.collection == .list)
        }
        #expect(missing.isEmpty)
        #expect(realm.kinds.count > 20)
    }
}

extension QueryVectors.Outcome {
    fileprivate var isError: Bool {
        if case .error = self { true } else { false }
    }
}
