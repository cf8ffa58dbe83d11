import CFloor
import Foundation
import RealmSwift

/// A million objects: loading them, scanning them, stepping through them, finding one.
struct QueryBenchmarks {
    let bench: Bench
    let total: Int

    func run() throws -> [Measurement] {
        let database = bench.path("items.sqlite")
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: bench.path("items.realm")), objectTypes: [Item.self])
        let realm = try Realm(configuration: configuration)

        print("inserting \(total) objects…")
        let insertTime = try insert(into: realm)
        let sqliteInsert = try checked(floor_sqlite_insert(database, Int64(total), 10_000))
        let perSecond = Double(total) * 1e9
        var measurements = [
            Measurement.atLeast(
                2, "insert in transactions of 10,000", perSecond / Double(insertTime), "objects/s", peer: "SQLite",
                perSecond / sqliteInsert)
        ]
        print("querying…")
        measurements += try scans(realm, database)
        measurements.append(try iteration(realm, database))
        measurements.append(try pointReads(realm, database))
        measurements += try conditions(realm, database)
        measurements.append(try sort(realm, database))
        measurements.append(try reevaluation(realm))
        measurements += try MemoryBenchmarks(bench: bench, path: bench.path("items.realm"), total: total).run()
        return measurements
    }

    private func insert(into realm: Realm) throws -> Int64 {
        var spent: Int64 = 0
        for start in stride(from: 0, to: total, by: 10_000) {
            // The values are made outside the clock, as SQLite's side fills a C struct almost for nothing.
            let values = (start..<min(start + 10_000, total)).map(ItemValues.init)
            let begin = now()
            try realm.write {
                for value in values {
                    let item = Item()
                    item.id = value.id
                    item.name = value.name
                    item.owner = value.owner
                    item.priority = value.priority
                    item.score = value.score
                    item.created = value.created
                    item.done = value.done
                    realm.add(item)
                }
            }
            spent += now() - begin
        }
        return spent
    }

    private func scans(_ realm: Realm, _ database: String) throws -> [Measurement] {
        var expected: Int64 = 0
        let items = realm.objects(Item.self)

        let sqliteAbove = try checked(floor_sqlite_count_above(database, 50_000, 9, &expected)) / 1e6
        var count = 0
        let above = milliseconds(repeats: 21) { count = items.where { $0.priority > 50_000 }.count }
        guard count == Int(expected) else { throw BenchError("priority > 50000: \(count), SQLite says \(expected)") }

        let sqliteOwner = try checked(floor_sqlite_count_owner(database, "owner123", 9, &expected)) / 1e6
        let owner = milliseconds(repeats: 21) { count = items.where { $0.owner == "owner123" }.count }
        guard count == Int(expected) else { throw BenchError("owner: \(count), SQLite says \(expected)") }

        let sqliteSum = try checked(floor_sqlite_sum(database, 9, &expected)) / 1e6
        var total = 0
        let sum = milliseconds(repeats: 21) { total = items.sum(of: \.priority) }
        guard total == Int(expected) else { throw BenchError("sum: \(total), SQLite says \(expected)") }

        return [
            .fasterBy(20, "count priority > x over all, unindexed", above, "ms", peer: "SQLite", sqliteAbove),
            .fasterBy(15, "count owner == s over all, unindexed", owner, "ms", peer: "SQLite", sqliteOwner),
            .fasterBy(30, "sum of an integer over all", sum, "ms", peer: "SQLite", sqliteSum)
        ]
    }

    private func iteration(_ realm: Realm, _ database: String) throws -> Measurement {
        var expected: Int64 = 0
        let rows = min(100_000, total)
        let sqlite = try checked(floor_sqlite_iterate(database, Int64(rows), 9, &expected)) / 1e6
        let items = realm.objects(Item.self)
        var sum = 0
        let time = milliseconds(repeats: 9) {
            sum = 0
            var left = rows
            for item in items {
                let name = item.name.utf8
                sum += name.count + Int(name.first ?? 0) + item.priority + Int(item.score)
                left -= 1
                if left == 0 { break }
            }
        }
        guard sum == Int(expected) else { throw BenchError("iteration: \(sum), SQLite says \(expected)") }
        return .fasterBy(2, "iterate 100,000, three properties each", time, "ms", peer: "SQLite stepping", sqlite)
    }

    private func pointReads(_ realm: Realm, _ database: String) throws -> Measurement {
        let reads = 100_000
        var sum: Int64 = 0
        let sqlite =
            try checked(floor_sqlite_point_reads(database, Int64(total), Int64(reads), &sum)) / Double(reads) / 1e3
        var order = SystemRandomNumberGenerator()
        let ids = (0..<reads).map { _ in ItemValues(Int.random(in: 0..<total, using: &order)).id }
        let start = now()
        var found = 0
        for id in ids {
            if let item = realm.object(ofType: Item.self, forPrimaryKey: id) { found += item.priority >= 0 ? 1 : 0 }
        }
        let time = Double(now() - start) / Double(reads) / 1e3
        guard found == reads else { throw BenchError("\(reads - found) objects not found") }
        return .fasterBy(1.5, "read by primary key, random", time, "µs", peer: "SQLite", sqlite)
    }
}
