import Foundation
import Model
import Query
import TestSupport
import Testing

@Suite("Recorded queries", .disabled(if: QueryVectors.isAbsent, "no queries.json; set REEVE_VECTORS to its directory"))
struct RecordedQueryTests {
    @Test func `good texts parse, bad ones are refused as the reference refuses them`() throws {
        for record in try QueryVectors.load().records {
            do {
                _ = try RQL.parse(record.text, arguments: record.arguments)
                #expect(record.outcome != .error("SyntaxError"), "\(record)")
            } catch {
                // What the parser refuses on other grounds must be refused with that kind.
                if record.outcome != .error(nil) {
                    #expect(record.outcome == .error(error.kind.name), "\(record): \(error)")
                }
            }
        }
    }

    @Test func `printed texts read back as the same tree`() throws {
        for record in try QueryVectors.load().records {
            guard let parsed = try? RQL.parse(record.text, arguments: record.arguments) else { continue }
            let printed = try RQL.print(parsed.condition, parsed.descriptors)
            let again = try RQL.parse(printed.text, arguments: printed.arguments)
            #expect(again.condition == parsed.condition, "\(record) printed \(printed.text)")
            #expect(again.descriptors == parsed.descriptors, "\(record) printed \(printed.text)")
        }
    }

    @Test func `canonical texts of the reference parse (Q-133)`() throws {
        for record in try QueryVectors.load().records {
            guard let text = record.canonicalText else { continue }
            _ = try RQL.parse(text)
        }
    }
}

@Suite("Recorded queries, checked", .disabled(if: QueryVectors.isAbsent, "no queries.json; set REEVE_VECTORS"))
struct RecordedCheckTests {
    private func check(_ record: QueryVectors.Record, _ schema: RealmSchema) throws(QueryError) -> ClassQuery {
        let parsed = try RQL.parse(record.text, arguments: record.arguments)
        return try ClassQuery(record.className, parsed.condition, parsed.descriptors).checked(in: schema)
    }

    @Test func `each record is accepted, or refused with its kind of error`() throws {
        let vectors = try QueryVectors.load()
        for record in vectors.records {
            do throws(QueryError) {
                _ = try check(record, vectors.schema)
                if case .error = record.outcome { Issue.record("accepted: \(record), should be \(record.outcome)") }
            } catch {
                if record.outcome != .error(nil) {
                    #expect(record.outcome == .error(error.kind.name), "\(record): \(error)")
                }
            }
        }
    }

    @Test func `checking a checked query again changes nothing, printed in between or not`() throws {
        let vectors = try QueryVectors.load()
        for record in vectors.records {
            guard let query = try? check(record, vectors.schema) else { continue }
            #expect(try query.checked(in: vectors.schema) == query, "\(record)")
            let printed = try RQL.print(query.condition, query.descriptors)
            let parsed = try RQL.parse(printed.text, arguments: printed.arguments)
            let again = try ClassQuery(record.className, parsed.condition, parsed.descriptors)
                .checked(in: vectors.schema)
            #expect(again == query, "\(record) printed \(printed.text)")
        }
    }
}
