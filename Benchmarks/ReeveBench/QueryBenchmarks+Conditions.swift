import CFloor
import Foundation
import RealmSwift

/// Several conditions, texts, an order, and a query that stays open.
extension QueryBenchmarks {
    func conditions(_ realm: Realm, _ database: String) throws -> [Measurement] {
        let items = realm.objects(Item.self)
        func row(
            _ goal: Double, _ name: String, peer: String, _ sqlite: (inout Int64) -> Int64, _ count: () -> Int
        ) throws -> Measurement {
            var expected: Int64 = 0
            let peerTime = try checked(sqlite(&expected)) / 1e6
            var found = 0
            let time = milliseconds(repeats: 21) { found = count() }
            guard found == Int(expected), found > 0 else {
                throw BenchError("\(name): \(found), SQLite says \(expected)")
            }
            return .fasterBy(goal, name, time, "ms", peer: peer, peerTime)
        }
        return [
            try row(
                20, "count three conditions over all", peer: "SQLite",
                { floor_sqlite_count_three(database, 50_000, 8_000, 9, &$0) },
                { items.where { $0.priority > 50_000 && $0.done == true && $0.score < 8_000 }.count }),
            try row(
                3, "count name BEGINSWITH[c] s over all", peer: "SQLite LIKE 's%'",
                { floor_sqlite_count_like(database, "ITEM NUMBER 0001%", 9, &$0) },
                { items.filter("name BEGINSWITH[c] 'ITEM NUMBER 0001'").count }),
            try row(
                3, "count name CONTAINS s over all", peer: "SQLite LIKE '%s%'",
                { floor_sqlite_count_like(database, "%099%", 9, &$0) }, { items.filter("name CONTAINS '099'").count })
        ]
    }

    func sort(_ realm: Realm, _ database: String) throws -> Measurement {
        let rows = min(100_000, total)
        var expected: Int64 = 0
        let sqlite = try checked(floor_sqlite_sort(database, Int64(rows), 9, &expected)) / 1e6
        let end = ItemValues(rows).created
        var found = 0
        let time = milliseconds(repeats: 9) {
            let sorted = realm.objects(Item.self).where { $0.created < end }.sorted(byKeyPath: "owner")
            found = sorted.count
            precondition(sorted[0].owner <= sorted[found - 1].owner)
        }
        guard found == Int(expected) else { throw BenchError("sort: \(found), SQLite says \(expected)") }
        return .fasterBy(1.5, "sort 100,000 by a string", time, "ms", peer: "SQLite ORDER BY", sqlite)
    }

    /// From the end of a commit that changes one object of many in a query to the observer's callback, with the exact
    /// change.
    func reevaluation(_ realm: Realm) throws -> Measurement {
        let results = realm.objects(Item.self).where { $0.priority > 50_000 }
        let item = results[0]
        let changes = Changes()
        let token = results.observe { change in
            switch change {
            case .initial: changes.count = 0
            case .update(_, _, _, let modifications): changes.count += modifications.count
            case .error(let error): changes.failure = "\(error)"
            }
        }
        defer { token.invalidate() }
        func wait(for count: Int) throws {
            let deadline = Date(timeIntervalSinceNow: 10)
            while changes.count < count {
                if let failure = changes.failure { throw BenchError("observing: \(failure)") }
                guard Date() < deadline else { throw BenchError("observing: no callback") }
                _ = RunLoop.main.run(mode: .default, before: deadline)
            }
        }
        try wait(for: 0)
        var times: [Double] = []
        for number in 1...21 {
            try realm.write { item.score = Double(number) + 0.5 }
            let start = now()
            try wait(for: number)
            times.append(Double(now() - start) / 1e6)
        }
        return .atMost(
            1, "live query over all after a one-object commit", median(times), "ms", peer: "goal", 5)
    }
}

/// What an observer has seen.
private final class Changes {
    var count = -1
    var failure: String?
}
