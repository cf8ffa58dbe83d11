import Foundation
import Model
import Query
import RealmSwift
import Testing

@testable import ClientKit

/// Closures of `where`, as the query language that they stand for (api.md section 19).
struct QueryDSLTests {
    private typealias HoundQuery = ClientKit.Query<Hound>

    private func text(_ build: (ClientKit.Query<Hound>) -> ClientKit.Query<Bool>) throws -> String {
        try written(build(ClientKit.Query<Hound>()))
    }

    private func written(_ query: ClientKit.Query<Bool>) throws -> String {
        try RQL.print(query.condition, [], standalone: true).text
    }

    @Test func comparesWithConstants() throws {
        #expect(try text { $0.age == 3 } == #"age == 3"#)
        #expect(try text { $0.name != "Rex" } == #"name != "Rex""#)
        #expect(try text { $0.age > 3 } == "age > 3")
        #expect(try text { $0.age <= 3 } == "age <= 3")
        #expect(try text { $0.weight == nil } == "weight == NULL")
        #expect(try text { $0.weight > 2.5 } == "weight > 2.5")
        #expect(try text { $0.temper == .wild } == #"temper == "wild""#)
        #expect(try text { $0.temper.rawValue == "wild" } == #"temper == "wild""#)
    }

    @Test func comparesProperties() throws {
        #expect(try text { $0.age > $0.id } == "age > id")
        #expect(try text { $0.name == $0.owner.name } == "name == owner.name")
    }

    @Test func combines() throws {
        #expect(try text { $0.age > 3 && $0.isGood } == "age > 3 and isGood == true")
        #expect(try text { !($0.age > 3) || $0.id == 1 } == "(!(age > 3) or id == 1)")
    }

    @Test func followsLinks() throws {
        #expect(try text { $0.owner.city == "Kyiv" } == #"owner.city == "Kyiv""#)
        #expect(try text { $0.owner == nil } == "owner == NULL")
    }

    @Test func ranges() throws {
        #expect(try text { $0.age.contains(1..<5) } == "age >= 1 and age < 5")
        #expect(try text { $0.age.contains(1...5) } == "age >= 1 and age <= 5")
        #expect(try text { $0.weight.contains(1.5...2.5) } == "weight >= 1.5 and weight <= 2.5")
        #expect(try text { $0.age.in([1, 2]) } == "age IN {1, 2}")
    }

    @Test func strings() throws {
        #expect(try text { $0.name.starts(with: "R") } == #"name BEGINSWITH "R""#)
        #expect(try text { $0.name.ends(with: "x", options: .caseInsensitive) } == #"name ENDSWITH[c] "x""#)
        #expect(try text { $0.name.contains("e") } == #"name CONTAINS "e""#)
        #expect(try text { $0.name.like("R?x*") } == #"name LIKE "R?x*""#)
        #expect(try text { $0.name.equals("rex", options: .caseInsensitive) } == #"name ==[c] "rex""#)
        #expect(try text { $0.owner.name.starts(with: "A") } == #"owner.name BEGINSWITH "A""#)
    }

    @Test func collections() throws {
        #expect(try text { $0.tricks.contains("sit") } == #"ANY tricks == "sit""#)
        #expect(try text { $0.tricks.count > 2 } == "tricks.@count > 2")
        #expect(try text { $0.scores > 3 } == "ANY scores > 3")
        #expect(try text { $0.scores.containsAny(in: [1, 2]) } == "ANY scores IN {1, 2}")
        #expect(try text { $0.scores.sum > 3 } == "scores.@sum > 3")
        let pack = ClientKit.Query<Pack>()
        #expect(try written(pack.hounds.age > 3) == "ANY hounds.age > 3")
        #expect(try written(!(pack.hounds.age > 3)) == "!(ANY hounds.age > 3)")
        #expect(try written(pack.hounds.age.max > 3) == "hounds.@max.age > 3")
        #expect(try written(pack.leader.name == "Rex") == #"leader.name == "Rex""#)
    }

    @Test func subqueriesCountOneElementsConditions() {
        let pack = ClientKit.Query<Pack>()
        let query = (pack.hounds.age > 3 && pack.hounds.name == "x").count > 1
        let inner = Condition.and([
            .comparison(
                Comparison(.path(PropertyPath(names: ["age"]), quantifier: nil), .greater, .constant(.int(3)))),
            .comparison(
                Comparison(.path(PropertyPath(names: ["name"]), quantifier: nil), .equal, .constant(.string("x"))))
        ])
        #expect(
            query.condition
                == .comparison(
                    Comparison(
                        .subqueryCount(PropertyPath(names: ["hounds"]), variable: "$obj", inner), .greater,
                        .constant(.int(1)))))
    }

    /// XR-12
    @Test func predicatesOfFormatsCarryTheirCondition() {
        let predicate = NSPredicate(format: "age > %@ AND name == %@", 3, "Rex")
        let expected = PredicateText("age > 3 AND name == 'Rex'", []).condition
        #expect(PredicateText.condition(of: predicate) == expected)
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        #expect(PredicateText.condition(of: not) == .not(expected))
    }
}
