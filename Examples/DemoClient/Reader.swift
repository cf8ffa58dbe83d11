import Foundation
import RealmSwift

/// Reads aggregates of a realm that others write to.
struct Reader {
    let configuration: Realm.Configuration

    func run(seconds: Double) throws {
        let realm = try Realm(configuration: configuration)
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            realm.refresh()
            let visits = realm.objects(Visit.self)
            let tallied: Int = realm.objects(Tally.self).sum(of: \.visits)
            let highest = visits.max(of: \.number) ?? 0
            say("\(visits.count) visits, tallies add up to \(tallied), highest number \(highest)")
            if tallied != visits.count { say("WRONG: a transaction is visible in part") }
            Thread.sleep(forTimeInterval: 0.5)
        }
    }
}
