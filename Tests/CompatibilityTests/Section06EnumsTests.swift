import Foundation
import RealmSwift
import TestSupport
import Testing

private enum Grade: Int, PersistableEnum {
    case low = -1
    case middle = 0
    case high = 7
}

private enum Tempo: Double, PersistableEnum {
    case slow = 0.5
    case fast = 2
}

private enum Tiny: Int8, PersistableEnum {
    case one = 1
    case two = 2
}

private enum Flavour: String, PersistableEnum {
    case sweet, sour, salty
}

/// The old protocol.
private enum OldStyle: Int, RealmEnum {
    case a, b
}

/// One class, as an older program stored it and as this one declares it.
private enum Older {
    final class Snack: Object {
        @Persisted var flavour: String
        @Persisted var second: String?
        @Persisted var all: List<String?>
        @Persisted var grade: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum Newer {
    final class Snack: Object {
        @Persisted var flavour: Flavour
        @Persisted var second: Flavour?
        @Persisted var all: List<Flavour?>
        @Persisted var grade: Grade
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private final class EnumHolder: Object {
    @Persisted(primaryKey: true) var key: Grade
    @Persisted(indexed: true) var flavour: Flavour
    @Persisted var tempo: Tempo
    @Persisted var tiny = Tiny.two
    @Persisted var optional: Flavour?
    @Persisted var flavours: List<Flavour>
    @Persisted var grades: List<Grade?>
}

/// Section 6: enumerations.
struct Section06EnumsTests {
    private let directory = TemporaryDirectory()

    private func realm(_ types: [ObjectBase.Type]) throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("enums.realm")), objectTypes: types))
    }

    @Test("EN-01 the default is the first case, and cases compare by raw value")
    func defaults() {
        let holder = EnumHolder()
        #expect(holder.key == .low && holder.flavour == .sweet && holder.tempo == .slow && holder.tiny == .two)
        #expect(holder.optional == nil)
        #expect(Grade.low < .high && Flavour.salty < .sour && Tempo.slow < .fast)
    }

    @Test("EN-01 raw values of all kinds are stored and read")
    func roundTrip() throws {
        let realm = try realm([EnumHolder.self])
        try realm.write {
            let holder = EnumHolder()
            holder.key = .high
            holder.flavour = .salty
            holder.tempo = .fast
            holder.optional = .sour
            holder.flavours.append(objectsIn: [.sour, .sweet])
            holder.grades.append(objectsIn: [.high, nil, .low])
            realm.add(holder)
        }
        let holder = try #require(realm.objects(EnumHolder.self).first)
        #expect(holder.key == .high && holder.flavour == .salty && holder.tempo == .fast && holder.tiny == .two)
        #expect(holder.optional == .sour)
        #expect(Array(holder.flavours) == [.sour, .sweet])
        #expect(Array(holder.grades) == [.high, nil, .low])
        #expect(Array(holder.flavours.sorted()) == [.sour, .sweet])
        #expect(Array(holder.grades.sorted(ascending: false)) == [.high, .low, nil])
        #expect(holder.grades.max() == .some(.high))
        #expect(realm.object(ofType: EnumHolder.self, forPrimaryKey: Grade.high) == holder)
        #expect(realm.object(ofType: EnumHolder.self, forPrimaryKey: 7) == holder)
        #expect(realm.objects(EnumHolder.self).max(of: \.tempo) == .fast)
    }

    @Test("EN-02 raw values without a case read nil where nil may be")
    func unknownCases() throws {
        try autoreleasepool {
            let realm = try realm([Older.Snack.self])
            try realm.write {
                _ = realm.create(
                    Older.Snack.self,
                    value: ["flavour": "sour", "second": "bitter", "all": ["salty", "umami", nil, "sweet"]])
            }
        }
        let snack = try #require(try realm([Newer.Snack.self]).objects(Newer.Snack.self).first)
        #expect(snack.flavour == .sour)
        #expect(snack.second == nil)
        #expect(Array(snack.all) == [.salty, nil, nil, .sweet])
    }

    @Test("EN-03 queries compare with cases or with raw values")
    func queries() throws {
        let realm = try realm([EnumHolder.self])
        try realm.write {
            for (grade, flavour) in [(Grade.low, Flavour.sweet), (.middle, .sour), (.high, .salty)] {
                let holder = EnumHolder()
                holder.key = grade
                holder.flavour = flavour
                holder.optional = grade == .high ? nil : flavour
                holder.flavours.append(objectsIn: [flavour, .sweet])
                if grade == .low { holder.grades.append(nil) }
                realm.add(holder)
            }
        }
        let all = realm.objects(EnumHolder.self)
        func keys(_ results: Results<EnumHolder>) -> [Grade] { results.sorted(by: \.key).map(\.key) }
        #expect(keys(all.where { $0.flavour == .sour }) == [.middle])
        #expect(keys(all.where { $0.key > .low }) == [.middle, .high])
        #expect(keys(all.where { $0.flavour.in([.sweet, .salty]) }) == [.low, .high])
        #expect(keys(all.where { $0.flavour.rawValue.starts(with: "s") }) == [.low, .middle, .high])
        #expect(keys(all.where { $0.key.rawValue > 3 }) == [.high])
        #expect(keys(all.where { $0.optional.rawValue == "sweet" }) == [.low])
        #expect(keys(all.where { $0.optional == nil }) == [.high])
        #expect(keys(all.where { $0.flavours.contains(.salty) }) == [.high])
        #expect(keys(all.where { $0.flavours.rawValue.contains("sour") }) == [.middle])
        #expect(keys(all.where { $0.grades.rawValue.contains(nil) }) == [.low])
        #expect(keys(all.filter("flavour == 'sour' OR key == %@", Grade.high.rawValue)) == [.middle, .high])
        #expect(keys(all.filter("flavour == %@", Flavour.sweet)) == [.low])
    }

    @Test("EN-02, MK-88 a raw value without a case traps where nil can't be")
    func trap() throws {
        try expectTrap("enum-unknown-case", "'Numbered.text'")
    }

    @Test("EN-04 the old protocol compiles")
    func oldProtocol() {
        func raw<E: RealmEnum>(_ value: E) -> E.RawValue { value.rawValue }
        #expect(raw(OldStyle.b) == 1)
    }
}
