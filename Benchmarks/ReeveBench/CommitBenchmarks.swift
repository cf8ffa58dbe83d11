import CFloor
import Foundation
import RealmSwift

/// Small durable transactions: one client, many clients, and how soon another process hears of one.
struct CommitBenchmarks {
    let bench: Bench

    func run() throws -> [Measurement] {
        print("committing…")
        let single = try oneClient()
        let many = try manyClients(32, milliseconds: 4000)
        let notification = try notificationLatency()
        return [single, many, notification]
    }

    private func oneClient() throws -> Measurement {
        let count = 2000
        var latencies = [Int64](repeating: 0, count: count)
        _ = try checked(floor_sqlite_commits(bench.path("commits.sqlite"), Int64(count), &latencies))
        let sqlite = median(latencies.map { Double($0) }) / 1e3

        let realm = try Realm(configuration: Self.configuration(bench.path("commits.realm")))
        let times = try (0..<count).map { n in
            let values = ItemValues(n)
            let start = now()
            try realm.write { realm.add(Self.item(values)) }
            return Double(now() - start) / 1e3
        }
        return .atLeast(
            0.7, "durable single-object commits, 1 client", 1e6 / median(times), "commits/s", peer: "SQLite FULL",
            1e6 / sqlite)
    }

    private func manyClients(_ clients: Int, milliseconds: Int) throws -> Measurement {
        let sqlite = try checked(
            floor_sqlite_writers(bench.path("writers.sqlite"), Int32(clients), Int32(milliseconds)))
        let path = bench.path("writers.realm")
        _ = try Realm(configuration: Self.configuration(path))
        let outputs = (0..<clients).map { _ in Pipe() }
        let processes = try outputs.enumerated().map { index, output in
            try bench.child(["--role", "writer", path, "\(index)", "\(milliseconds)"], output: output)
        }
        var total = 0
        for (process, output) in zip(processes, outputs) {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0, let count = Int(text.trimmingCharacters(in: .whitespacesAndNewlines))
            else { throw BenchError("a writer failed: \(text)") }
            total += count
        }
        let realm = try Realm(configuration: Self.configuration(path))
        guard realm.objects(Item.self).count == total else {
            throw BenchError("\(total) acknowledged, \(realm.objects(Item.self).count) there")
        }
        let seconds = Double(milliseconds) / 1000
        return .atLeast(
            8, "durable single-object commits, \(clients) client processes", Double(total) / seconds, "commits/s",
            peer: "\(clients) SQLite writers", sqlite / seconds)
    }

    /// The writer's role: commits until the time is over and prints how many it has made.
    static func writer(path: String, index: Int, milliseconds: Int) throws {
        let realm = try Realm(configuration: configuration(path))
        let end = now() + Int64(milliseconds) * 1_000_000
        var count = 0
        while now() < end {
            let values = ItemValues(index * 100_000 + count)
            try realm.write { realm.add(item(values)) }
            count += 1
        }
        print(count)
    }

    private func notificationLatency() throws -> Measurement {
        let path = bench.path("observed.realm")
        let realm = try Realm(configuration: Self.configuration(path))
        let output = Pipe()
        let observer = try bench.child(["--role", "observer", path, "300"], output: output)
        var lines = LineReader(output.fileHandleForReading)
        guard lines.next() == "ready" else { throw BenchError("the observer did not start") }
        var commits: [Double] = []
        var latencies: [Double] = []
        for n in 0..<300 {
            let values = ItemValues(n)
            let start = now()
            try realm.write { realm.add(Self.item(values)) }
            commits.append(Double(now() - start) / 1e3)
            guard let line = lines.next(), let seen = Int64(line) else { throw BenchError("the observer stopped") }
            latencies.append(Double(seen - start) / 1e3)
        }
        observer.waitUntilExit()
        return .atMost(
            1.3, "commit to the observer in another process", median(latencies), "µs", peer: "the commit itself",
            median(commits))
    }

    /// The observer's role: prints the time of each callback.
    static func observer(path: String, count: Int) throws {
        tell(of: try Realm(configuration: configuration(path)).objects(Item.self), until: count)
    }

    /// Prints the time of each callback, until so many objects have come.
    static func tell<Element>(of objects: Results<Element>, until count: Int) {
        let seen = Counter()
        let token = objects.observe { change in
            switch change {
            case .initial: emit("ready")
            case .update(_, _, let insertions, _):
                emit("\(now())")
                seen.value += insertions.count
            case .error(let error): emit("error \(error)")
            }
        }
        while seen.value < count {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
        }
        token.invalidate()
    }

    static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self])
    }

    static func item(_ values: ItemValues) -> Item {
        let item = Item()
        item.id = values.id
        item.name = values.name
        item.owner = values.owner
        item.priority = values.priority
        item.score = values.score
        item.created = values.created
        item.done = values.done
        return item
    }

    static func emit(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// A number that a callback counts up.
private final class Counter {
    var value = 0
}

/// Lines of a pipe as they come.
struct LineReader {
    private let handle: FileHandle
    private var buffer = Data()

    init(_ handle: FileHandle) { self.handle = handle }

    mutating func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                defer { buffer = Data(buffer[buffer.index(after: end)...]) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = handle.availableData
            guard !more.isEmpty else { return nil }
            buffer.append(more)
        }
    }
}
