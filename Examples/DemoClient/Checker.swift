import Foundation
import RealmSwift

/// Compares the realm with what the writers were told.
struct Checker {
    let configuration: Realm.Configuration

    /// Prints what was checked; false if anything is off.
    func run(logs: [String]) throws -> Bool {
        let realm = try Realm(configuration: configuration)
        var isGood = true
        var acknowledged = 0
        for log in logs {
            let writer = URL(fileURLWithPath: log).deletingPathExtension().lastPathComponent
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            let numbers = lines.compactMap { $0.hasPrefix("acknowledged ") ? Int($0.dropFirst(13)) : nil }
            acknowledged += numbers.count

            let visits = realm.objects(Visit.self).where { $0.writer == writer }.sorted(by: \.number)
            let stored = visits.map(\.number)
            let tally = realm.object(ofType: Tally.self, forPrimaryKey: writer)?.visits ?? 0
            if Array(stored) != Array(1..<(tally + 1)) {
                say("\(writer): the visits are not 1…\(tally)")
                isGood = false
            }
            if let last = numbers.max(), tally < last {
                say("\(writer): \(last) was acknowledged, the realm has \(tally)")
                isGood = false
            }
            if Set(numbers).count != numbers.count {
                say("\(writer): a number was acknowledged twice")
                isGood = false
            }
        }
        say(
            "\(acknowledged) acknowledged transactions of \(logs.count) writers: \(isGood ? "all there, whole" : "NOT all there")"
        )
        return isGood
    }
}
