import Foundation
import RealmSwift

/// What is in the realm, and what is to go.
struct Report {
    let realm: Realm

    /// Lines of each source and level, the newest errors, the time that all of it spans.
    func print() {
        for source in realm.objects(Source.self).sorted(by: \.lines, ascending: false) {
            let errors = source.entries.where { $0.level == .error }.count
            say("\(source.name): \(source.lines) lines, \(errors) errors")
        }
        let entries = realm.objects(Entry.self)
        for level in [Level.error, .warning, .info, .debug] {
            let count = entries.where { $0.level == level }.count
            if count > 0 { say("\(level.rawValue): \(count)") }
        }
        for entry in entries.where({ $0.level == .error }).sorted(by: \.time, ascending: false).prefix(5) {
            say("  \(entry.source?.name ?? "?"): \(entry.text)")
        }
        if let first = entries.min(of: \.time), let last = entries.max(of: \.time) {
            say("from \(first) to \(last)")
        }
    }

    /// Prints errors as they come, whichever process collects them.
    func follow() -> NotificationToken {
        realm.objects(Entry.self).where { $0.level == .error }.observe { change in
            switch change {
            case .initial(let errors): say("\(errors.count) errors so far")
            case .update(let errors, _, let insertions, _):
                for index in insertions { say("\(errors[index].source?.name ?? "?"): \(errors[index].text)") }
            case .error(let error): say("no more news: \(error.localizedDescription)")
            }
        }
    }

    /// Deletes what is older than `age` and no error. Returns how many lines that were.
    func prune(olderThan age: TimeInterval) throws -> Int {
        let limit = Date(timeIntervalSinceNow: -age)
        return try realm.write {
            let old = realm.objects(Entry.self).where { $0.time < limit && $0.level != .error }
            let count = old.count
            for source in realm.objects(Source.self) {
                source.lines -= source.entries.where { $0.time < limit && $0.level != .error }.count
            }
            realm.delete(old)
            return count
        }
    }
}

/// Prints one line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}
