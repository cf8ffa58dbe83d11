import Foundation
import RealmSwift

/// Makes visits, each in a transaction of its own together with the tally.
struct Writer {
    let name: String
    let configuration: Realm.Configuration

    func run(count: Int) throws {
        let realm = try Realm(configuration: configuration)
        let places = realm.objects(Subdivision.self)
        var made = realm.object(ofType: Tally.self, forPrimaryKey: name)?.visits ?? 0
        while made < count {
            do {
                try realm.write { made = visit(places, in: realm) }
                say("acknowledged \(made)")
            } catch {
                // Not written: the agent was killed at that moment, and another writer came first after its restart.
                say("refused: \(error.localizedDescription)")
            }
        }
    }

    /// Holds a transaction half-done until somebody kills the process.
    func stall() throws {
        let realm = try Realm(configuration: configuration)
        realm.beginWrite()
        realm.add(Visit(value: ["writer": name, "number": 1]))
        say("half-way")
        while true { sleep(60) }
    }

    private func visit(_ places: Results<Subdivision>, in realm: Realm) -> Int {
        let tally =
            realm.object(ofType: Tally.self, forPrimaryKey: name)
            ?? realm.create(Tally.self, value: ["writer": name, "visits": 0])
        tally.visits += 1
        let visit = Visit()
        visit.writer = name
        visit.number = tally.visits
        if !places.isEmpty {
            visit.place = places[tally.visits * 7919 % places.count]
        }
        realm.add(visit)
        return tally.visits
    }
}
