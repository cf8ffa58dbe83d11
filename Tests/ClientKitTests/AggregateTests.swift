import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import ClientKit

/// Numbers on which a detour over `Double`, or over NaN, shows.
class Ledger: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var amount: RealmSwift.Decimal128
    @Persisted var ratio: Double?
    @Persisted var amounts: List<RealmSwift.Decimal128>
    @Persisted var ratios: List<Double>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    static let amounts: [RealmSwift.Decimal128] = ["0.1", "0.2", "12345678901234567890.1", "12345678901234567890.2"]
    static let ratios = [2.5, .nan, 0.5]
}

@Suite("CO-25 to CO-31: aggregates are the same wherever the values are")
struct AggregateTests {
    private let realm: Realm
    private let directory = TemporaryDirectory()

    init() throws {
        SharedAgent.ensure()
        realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("ledger.realm")), objectTypes: [Ledger.self]))
    }

    private func fill() {
        for (id, amount) in Ledger.amounts.enumerated() {
            let ledger = realm.create(Ledger.self, value: ["id": id])
            ledger.amount = amount
            ledger.ratio = id < 3 ? Ledger.ratios[id] : nil
            ledger.amounts.append(objectsIn: Ledger.amounts)
            ledger.ratios.append(objectsIn: Ledger.ratios)
        }
    }

    private func check<Ledgers: RealmCollection>(_ ledgers: Ledgers, _ place: SourceLocation = #_sourceLocation)
    where Ledgers.Element == Ledger {
        #expect(ledgers.sum(of: \.amount) == "24691357802469135780.6", sourceLocation: place)
        #expect(ledgers.min(of: \.amount) == "0.1", sourceLocation: place)
        #expect(ledgers.max(of: \.amount) == "12345678901234567890.2", sourceLocation: place)
        #expect(ledgers.average(of: \.amount) == "6172839450617283945.15", sourceLocation: place)
        #expect(ledgers.min(of: \.ratio) == 0.5, "NaN is passed over", sourceLocation: place)
        #expect(ledgers.max(of: \.ratio) == 2.5, sourceLocation: place)
    }

    private func check(_ amounts: List<RealmSwift.Decimal128>, _ place: SourceLocation = #_sourceLocation) {
        #expect(amounts.sum() == "24691357802469135780.6", sourceLocation: place)
        #expect(amounts.min() == "0.1", sourceLocation: place)
        #expect(amounts.max() == "12345678901234567890.2", sourceLocation: place)
        #expect(amounts.average() == ("6172839450617283945.15" as RealmSwift.Decimal128), sourceLocation: place)
    }

    private func check(_ ratios: List<Double>, _ place: SourceLocation = #_sourceLocation) {
        #expect(ratios.min() == 0.5, sourceLocation: place)
        #expect(ratios.max() == 2.5, sourceLocation: place)
        #expect(ratios.sum().isNaN, sourceLocation: place)
    }

    @Test("in the file")
    func stored() throws {
        try realm.write { fill() }
        let ledgers = realm.objects(Ledger.self)
        check(ledgers)
        check(ledgers[0].amounts)
        check(ledgers[0].ratios)
    }

    @Test("in a transaction that has made them")
    func pending() throws {
        try realm.write {
            fill()
            let ledgers = realm.objects(Ledger.self)
            check(ledgers)
            check(ledgers.where { $0.id >= 0 })
            check(ledgers[0].amounts)
            check(ledgers[0].ratios)
        }
    }

    @Test("in no realm")
    func unmanaged() {
        let amounts = List<RealmSwift.Decimal128>()
        amounts.append(objectsIn: Ledger.amounts)
        check(amounts)
        let ratios = List<Double>()
        ratios.append(objectsIn: Ledger.ratios)
        check(ratios)
        let ledgers = List<Ledger>()
        for (id, amount) in Ledger.amounts.enumerated() {
            let ledger = Ledger()
            ledger.amount = amount
            ledger.ratio = id < 3 ? Ledger.ratios[id] : nil
            ledgers.append(ledger)
        }
        check(ledgers)
    }

    @Test("of nothing: sums are 0, the others nil")
    func nothing() throws {
        let ledgers = realm.objects(Ledger.self)
        #expect(ledgers.sum(of: \.amount) == 0 && ledgers.min(of: \.amount) == nil)
        #expect(ledgers.average(of: \.ratio) == nil)
        #expect(List<RealmSwift.Decimal128>().sum() == 0)
        #expect(List<Ledger>().sum(of: \.amount) == 0)
        #expect(List<Ledger>().max(of: \.ratio) == nil)
    }
}
