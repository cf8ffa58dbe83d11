import RealmSwift
import TestSupport

/// Random transactions on a yard.
struct YardWriter {
    private struct Abandoned: Error {}

    private static let mostWagons = 30
    private static let longestList = 12
    /// Room for the identifiers of one process.
    private static let identifiers = 1_000_000

    let realm: Realm
    let yard: Yard
    var random: SeededGenerator
    private var lastIdentifier: Int

    /// `number` tells the process from the others.
    init(_ realm: Realm, _ yard: Yard, number: Int, seed: UInt64) {
        self.realm = realm
        self.yard = yard
        random = SeededGenerator(seed: seed &+ UInt64(number))
        lastIdentifier = number * Self.identifiers
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func identifier() -> Int {
        lastIdentifier += 1
        return lastIdentifier
    }

    /// One transaction; some are abandoned. `isSilent`: those tokens aren't told of it.
    mutating func transact(withoutNotifying tokens: [NotificationToken] = []) throws {
        let changes = Int.random(in: 1...4, using: &random)
        let isAbandoned = chance(12)
        do {
            try realm.write(withoutNotifying: tokens) {
                yard.clock += 1
                for _ in 0..<changes { change() }
                if isAbandoned { throw Abandoned() }
            }
        } catch is Abandoned {}
    }

    private mutating func change() {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: addWagon()
        case 2: removeSomething()
        case 3...6: changeWagon()
        case 7, 8: changeLoad()
        case 9, 10: changeWagons()
        case 11: changeNumbers()
        case 12: changeSets()
        default: changeMaps()
        }
    }

    private mutating func anyWagon() -> Wagon? { realm.objects(Wagon.self).randomElement(using: &random) }
    private mutating func anyLoad() -> Load? { realm.objects(Load.self).randomElement(using: &random) }
    private mutating func anyRank() -> Int { Int.random(in: 0..<10, using: &random) }
    private mutating func anyTrack() -> String { ["a", "b", "c", "d"].randomElement(using: &random) ?? "a" }

    private mutating func addWagon() {
        guard realm.objects(Wagon.self).count < Self.mostWagons else { return removeSomething() }
        let next = chance(2) ? anyWagon() : nil
        let load = chance(2) ? anyLoad() : nil
        let wagon = realm.create(
            Wagon.self, value: ["id": identifier(), "track": anyTrack(), "rank": anyRank()] as [String: Any])
        wagon.next = next
        wagon.load = load
        if chance(2) { yard.wagons.append(wagon) }
    }

    private mutating func removeSomething() {
        if chance(3), let load = anyLoad() { return realm.delete(load) }
        if let wagon = anyWagon(), wagon.id != Yard.locomotive { realm.delete(wagon) }
    }

    private mutating func changeWagon() {
        guard let wagon = anyWagon() else { return }
        wagon.stamp += 1
        switch Int.random(in: 0..<5, using: &random) {
        case 0: wagon.track = anyTrack()
        case 1: wagon.next = chance(4) ? nil : anyWagon()
        case 2: wagon.load = chance(4) ? nil : anyLoad()
        default: wagon.rank = anyRank()
        }
    }

    private mutating func changeLoad() {
        if chance(3), realm.objects(Load.self).count < Self.mostWagons {
            realm.create(Load.self, value: ["id": identifier(), "weight": anyRank()])
        } else if let load = anyLoad() {
            load.stamp += 1
            load.weight = anyRank()
        }
    }

    private mutating func changeWagons() {
        guard let wagon = anyWagon() else { return }
        change(yard.wagons, by: wagon)
    }

    private mutating func changeNumbers() {
        change(yard.numbers, by: anyRank())
    }

    private mutating func change<Element: RealmCollectionValue>(_ list: List<Element>, by element: Element) {
        let count = list.count
        guard count > 0 else { return list.append(element) }
        let place = Int.random(in: 0..<count, using: &random)
        let other = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: list.remove(at: place)
        case 2: list.move(from: place, to: other)
        case 3: list.swapAt(place, other)
        // What a list holds doesn't show that the same was assigned again.
        case 4 where list[place] != element: list[place] = element
        case 5 where chance(8): list.removeAll()
        case _ where count < Self.longestList: list.insert(element, at: place)
        default: list.removeLast()
        }
    }

    private mutating func changeSets() {
        if let wagon = anyWagon() {
            if yard.members.contains(wagon) { yard.members.remove(wagon) } else { yard.members.insert(wagon) }
        }
        let tag = "tag \(anyRank())"
        if yard.tags.contains(tag) { yard.tags.remove(tag) } else { yard.tags.insert(tag) }
    }

    private mutating func changeMaps() {
        let key = "key \(anyRank())"
        switch Int.random(in: 0..<3, using: &random) {
        case 0: yard.named.removeObject(for: key)
        case 1 where chance(4): yard.named[key] = .some(nil)
        default: yard.named[key] = anyWagon()
        }
        yard.counts[key] = chance(3) ? nil : anyRank()
    }
}
