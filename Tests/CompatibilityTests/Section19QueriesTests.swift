import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 19: conditions as closures.
@Suite("Section 19: where")
struct Section19QueriesTests {
    /// Holds the directory: its file vanishes with it.
    private let shelter = Shelter()

    private func expect(
        _ dogs: Results<ShelterDog>, _ ids: [Int], _ place: SourceLocation = #_sourceLocation,
        _ condition: (Query<ShelterDog>) -> Query<Bool>
    ) {
        #expect(dogs.where(condition).map(\.id).sorted() == ids, sourceLocation: place)
    }

    @Test("QU-01 to QU-07: properties, comparisons, sequences, ranges") func values() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        let ann = try #require(realm.object(ofType: ShelterKeeper.self, forPrimaryKey: "Ann"))
        expect(dogs, [0]) { $0.name == "Rex" }
        expect(dogs, [4, 5]) { $0.keeper == nil }
        expect(dogs, [0, 1, 2, 3]) { $0.keeper == ann && $0.keeper.city == "Kyiv" }
        expect(dogs, [0, 3]) { $0.age > 5 }
        expect(dogs, [1, 4, 5]) { $0.age <= 4 }
        expect(dogs, [3]) { $0.age == 9 && !($0.name == "Rex") || $0.age > 100 }
        expect(dogs, [0, 1]) { $0.name.in(["Rex", "Ada"]) }
        expect(dogs, [0, 5]) { $0.weight.in([0.5, nil]) }
        expect(dogs, []) { $0.age.in([]) }
        expect(dogs, [1, 5]) { $0.age.contains(3..<5) }
        expect(dogs, [1, 2, 5]) { $0.age.contains(3...5) }
        expect(dogs, [1, 2]) { $0.weight.contains(1.5...2.5) }
    }

    @Test("QU-08 to QU-14: collections") func collections() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        let rex = try #require(realm.object(ofType: ShelterDog.self, forPrimaryKey: 0))
        expect(dogs, [1, 2, 3]) { $0.scores.contains(1...30) }
        expect(dogs, [1, 2]) { $0.scores.contains(1..<30) }
        expect(dogs, [3]) { $0.scores.contains(30) }
        expect(dogs, [2, 3]) { $0.scores.containsAny(in: [20, 30, 99]) }
        expect(dogs, [3, 4, 5]) { $0.scores > 25 }
        expect(dogs, [0, 1, 2]) { !($0.scores > 25) }
        expect(dogs, [2, 5]) { $0.tags.count == 2 }
        expect(dogs, [4, 5]) { $0.scores.max >= 40 }
        expect(dogs, [0, 1]) { $0.scores.min < 2 }
        expect(dogs, [3]) { $0.scores.sum == 33 }
        expect(dogs, [5]) { $0.scores.avg > 25 }
        let keepers = realm.objects(ShelterKeeper.self)
        #expect(keepers.where { $0.dogs.contains(rex) }.map(\.name) == ["Ann"])
        #expect(keepers.where { $0.dogs.age > 8 }.map(\.name) == ["Ann"])
        #expect(keepers.where { $0.dogs.age.sum > 20 }.map(\.name) == ["Ann"])
        expect(dogs, [0, 1, 2, 3]) { $0.keepers.name == "Ann" }
    }

    @Test("QU-15 to QU-20: strings") func strings() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        expect(dogs, [0, 2, 4]) { $0.name.contains("e") }
        expect(dogs, [0, 2, 4]) { $0.name.contains("É", options: [.caseInsensitive, .diacriticInsensitive]) }
        expect(dogs, [2, 4]) { $0.name.starts(with: "b", options: .caseInsensitive) }
        expect(dogs, [2]) { $0.name.ends(with: "lo") }
        expect(dogs, [0]) { $0.name.equals("REX", options: .caseInsensitive) }
        expect(dogs, [1, 2, 3, 4, 5]) { $0.name.notEquals("REX", options: .caseInsensitive) }
        expect(dogs, []) { $0.name.equals("REX") }
        expect(dogs, [0, 5]) { $0.name.like("R*") }
        expect(dogs, [0]) { $0.name.like("r?x", caseInsensitive: true) }
        expect(dogs, [0, 1, 2, 3]) { $0.keeper.city.starts(with: "K") }
        #expect(StringOptions.caseInsensitive.rawValue == 1 && StringOptions.diacriticInsensitive.rawValue == 2)
    }

    @Test("QU-27: how many objects of a collection fulfil all conditions") func subqueries() throws {
        let keepers = try shelter.filled().objects(ShelterKeeper.self)
        #expect(keepers.where { ($0.dogs.age > 4 && $0.dogs.breed == "boxer").count == 2 }.count == 1)
        #expect(keepers.where { ($0.dogs.age > 7 && $0.dogs.breed == "boxer").count > 0 }.isEmpty)
        let two = keepers.where { ($0.dogs.age > 8).count == 1 && ($0.dogs.breed == "boxer").count == 2 }
        #expect(two.map(\.name) == ["Ann"])
    }

    @Test("QU-28, EN-03: raw values of enumerations") func rawValues() throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        expect(dogs, [3]) { $0.size == .large }
        expect(dogs, [3]) { $0.size.rawValue == "large" }
        expect(dogs, [3]) { $0.size.rawValue.starts(with: "l") }
    }
}
