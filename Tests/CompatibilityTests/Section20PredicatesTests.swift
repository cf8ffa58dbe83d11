import Foundation
import RealmSwift
import TestSupport
import Testing

/// Section 20: predicates as strings.
@Suite("Section 20: predicates")
struct Section20PredicatesTests {
    /// Holds the directory: its file vanishes with it.
    private let shelter = Shelter()

    @Test(
        "PR-01, PR-02, PR-07 to PR-17, PR-21: what a format finds",
        arguments: [
            // PR-01, PR-07
            ("name == 'Rex'", [0]), ("name = \"Rex\"", [0]), ("name != 'Rex'", [1, 2, 3, 4, 5]),
            ("name <> 'Rex'", [1, 2, 3, 4, 5]), ("weight == nil", [5]), ("weight != NULL", [0, 1, 2, 3, 4]),
            ("keeper == NIL", [4, 5]), ("keeper.city == 'Kyiv'", [0, 1, 2, 3]),
            // PR-08
            ("age < 4", [1, 4]), ("age <= 4", [1, 4, 5]), ("age =< 4", [1, 4, 5]), ("age > 5", [0, 3]),
            ("age >= 5", [0, 2, 3]), ("age => 5", [0, 2, 3]), ("name > 'Ivo'", [0, 5]), ("weight < 1.5", [0]),
            // PR-09, PR-10
            ("age BETWEEN {3, 5}", [1, 2, 5]), ("age IN {1, 9, 77}", [3, 4]), ("10 IN scores", [1]),
            ("'tag1' IN tags", [2, 5]), ("name IN {'Rex', 'Ada'}", [0, 1]),
            // PR-11
            ("name CONTAINS 'e'", [0, 2, 4]), ("name BEGINSWITH 'B'", [2, 4]), ("name BEGINSWITH[c] 'b'", [2, 4]),
            ("name ENDSWITH 'lo'", [2]), ("name CONTAINS[cd] 'É'", [0, 2, 4]), ("name LIKE 'R*'", [0, 5]),
            ("name LIKE[c] 'r?x'", [0]),
            // PR-12, PR-13
            ("age > 3 AND age < 6", [2, 5]), ("age > 3 && age < 6", [2, 5]), ("age < 2 OR age > 8", [3, 4]),
            ("age < 2 || age > 8", [3, 4]), ("NOT age > 3", [1, 4]), ("!(age > 3)", [1, 4]),
            ("age < 2 or age > 8 and name == 'x'", [4]), ("(age < 2 OR age > 8) AND name == 'Ivo'", [3]),
            ("TRUEPREDICATE", [0, 1, 2, 3, 4, 5]), ("FALSEPREDICATE", []),
            // PR-14, PR-15
            ("ANY scores > 25", [3, 4, 5]), ("SOME tags == 'tag0'", [1, 2, 4, 5]), ("NONE tags == 'tag0'", [0, 3]),
            ("ANY keepers.name == 'Ann'", [0, 1, 2, 3]),
            // PR-17
            ("tags.@count == 2", [2, 5]), ("scores.@max >= 40", [4, 5]), ("scores.@min == 2", [2]),
            ("scores.@sum == 33", [3]), ("scores.@avg > 16", [3, 4, 5]), ("keepers.@count == 0", [4, 5]),
            ("keepers.dogs.@count > 3", [0, 1, 2, 3])
        ])
    func finds(format: String, ids: [Int]) throws {
        let dogs = try shelter.filled().objects(ShelterDog.self)
        #expect(dogs.filter(format).map(\.id).sorted() == ids)
        #expect(dogs.filter(NSPredicate(format: format)).map(\.id).sorted() == ids)
    }

    @Test("PR-21: conditions on the same object of a collection") func subqueries() throws {
        let keepers = try shelter.filled().objects(ShelterKeeper.self)
        let both = keepers.filter("SUBQUERY(dogs, $dog, $dog.age > 4 AND $dog.breed == 'boxer').@count == 2")
        #expect(both.map(\.name) == ["Ann"])
        #expect(keepers.filter("SUBQUERY(dogs, $d, $d.age > 7 AND $d.breed == 'boxer').@count > 0").isEmpty)
        #expect(keepers.filter("ANY dogs.age > 7 AND ANY dogs.breed == 'boxer'").count == 1)
    }

    @Test("PR-03, PR-04, PR-05, PR-09, PR-10: arguments") func arguments() throws {
        let realm = try shelter.filled()
        let dogs = realm.objects(ShelterDog.self)
        func ids(_ found: Results<ShelterDog>) -> [Int] { found.map(\.id).sorted() }
        #expect(ids(dogs.filter("%K == %@", "name", "Rex")) == [0])
        #expect(ids(dogs.filter("%K.%K == %@", "keeper", "city", "Kyiv")) == [0, 1, 2, 3])
        #expect(ids(dogs.filter("age > %d AND weight < %f", 3, 3.0)) == [0, 2])
        #expect(ids(dogs.filter("age BETWEEN %@", [3, 5])) == [1, 2, 5])
        #expect(ids(dogs.filter("age IN %@", [1, 9])) == [3, 4])
        #expect(ids(dogs.filter("name IN %@", Set(["Ivo"]))) == [3])
        #expect(
            ids(dogs.filter("keeper == %@", realm.objects(ShelterKeeper.self).where { $0.name == "Ann" }[0])).count == 4
        )
        #expect(ids(dogs.filter("weight == %@", NSNull())) == [5])
        let nothing: Double? = nil
        #expect(ids(dogs.filter("weight == %@", nothing as Any)) == [5])
        #expect(ids(dogs.filter("%K == %@", "size", ShelterSize.large.rawValue)) == [3])
        #expect(ids(dogs.filter(NSPredicate(format: "age == %@", argumentArray: [7]))) == [0])
    }

    @Test(
        "PR-16, PR-26: what can't be, each named",
        arguments: [
            ("PR-16", "ALL is not supported"), ("MK-41 unknown property", "bark"),
            ("MK-41 type", "a string is no value of a property of type 'int'"),
            ("MK-41 arguments", "%@")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
