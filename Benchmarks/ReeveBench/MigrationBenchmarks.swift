import Foundation
import RealmSwift

/// An object that is synced by partition.
final class SyncedEntry: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var number: Int
}

/// A server that migrates an app's objects from partitions to flexible sync, and back.
struct MigrationBenchmarks {
    let bench: Bench

    private static let objects = 100_000
    private static let partitions = 10
    /// Objects of one transaction.
    private static let batch = 1_000

    func run() throws -> [Measurement] {
        print("filling \(Self.partitions) partitions of a server…")
        let server = try BenchServer(bench, name: "migrated")
        defer { server.end() }
        try fill(server)
        print("migrating…")
        let there = try migrate(server, to: "flexible")
        let back = try migrate(server, to: "partition")
        let what = "\(Self.objects) objects of \(Self.partitions) partitions"
        return [
            .atMost(1, "server: migrate \(what)", there, "s", peer: "goal", 10),
            .atMost(1, "server: and back", back, "s", peer: "goal", 10)
        ]
    }

    private func fill(_ server: BenchServer) throws {
        let user = try SyncBenchmarks.user(server.url)
        for partition in 0..<Self.partitions {
            let realm = try SyncBenchmarks.realm(user, "p\(partition)", [SyncedEntry.self])
            let count = Self.objects / Self.partitions
            for start in stride(from: partition * count, to: (partition + 1) * count, by: Self.batch) {
                try realm.write {
                    for id in start..<start + Self.batch {
                        realm.create(
                            SyncedEntry.self, value: ["_id": id, "name": "entry number \(id)", "number": id * 7])
                    }
                }
            }
            try SyncBenchmarks.wait(realm, .upload)
        }
    }

    /// Seconds that the command takes.
    private func migrate(_ server: BenchServer, to kind: String) throws -> Double {
        let start = now()
        let app = BenchServer.app(at: server.url)
        try server.run(["app", "migrate", app, "--to", kind, "--partition-key", "realm_id:string", "--json"])
        return Double(now() - start) / 1e9
    }
}
