import Foundation
import RealmSwift

/// A server and two devices, all of them processes on this machine: how soon what is written on one is on the server and
/// on the other, beside what the same takes in a realm that isn't synced.
struct SyncBenchmarks {
    let bench: Bench
    /// Objects of the large download.
    let total: Int

    private static let batch = 100_000

    func run() throws -> [Measurement] {
        print("syncing…")
        let server = try BenchServer(bench)
        defer { server.end() }
        let user = try Self.user(server.url)
        return try uploads(user) + downloads(user, server) + [latency(user, server)]
            + [IdleConnections(bench: bench).measure()]
    }

    // MARK: Up

    private func uploads(_ user: User) throws -> [Measurement] {
        let local = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: bench.path("unsynced.realm")), objectTypes: [SyncedItem.self]))
        let commits = 500
        let alone = try Self.seconds { try commit(commits, to: local) }
        let few = try Self.realm(user, "commits")
        let uploaded = try Self.seconds {
            try commit(commits, to: few)
            try Self.wait(few, .upload)
        }
        let inserted = try Self.seconds { try insert(0..<Self.batch, into: local) }
        let many = try Self.realm(user, "bulk")
        let bulk = try Self.seconds {
            try insert(0..<Self.batch, into: many)
            try Self.wait(many, .upload)
        }
        let rate = Double(Self.batch) / inserted
        return [
            .atLeast(
                0.9, "synced: \(commits) one-object transactions until uploaded", Double(commits) / uploaded,
                "commits/s", peer: "in a local realm", Double(commits) / alone),
            .atLeast(
                0.25, "synced: \(Self.batch) objects in one transaction until uploaded", Double(Self.batch) / bulk,
                "objects/s", peer: "in a local realm", rate)
        ]
    }

    private func commit(_ count: Int, to realm: Realm) throws {
        for number in 0..<count { try realm.write { realm.add(SyncedItem(ItemValues(1_000_000 + number))) } }
    }

    private func insert(_ numbers: Range<Int>, into realm: Realm) throws {
        try realm.write { for number in numbers { realm.add(SyncedItem(ItemValues(number))) } }
    }

    // MARK: Down

    private func downloads(_ user: User, _ server: BenchServer) throws -> [Measurement] {
        let local = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: bench.path("unsynced-2.realm")), objectTypes: [SyncedItem.self]))
        let inserted = try Self.seconds { try insert(0..<Self.batch, into: local) }
        let few = try download("bulk", Self.batch, server)
        let large = try Self.realm(user, "large")
        for start in stride(from: 0, to: total, by: Self.batch) {
            try insert(start..<min(start + Self.batch, total), into: large)
        }
        try Self.wait(large, .upload)
        let many = try download("large", total, server)
        return [
            .atLeast(
                0.5, "synced: a fresh device's download of \(Self.batch) objects", Double(Self.batch) / few.seconds,
                "objects/s", peer: "inserted in a local realm", Double(Self.batch) / inserted),
            .atMost(
                1.5, "the agent's memory while it downloads \(total) objects", many.agent, "MB",
                peer: "while it downloads \(Self.batch)", few.agent),
            .atMost(
                1.5, "the server's memory while it sends \(total) objects", many.server, "MB",
                peer: "while it sends \(Self.batch)", few.server)
        ]
    }

    /// Onto a new device, from a server that has done nothing before: neither has memory left over from something else.
    private func download(
        _ partition: String, _ count: Int, _ server: BenchServer
    ) throws -> (seconds: Double, agent: Double, server: Double) {
        try server.restart()
        let device = try device("to-" + partition)
        defer { device.end() }
        let output = Pipe()
        let process = try bench.child(
            ["--role", "synced-download", server.url, partition, "\(count)"], on: device, output: output)
        let peaks = ProcessMemory.peaks(of: [device.pid, server.pid], during: process)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard let seconds = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("a download failed: \(text)")
        }
        return (seconds, peaks[0], peaks[1])
    }

    /// The other device's role: opens a partition that it doesn't have yet, and prints how many seconds that took.
    static func download(url: String, partition: String, count: Int) throws {
        let user = try user(url)
        let time = try seconds {
            let realm = try realm(user, partition)
            try wait(realm, .download)
            realm.refresh()
            let there = realm.objects(SyncedItem.self).count
            guard there == count else { throw BenchError("\(there) objects of \(count) came") }
        }
        print(time)
    }

    private func device(_ name: String) throws -> BenchAgent {
        try BenchAgent(binaries: bench.binaries, home: bench.directory.appendingPathComponent(name))
    }

    // MARK: Across

    private func latency(_ user: User, _ server: BenchServer) throws -> Measurement {
        let commits = 200
        let other = try device("other")
        defer { other.end() }
        let realm = try Self.realm(user, "latency")
        try Self.wait(realm, .upload)
        let output = Pipe()
        let observer = try bench.child(
            ["--role", "synced-observer", server.url, "latency", "\(commits)"], on: other, output: output)
        var lines = LineReader(output.fileHandleForReading)
        guard lines.next() == "ready" else { throw BenchError("the observer did not start") }
        let latencies = try (0..<commits).map { number in
            let start = now()
            try realm.write { realm.add(SyncedItem(ItemValues(number))) }
            guard let line = lines.next(), let seen = Int64(line) else { throw BenchError("the observer stopped") }
            return Double(seen - start) / 1e3
        }
        observer.waitUntilExit()
        return .atMost(
            1, "synced: commit to the observer on another device", median(latencies), "µs",
            peer: "four syncs of this disk and 2 ms", try diskSync() * 4 + 2_000)
    }

    /// Microseconds that this disk takes for a small write.
    private func diskSync() throws -> Double {
        let descriptor = open(bench.path("disk"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw BenchError("no file can be made: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 1, count: 4_096)
        return try median(
            (0..<200).map { _ in
                let start = now()
                guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count, fdatasync(descriptor) == 0 else {
                    throw BenchError("the disk fails: \(String(cString: strerror(errno)))")
                }
                return Double(now() - start) / 1e3
            })
    }

    /// The other device's role: prints the time of each callback.
    static func observe(url: String, partition: String, count: Int) throws {
        let realm = try realm(try user(url), partition)
        try wait(realm, .download)
        CommitBenchmarks.tell(of: realm.objects(SyncedItem.self), until: count)
    }

    // MARK: Realms

    /// A new user of this device.
    static func user(_ url: String) throws -> User {
        let app = App(id: BenchServer.app(at: url), configuration: AppConfiguration(baseURL: url))
        return try Outcome<User>.of { done in app.login(credentials: .anonymous) { done($0) } }
    }

    static func realm(
        _ user: User, _ partition: String, _ types: [ObjectBase.Type] = [SyncedItem.self]
    ) throws -> Realm {
        var configuration = user.configuration(partitionValue: partition)
        configuration.objectTypes = types
        return try Realm(configuration: configuration)
    }

    static func wait(_ realm: Realm, _ direction: SyncSession.ProgressDirection) throws {
        guard let session = realm.syncSession else { throw BenchError("the realm isn't synced") }
        _ = try Outcome<Bool>.of { done in
            session.wait(for: direction, queue: .global()) { error in done(error.map { .failure($0) } ?? .success(true))
            }
        }
    }

    private static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return Double(now() - start) / 1e9
    }
}

/// The object of the benchmarks, as a synced realm wants it.
final class SyncedItem: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var owner: String
    @Persisted var priority: Int
    @Persisted var score: Double
    @Persisted var created: Date
    @Persisted var done: Bool

    convenience init(_ values: ItemValues) {
        self.init()
        _id = values.id
        name = values.name
        owner = values.owner
        priority = values.priority
        score = values.score
        created = values.created
        done = values.done
    }
}
