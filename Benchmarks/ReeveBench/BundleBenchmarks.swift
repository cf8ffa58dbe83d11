import Foundation
import RealmSwift

/// What a device saves that begins with a bundled realm: against one that downloads everything, from the same server.
struct BundleBenchmarks {
    let bench: Bench

    private static let count = 100_000
    private static let changes = 1_000

    func run() throws -> [Measurement] {
        print("beginning with a bundle…")
        let server = try BenchServer(bench, name: "bundling")
        defer { server.end() }
        let user = try SyncBenchmarks.user(server.url)
        let realm = try SyncBenchmarks.realm(user, "bundled")
        for start in stride(from: 0, to: Self.count, by: 10_000) {
            try realm.write { for number in start..<(start + 10_000) { realm.add(SyncedItem(ItemValues(number))) } }
        }
        try SyncBenchmarks.wait(realm, .upload)
        var bundle = user.configuration(partitionValue: "bundled")
        bundle.fileURL = URL(fileURLWithPath: bench.path("bundle.realm"))
        try realm.writeCopy(configuration: bundle)
        // Others go on.
        let items = realm.objects(SyncedItem.self)
        for start in stride(from: 0, to: Self.changes, by: 100) {
            try realm.write { for place in start..<(start + 100) { items[place].name = "changed \(place)" } }
        }
        try SyncBenchmarks.wait(realm, .upload)

        let full = try open(server, home: "full", seed: nil)
        let bundled = try open(server, home: "bundled", seed: bundle.fileURL?.path)
        return [
            .fasterBy(
                5, "bundled: \(Self.count) objects until the first of them is read", bundled.first, "ms",
                peer: "downloaded in full", full.caughtUp),
            .fasterBy(
                3, "bundled: until \(Self.changes) changes since then have come", bundled.caughtUp, "ms",
                peer: "downloaded in full", full.caughtUp)
        ]
    }

    /// Opens the partition on a new device.
    private func open(_ server: BenchServer, home: String, seed: String?) throws -> (first: Double, caughtUp: Double) {
        let device = try BenchAgent(binaries: bench.binaries, home: bench.directory.appendingPathComponent(home))
        defer { device.end() }
        let output = Pipe()
        let process = try bench.child(["--role", "bundled", server.url, seed ?? ""], on: device, output: output)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let times = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard times.count == 2 else { throw BenchError("a realm didn't open: \(text)") }
        return (times[0], times[1])
    }

    /// The new device's role: prints after how many milliseconds an object was read, and everything was there.
    static func open(url: String, seed: String) throws {
        let user = try SyncBenchmarks.user(url)
        var configuration = user.configuration(partitionValue: "bundled")
        configuration.objectTypes = [SyncedItem.self]
        if !seed.isEmpty { configuration.seedFilePath = URL(fileURLWithPath: seed) }
        let start = now()
        let realm = try Realm(configuration: configuration)
        let items = realm.objects(SyncedItem.self)
        guard seed.isEmpty || items.first.map({ !$0.name.isEmpty }) == true else {
            throw BenchError("the bundle is empty")
        }
        let first = now() - start
        try SyncBenchmarks.wait(realm, .download)
        realm.refresh()
        guard items.count == count, items.where({ $0.name.starts(with: "changed") }).count == changes else {
            throw BenchError("\(items.count) objects came")
        }
        print(Double(first) / 1e6, Double(now() - start) / 1e6)
    }
}
