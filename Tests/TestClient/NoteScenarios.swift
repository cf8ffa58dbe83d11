import Foundation
import RealmSwift

final class Note: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String?
    @Persisted(indexed: true) var title: String?
    @Persisted var time: Date?
}

/// Texts and dates, as reports from the field have them.
enum NoteScenarios {
    static var all: [String: Scenario.Body] {
        ["write-texts": writeTexts, "find-texts": findTexts, "write-dates": writeDates, "find-dates": findDates]
    }

    private static func open(_ arguments: [String]) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[0]), objectTypes: [Note.self]))
    }

    /// REALM TEXT…: a note of each text, and one without.
    private static func writeTexts(_ arguments: [String]) throws {
        let realm = try open(arguments)
        try realm.write {
            for (id, text) in arguments.dropFirst().enumerated() {
                realm.create(Note.self, value: ["id": id, "text": text, "title": text])
            }
            realm.create(Note.self, value: ["id": arguments.count])
        }
    }

    /// REALM PART…: how many texts contain each, with case and without, and the order of all.
    private static func findTexts(_ arguments: [String]) throws {
        let notes = try open(arguments).objects(Note.self)
        for part in arguments.dropFirst() {
            let folded = notes.where { $0.text.contains(part, options: .caseInsensitive) }
            let exact = notes.filter("title CONTAINS %@", part)
            Scenario.say("contains \(part) \(folded.count) \(exact.count)")
        }
        for property in ["text", "title"] {
            let order = notes.sorted(byKeyPath: property).map { $0.text ?? "-" }
            Scenario.say("by \(property) \(order.joined(separator: ","))")
        }
    }

    /// REALM: dates that a `Date` holds exactly.
    private static func writeDates(_ arguments: [String]) throws {
        let realm = try open(arguments)
        try realm.write {
            for (id, time) in [Date(timeIntervalSince1970: -0.5), .distantPast, .distantFuture].enumerated() {
                realm.create(Note.self, value: ["id": id, "time": time] as [String: Any])
            }
        }
    }

    /// REALM: the order of all, those in the second before 1970, and after that an object that is read and written back.
    private static func findDates(_ arguments: [String]) throws {
        let realm = try open(arguments)
        let notes = realm.objects(Note.self)
        Scenario.say("order \(notes.sorted(by: \.time).map { "\($0.id)" }.joined(separator: ","))")
        let epoch = Date(timeIntervalSince1970: 0)
        let before = notes.where { $0.time.contains(epoch.addingTimeInterval(-1)..<epoch) }
        Scenario.say("before 1970 \(before.map { "\($0.id)" }.joined(separator: ","))")
        let exact = notes.filter {
            $0.id > 2 || [epoch.addingTimeInterval(-0.5), .distantPast, .distantFuture][$0.id] == $0.time
        }
        Scenario.say("exact \(exact.count)")
        try realm.write { for note in notes { note.text = "read at \(String(describing: note.time))" } }
    }
}
