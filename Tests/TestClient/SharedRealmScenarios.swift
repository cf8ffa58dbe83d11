import Foundation
import RealmSwift

final class SharedCounter: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var value: Int
}

final class SharedEntry: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var writer: String
    @Persisted var number: Int
    @Persisted var text: String
}

/// Several processes on one realm.
enum SharedRealmScenarios {
    static var all: [String: Scenario.Body] {
        [
            "increment": increment, "insert-one": insertOne, "write-numbered": writeNumbered, "observe": observe,
            "hold-snapshot": holdSnapshot, "update-repeatedly": updateRepeatedly, "fill-and-empty": fillAndEmpty,
            "stall": stall, "count": count, "add-key": addKey, "add-numbered": addNumbered,
            "empty-repeatedly": emptyRepeatedly
        ]
    }

    private static func open(_ path: String) throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: path), encryptionKey: Scenario.encryptionKey,
                objectTypes: [SharedCounter.self, SharedEntry.self]))
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw CocoaError(.formatting) }
        return number
    }

    /// REALM COUNT: reads, adds one, writes.
    private static func increment(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        for _ in 0..<(try number(arguments[1])) {
            try realm.write {
                let counter =
                    realm.object(ofType: SharedCounter.self, forPrimaryKey: "shared")
                    ?? realm.create(SharedCounter.self, value: ["name": "shared"])
                counter.value += 1
            }
        }
    }

    /// REALM: opens, adds one object, ends.
    private static func insertOne(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        try realm.write { realm.add(SharedEntry(value: ["writer": "one", "number": 1])) }
    }

    /// REALM NAME COUNT MILLISECONDS: numbered entries, `acknowledged N` after each commit, a pause between them.
    private static func writeNumbered(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        let writer = arguments[1]
        let pause = UInt32(try number(arguments[3]) * 1000)
        let total = try number(arguments[2])
        var next = 1
        while next <= total {
            do {
                try realm.write { realm.add(SharedEntry(value: ["writer": writer, "number": next])) }
                Scenario.say("acknowledged \(next)")
                next += 1
            } catch {
                Scenario.say("refused \(next): \(error.localizedDescription)")
            }
            if pause > 0 { usleep(pause) }
        }
    }

    /// REALM TOTAL: prints `ready`, then `insertions N count M` for each change set until TOTAL insertions were seen.
    private static func observe(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        let total = try number(arguments[1])
        var seen = 0
        let token = realm.objects(SharedEntry.self).observe { change in
            switch change {
            case .initial(let entries): Scenario.say("ready \(entries.count)")
            case .update(let entries, let deletions, let insertions, let modifications):
                seen += insertions.count
                Scenario.say(
                    "insertions \(insertions.count) deletions \(deletions.count) modifications \(modifications.count) "
                        + "count \(entries.count)")
            case .error(let error): Scenario.say("error \(error)")
            }
        }
        let deadline = Date(timeIntervalSinceNow: 60)
        while seen < total, Date() < deadline {
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.2))
        }
        token.invalidate()
        Scenario.say("seen \(seen)")
    }

    /// REALM: takes a snapshot and prints `ready SUM`; for each line of input prints the sum of the same snapshot, and at
    /// the end the sum after a refresh.
    private static func holdSnapshot(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        realm.autorefresh = false
        func sum() -> Int { realm.objects(SharedCounter.self).sum(of: \.value) }
        Scenario.say("ready \(sum())")
        while readLine() != nil { Scenario.say("held \(sum())") }
        realm.refresh()
        Scenario.say("fresh \(sum())")
    }

    /// REALM OBJECTS TRANSACTIONS: each transaction adds one to ten of the counters.
    private static func updateRepeatedly(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        let objects = try number(arguments[1])
        let missing = objects - realm.objects(SharedCounter.self).count
        if missing > 0 {
            try realm.write {
                for index in 0..<objects { realm.add(SharedCounter(value: ["name": "c\(index)"]), update: .modified) }
            }
        }
        let counters = Array(realm.objects(SharedCounter.self))
        for transaction in 0..<(try number(arguments[2])) {
            try realm.write {
                for offset in 0..<10 { counters[(transaction * 10 + offset) % counters.count].value += 1 }
            }
        }
    }

    /// REALM CYCLES OBJECTS: inserts, deletes all, and prints the file's size after each cycle.
    private static func fillAndEmpty(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        for _ in 0..<(try number(arguments[1])) {
            try realm.write {
                for index in 0..<(try number(arguments[2])) {
                    realm.add(
                        SharedEntry(value: ["writer": "w", "number": index, "text": "some text of entry \(index)"]))
                }
            }
            try realm.write { realm.deleteAll() }
            let size = try FileManager.default.attributesOfItem(atPath: arguments[0])[.size] as? Int ?? 0
            Scenario.say("size \(size)")
        }
        Scenario.say("count \(realm.objects(SharedEntry.self).count)")
    }

    /// REALM KEY: adds an object with the key, says `added`, waits for a line, commits, says `committed`.
    private static func addKey(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        try realm.write {
            realm.add(SharedCounter(value: ["name": arguments[1], "value": 1]))
            Scenario.say("added")
            _ = readLine()
        }
        Scenario.say("committed")
    }

    /// REALM NAME COUNT: adds that many entries, one a transaction, and looks at each again after its commit.
    private static func addNumbered(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        for number in 1...(try number(arguments[2])) {
            let entry = SharedEntry(value: ["writer": arguments[1], "number": number])
            try realm.write { realm.add(entry) }
            // Another process may have deleted it by now; it is never another object.
            if !entry.isInvalidated, entry.writer != arguments[1] || entry.number != number {
                Scenario.say("wrong \(entry.writer) \(entry.number) for \(number)")
            }
        }
    }

    /// REALM TOTAL: deletes all entries again and again until it has deleted TOTAL.
    private static func emptyRepeatedly(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        let total = try number(arguments[1])
        var deleted = 0
        let deadline = Date(timeIntervalSinceNow: 60)
        while deleted < total, Date() < deadline {
            try realm.write {
                let entries = realm.objects(SharedEntry.self)
                deleted += entries.count
                realm.delete(entries)
            }
        }
        Scenario.say("deleted \(deleted)")
    }

    /// REALM: half a transaction, `half-way`, and no end.
    private static func stall(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        realm.beginWrite()
        realm.add(SharedEntry(value: ["writer": "stalled", "number": 1]))
        Scenario.say("half-way \(realm.objects(SharedEntry.self).count)")
        while true { sleep(60) }
    }

    /// REALM [WRITER]: numbers of the entries in order.
    private static func count(_ arguments: [String]) throws {
        let realm = try open(arguments[0])
        var entries = realm.objects(SharedEntry.self).sorted(byKeyPath: "number")
        if arguments.count > 1 {
            let writer = arguments[1]
            entries = entries.where { $0.writer == writer }
        }
        Scenario.say("count \(entries.count)")
        Scenario.say("numbers \(entries.map { "\($0.number)" }.joined(separator: " "))")
    }
}
