import Foundation
import RealmSwift

/// What an app needs of memory that holds many objects as `Results`.
struct MemoryBenchmarks {
    let bench: Bench
    let path: String
    let total: Int

    func run() throws -> [Measurement] {
        try [("a Results of all", "plain"), ("a Results of all, sorted by a string", "sorted")].map { name, kind in
            let output = Pipe()
            let child = try bench.child(["--role", "holder", path, kind, "\(total)"], output: output)
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            child.waitUntilExit()
            guard child.terminationStatus == 0, let megabytes = Double(text.trimmingCharacters(in: .newlines)) else {
                throw BenchError("the holder failed: \(text)")
            }
            return .atMost(
                1, "memory of an app for \(name), over its base", megabytes, "MB", peer: "goal", 16)
        }
    }

    /// The holder's role: prints by how many megabytes memory has grown for a `Results`. What is mapped of the file isn't
    /// counted, since it is the same memory for all processes, and the system's to take back.
    static func holder(path: String, kind: String, total: Int) throws {
        let realm = try Realm(configuration: CommitBenchmarks.configuration(path))
        // What any query needs.
        guard realm.objects(Item.self).where({ $0.priority < 0 }).isEmpty else { throw BenchError("unexpected items") }
        let base = try ownKilobytes()
        var results = realm.objects(Item.self).where { $0.priority >= 0 }
        if kind == "sorted" { results = results.sorted(byKeyPath: "name") }
        var sum = 0
        for index in stride(from: 0, to: results.count, by: 1_000) { sum += results[index].priority }
        guard results.count == total, sum > 0 else { throw BenchError("\(results.count) items") }
        let growth = try ownKilobytes() - base
        withExtendedLifetime(results) { print(String(format: "%.2f", Double(growth) / 1024)) }
    }

    private static func ownKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        else { throw BenchError("no RssAnon") }
        return kilobytes
    }
}
