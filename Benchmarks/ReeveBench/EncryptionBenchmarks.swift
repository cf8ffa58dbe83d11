import Foundation
import RealmSwift

/// An encrypted realm beside a plain one, in turns: committing, stepping through objects, finding one, opening.
struct EncryptionBenchmarks {
    let bench: Bench

    private static let objects = 100_000

    func run() throws -> [Measurement] {
        print("encrypting…")
        let (plain, secret) = (configuration("plain.realm", nil), configuration("secret.realm", 7))
        let realms = try (plain: Realm(configuration: plain), secret: Realm(configuration: secret))
        let commits = try alternating(2000) { isSecret, n in
            let realm = isSecret ? realms.secret : realms.plain
            let values = ItemValues(n)
            return try nanoseconds { try realm.write { realm.add(CommitBenchmarks.item(values)) } }
        }
        for realm in [realms.plain, realms.secret] { try fill(realm) }
        let steps = try alternating(9) { isSecret, _ in
            let items = (isSecret ? realms.secret : realms.plain).objects(Item.self)
            var sum = 0
            return try nanoseconds {
                for item in items { sum += item.priority + item.name.utf8.count + Int(item.score) }
                if sum == 0 { throw BenchError("nothing was read") }
            }
        }
        let reads = try alternating(9) { isSecret, round in
            let realm = isSecret ? realms.secret : realms.plain
            let ids = (0..<20_000).map { ItemValues(($0 * 7_919 + round) % Self.objects).id }
            return try nanoseconds {
                for id in ids where realm.object(ofType: Item.self, forPrimaryKey: id) == nil {
                    throw BenchError("\(id) was not found")
                }
            }
        }
        return [
            .atMost(1.3, "encrypted: durable commit", commits.secret / 1e3, "µs", peer: "plain", commits.plain / 1e3),
            .atMost(
                2, "encrypted: iterate \(Self.objects)", steps.secret / 1e6, "ms", peer: "plain", steps.plain / 1e6),
            .atMost(
                2, "encrypted: read by primary key", reads.secret / 2e7, "µs", peer: "plain", reads.plain / 2e7)
        ]
    }

    /// Both in turns, so that what else the machine does concerns both: the median of each.
    private func alternating(
        _ count: Int, _ body: (_ isSecret: Bool, _ n: Int) throws -> Int64
    ) rethrows -> (plain: Double, secret: Double) {
        var times: (plain: [Double], secret: [Double]) = ([], [])
        for n in 0..<count {
            times.plain.append(Double(try body(false, n)))
            times.secret.append(Double(try body(true, n)))
        }
        return (median(times.plain), median(times.secret))
    }

    private func nanoseconds(_ body: () throws -> Void) rethrows -> Int64 {
        let start = now()
        try body()
        return now() - start
    }

    private func fill(_ realm: Realm) throws {
        for start in stride(from: 0, to: Self.objects, by: 10_000) {
            try realm.write {
                for n in start..<(start + 10_000) { realm.add(CommitBenchmarks.item(ItemValues(n)), update: .modified) }
            }
        }
    }

    private func configuration(_ name: String, _ key: UInt8?) -> Realm.Configuration {
        Realm.Configuration(
            fileURL: URL(fileURLWithPath: bench.path(name)), encryptionKey: key.map { Data(repeating: $0, count: 64) },
            objectTypes: [Item.self])
    }
}
