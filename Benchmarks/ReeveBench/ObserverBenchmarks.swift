import Foundation
import RealmSwift

/// What a commit costs those who observe: processor time of all processes but the writer's.
struct ObserverBenchmarks {
    let bench: Bench
    private static let processes = 10
    private static let commits = 200

    func run() throws -> [Measurement] {
        print("observing…")
        let few = try perCommit(observers: 1)
        let many = try perCommit(observers: 10)
        let unconcerned = try perCommit(observers: 10, isConcerned: false)
        return [
            .atMost(
                2, "100 observers in 10 processes: processor time a commit", many, "µs", peer: "10 in 10 processes", few
            ),
            .atMost(
                0.5, "the same, observers of another class", unconcerned, "µs", peer: "of the class", many)
        ]
    }

    /// Microseconds of processor time of the agent and the observing processes for each commit of one object.
    private func perCommit(observers: Int, isConcerned: Bool = true) throws -> Double {
        let path = bench.path("observed-\(observers)-\(isConcerned).realm")
        let realm = try Realm(configuration: Self.configuration(path))
        let children = try (0..<Self.processes).map { _ in
            try ObservingChild(bench, path, observers: observers, isConcerned: isConcerned)
        }
        defer { for child in children { child.end() } }
        for child in children { try child.expect("ready") }
        let pids = [bench.agentPid] + children.map(\.pid)
        // Their first commit makes things that later ones find.
        try commit(0, to: realm)
        usleep(200_000)
        let before = try pids.reduce(0) { $0 + (try processorNanoseconds($1)) }
        for number in 1...Self.commits {
            try commit(number, to: realm)
            // Long enough for all to have seen it: commits that come faster are told together.
            usleep(20_000)
        }
        usleep(200_000)
        let spent = try pids.reduce(0) { $0 + (try processorNanoseconds($1)) } - before
        for child in children {
            child.close()
            try child.expect(isConcerned ? "\(observers * (Self.commits + 1))" : "0")
        }
        return Double(spent) / Double(Self.commits) / 1e3
    }

    private func commit(_ number: Int, to realm: Realm) throws {
        let item = CommitBenchmarks.item(ItemValues(number))
        item.priority = 1
        try realm.write { realm.add(item) }
    }

    /// The time that all threads of a process have run.
    private func processorNanoseconds(_ pid: pid_t) throws -> Int64 {
        let tasks = "/proc/\(pid)/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(0) { sum, thread in
            let text = try String(contentsOfFile: "\(tasks)/\(thread)/schedstat", encoding: .utf8)
            return sum + (text.split(separator: " ").first.flatMap { Int64($0) } ?? 0)
        }
    }

    /// The observers' role: counts what the callbacks are told until its input ends, and prints the sum.
    static func observers(path: String, count: Int, isConcerned: Bool) throws {
        let realm = try Realm(configuration: Self.configuration(path))
        let seen = Counter()
        func note<Element>(_ change: RealmCollectionChange<Results<Element>>) {
            switch change {
            case .initial: seen.initials += 1
            case .update(_, _, let insertions, _): seen.insertions += insertions.count
            case .error(let error): CommitBenchmarks.emit("error \(error)")
            }
        }
        let tokens = (0..<count).map { _ in
            isConcerned
                ? realm.objects(Item.self).where { $0.priority == 1 }.observe { note($0) }
                : realm.objects(Bystander.self).where { $0.number == 1 }.observe { note($0) }
        }
        while seen.initials < count {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
        }
        CommitBenchmarks.emit("ready")
        // A thread that waits: the readability handler of a pipe that is closed can end the process (libdispatch).
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            RunLoop.main.perform { seen.isOver = true }
        }
        while !seen.isOver {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5))
        }
        CommitBenchmarks.emit("\(seen.insertions)")
        for token in tokens { token.invalidate() }
    }

    private static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Bystander.self])
    }

    /// Touched by the main thread alone: callbacks and `perform` run on its run loop.
    private final class Counter: @unchecked Sendable {
        var initials = 0
        var insertions = 0
        var isOver = false
    }
}

/// What no commit touches.
final class Bystander: Object {
    @Persisted var number: Int
}

/// A process with observers.
private final class ObservingChild {
    private let process: Process
    private let input = Pipe()
    private var lines: LineReader

    init(_ bench: Bench, _ path: String, observers: Int, isConcerned: Bool) throws {
        let output = Pipe()
        process = try bench.child(
            ["--role", "observers", path, "\(observers)", "\(isConcerned)"], input: input, output: output)
        lines = LineReader(output.fileHandleForReading)
    }

    var pid: pid_t { process.processIdentifier }

    func expect(_ line: String) throws {
        let found = lines.next()
        guard found == line else { throw BenchError("an observer said \(found ?? "nothing") in place of \(line)") }
    }

    func close() { try? input.fileHandleForWriting.close() }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }
}
