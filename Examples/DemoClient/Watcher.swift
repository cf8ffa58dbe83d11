import Foundation
import RealmSwift

/// Keeps a live query through a link and prints what changes in it.
struct Watcher {
    let prefix: String
    let configuration: Realm.Configuration

    func run(seconds: Double) throws {
        let realm = try Realm(configuration: configuration)
        let prefix = self.prefix
        let visits = realm.objects(Visit.self).where { $0.place.code.starts(with: prefix) }
        var shown = 0
        let token = visits.observe { change in
            switch change {
            case .initial(let visits):
                shown = visits.count
                say("watching \(shown) visits to \(prefix)…")
            case .update(let visits, let deletions, let insertions, let modifications):
                shown += insertions.count - deletions.count
                let newest = insertions.last.map { "; newest: \(visits[$0].place?.name ?? "?")" } ?? ""
                say("+\(insertions.count) -\(deletions.count) ~\(modifications.count) → \(visits.count)\(newest)")
                if shown != visits.count { say("WRONG: change sets add up to \(shown), the query has \(visits.count)") }
            case .error(let error):
                say("WRONG: \(error.localizedDescription)")
            }
        }
        RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
        token.invalidate()
        say("watched \(shown) visits")
    }
}
