import Foundation
import RealmSwift

/// Brings the lines of one source into the realm, many to a transaction.
struct Collector {
    let realm: Realm
    let source: String
    /// Lines that wait for their transaction at most, and how long they do.
    let batchSize = 500
    let patience: TimeInterval = 0.5

    /// Reads until the input ends. Other collectors may write to the same realm meanwhile.
    func run() throws -> Int {
        var waiting: [(time: Date, line: String)] = []
        var collected = 0
        var oldest = Date.distantFuture
        while let line = readLine() {
            let now = Date()
            waiting.append((now, line))
            oldest = min(oldest, now)
            guard waiting.count >= batchSize || now.timeIntervalSince(oldest) >= patience else { continue }
            try write(waiting)
            collected += waiting.count
            waiting = []
            oldest = .distantFuture
        }
        try write(waiting)
        return collected + waiting.count
    }

    private func write(_ lines: [(time: Date, line: String)]) throws {
        guard !lines.isEmpty else { return }
        try realm.write {
            let origin =
                realm.object(ofType: Source.self, forPrimaryKey: source)
                ?? realm.create(Source.self, value: ["name": source])
            origin.lines += lines.count
            for (time, line) in lines {
                let entry = Entry()
                entry.time = time
                entry.level = Self.level(of: line)
                entry.text = line
                entry.source = origin
                realm.add(entry)
            }
        }
    }

    /// The level that a line speaks of.
    static func level(of line: String) -> Level {
        let text = line.lowercased()
        if text.contains("error") || text.contains("fatal") { return .error }
        if text.contains("warn") { return .warning }
        return text.contains("debug") ? .debug : .info
    }
}
