import Foundation
import RealmSwift
import TestSupport
import Testing

/// In meters.
private struct Distance: CustomPersistable, Comparable {
    let meters: Double

    init(_ meters: Double) { self.meters = meters }

    init(persistedValue: Double) { meters = persistedValue }
    var persistableValue: Double { meters }

    static func < (a: Distance, b: Distance) -> Bool { a.meters < b.meters }
}

private struct UserName: CustomPersistable {
    typealias PersistedType = String
    let text: String

    init(_ text: String) { self.text = text }

    init(persistedValue: String) { text = persistedValue }
    var persistableValue: String { text }
}

// As the documentation's samples do it.
extension URL: FailableCustomPersistable {
    public typealias PersistedType = String

    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: PersistedType { absoluteString }
}

/// Only what is even has a value.
private struct Even: FailableCustomPersistable {
    let half: Int

    init(_ half: Int) { self.half = half }

    init?(persistedValue: Int) {
        guard persistedValue.isMultiple(of: 2) else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

private enum Before {
    final class Measure: Object {
        @Persisted var even: Int
        @Persisted var optional: Int?
        @Persisted var all: List<Int?>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private enum After {
    final class Measure: Object {
        @Persisted var even: Even
        @Persisted var optional: Even?
        @Persisted var all: List<Even?>
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

private final class Traveller: Object {
    @Persisted(primaryKey: true) var name: UserName
    @Persisted var walked: Distance
    @Persisted var planned: Distance?
    @Persisted var page: URL?
    @Persisted(indexed: true) var nick: UserName
    @Persisted var stages: List<Distance>
    @Persisted var goals: List<Distance?>
    @Persisted var limit = Distance(12)

    convenience init(_ name: String, _ walked: Double) {
        self.init()
        self.name = UserName(name)
        self.walked = Distance(walked)
    }
}

private final class PointParts: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
    @Persisted var label: String?
}

/// Stored as an embedded object.
private struct Point: CustomPersistable, Equatable {
    typealias PersistedType = PointParts
    var x: Double
    var y: Double
    var label: String?

    init(_ x: Double, _ y: Double, _ label: String? = nil) {
        self.x = x
        self.y = y
        self.label = label
    }

    init(persistedValue: PointParts) { self.init(persistedValue.x, persistedValue.y, persistedValue.label) }

    var persistableValue: PointParts { PointParts(value: ["x": x, "y": y, "label": label as Any]) }
}

private final class Track: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var start: Point
    @Persisted var end: Point?
    @Persisted var way: List<Point>
    @Persisted var named: Map<String, Point>
}

/// Section 7: types of an app that are stored as others.
struct Section07CustomTypesTests {
    private let directory = TemporaryDirectory()

    private func realm(_ types: [ObjectBase.Type]) throws -> Realm {
        SharedAgent.ensure()
        return try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("types.realm")), objectTypes: types))
    }

    private func filled() throws -> Realm {
        let realm = try realm([Traveller.self])
        try realm.write {
            for (position, name) in ["Ann", "Ben", "Cid"].enumerated() {
                let traveller = Traveller(name, Double(position) * 10)
                traveller.planned = position == 0 ? nil : Distance(Double(position))
                traveller.page = URL(string: "https://example.org/\(name)")
                traveller.nick = UserName(name.lowercased())
                traveller.stages.append(objectsIn: (0...position).map { Distance(Double($0)) })
                traveller.goals.append(objectsIn: [nil, Distance(5)])
                realm.add(traveller)
            }
        }
        return realm
    }

    @Test("EN-05 properties, optionals, lists, primary keys, indexes")
    func roundTrip() throws {
        let realm = try filled()
        let ben = try #require(realm.object(ofType: Traveller.self, forPrimaryKey: UserName("Ben")))
        #expect(realm.object(ofType: Traveller.self, forPrimaryKey: "Ben") == ben)
        #expect(ben.walked.meters == 10 && ben.planned == Distance(1) && ben.limit == Distance(12))
        #expect(ben.page == URL(string: "https://example.org/Ben"))
        #expect(ben.nick == UserName("ben"))
        #expect(Array(ben.stages) == [Distance(0), Distance(1)])
        #expect(Array(ben.goals) == [nil, Distance(5)])
        try realm.write {
            ben.walked = Distance(77)
            ben.planned = nil
            ben.page = nil
            ben.stages[0] = Distance(3)
            ben.stages.append(Distance(4))
        }
        #expect(ben.walked == Distance(77) && ben.planned == nil && ben.page == nil)
        #expect(ben.stages.map(\.meters) == [3, 1, 4])
        #expect(ben.stages.index(of: Distance(4)) == 2)
        #expect(ben.freeze().walked == Distance(77))
    }

    @Test("EN-05 values given as Any, as themselves or as what is stored")
    func anyValues() throws {
        let unmanaged = Traveller(value: ["name": UserName("Eva"), "walked": 3, "stages": [Distance(1), 2.5]])
        #expect(unmanaged.name == UserName("Eva") && unmanaged.walked == Distance(3))
        #expect(unmanaged.stages.map(\.meters) == [1, 2.5])
        let realm = try filled()
        try realm.write {
            let eva = realm.create(Traveller.self, value: ["name": "Eva", "walked": Distance(4), "page": "x:y"])
            #expect(eva.walked == Distance(4) && eva.page == URL(string: "x:y") && eva.limit == Distance(12))
            eva.setValue(Distance(8), forKey: "walked")
            #expect(eva.value(forKey: "walked") as? Distance == Distance(8))
        }
    }

    @Test("EN-05 QU-29 queries, sorting, aggregates")
    func queries() throws {
        let all = try filled().objects(Traveller.self)
        func names(_ results: Results<Traveller>) -> [String] { results.sorted(by: \.name).map(\.name.text) }
        #expect(names(all.where { $0.walked > Distance(5) }) == ["Ben", "Cid"])
        #expect(names(all.where { $0.walked == Distance(10) }) == ["Ben"])
        #expect(names(all.where { $0.planned == nil }) == ["Ann"])
        #expect(names(all.where { $0.planned <= Distance(1) }) == ["Ben"])
        #expect(names(all.where { $0.nick.starts(with: UserName("c")) }) == ["Cid"])
        #expect(names(all.where { $0.nick.in([UserName("ann"), UserName("x")]) }) == ["Ann"])
        #expect(names(all.where { $0.walked.contains(Distance(5)...Distance(15)) }) == ["Ben"])
        #expect(names(all.where { $0.walked.persistableValue > 15 }) == ["Cid"])
        #expect(names(all.where { $0.planned.persistableValue > 1 }) == ["Cid"])
        #expect(names(all.where { $0.page.persistableValue.ends(with: "Ann") }) == ["Ann"])
        #expect(names(all.where { $0.stages.contains(Distance(2)) }) == ["Cid"])
        #expect(names(all.where { $0.stages.persistableValue.contains(1) }) == ["Ben", "Cid"])
        #expect(names(all.where { $0.stages.count == 1 }) == ["Ann"])
        #expect(names(all.filter("walked > %@", Distance(5))) == ["Ben", "Cid"])
        #expect(names(all.filter("nick == 'ann'")) == ["Ann"])
        #expect(all.sorted(by: \.walked, ascending: false).first?.name == UserName("Cid"))
        #expect(all.max(of: \.walked) == Distance(20))
        #expect(all.sum(of: \.walked) == Distance(30))
        #expect(all.average(ofProperty: "walked") == Distance(10))
        let stages = try #require(all.last).stages
        #expect(stages.min() == Distance(0) && stages.sum() == Distance(3))
        #expect(Array(stages.sorted(ascending: false)).map(\.meters) == [2, 1, 0])
        #expect(all.sectioned(by: \.nick).allKeys.map(\.text) == ["ann", "ben", "cid"])
    }

    @Test("EN-06 what can't be converted reads nil where nil may be")
    func failing() throws {
        try autoreleasepool {
            let realm = try realm([Before.Measure.self])
            try realm.write {
                _ = realm.create(Before.Measure.self, value: ["even": 4, "optional": 3, "all": [2, 3, nil, 8]])
            }
        }
        let measure = try #require(try realm([After.Measure.self]).objects(After.Measure.self).first)
        #expect(measure.even == Even(2))
        #expect(measure.optional == nil)
        #expect(Array(measure.all) == [Even(1), nil, nil, Even(4)])
    }

    @Test(
        "EN-06, MK-87 what can't be converted traps where nil can't be",
        arguments: [
            ("custom-unconvertible", "Failed to convert persisted value '3' to type EvenNumber in a non-optional"),
            ("custom-no-default", "Failed to default construct a PositiveNumber")
        ])
    func traps(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }

    @Test("EN-07 the default is made of the stored type's default")
    func defaults() {
        let traveller = Traveller()
        #expect(traveller.walked == Distance(0) && traveller.name == UserName("") && traveller.planned == nil)
        #expect(traveller.page == nil)
    }

    @Test("EN-08 types over embedded objects: properties, optionals, lists, maps")
    func overEmbedded() throws {
        let realm = try realm([Track.self, PointParts.self])
        try realm.write {
            let track = Track()
            track.start = Point(1, 2, "a")
            track.way.append(objectsIn: [Point(3, 4), Point(5, 6, "b")])
            track.named["home"] = Point(7, 8)
            realm.add(track)
            realm.create(Track.self, value: ["id": 2, "start": Point(9, 9), "end": ["x": 1, "y": 1]])
        }
        let tracks = realm.objects(Track.self)
        #expect(tracks[0].start == Point(1, 2, "a") && tracks[0].end == nil)
        #expect(Array(tracks[0].way) == [Point(3, 4), Point(5, 6, "b")] && tracks[0].named["home"] == Point(7, 8))
        #expect(tracks[1].start == Point(9, 9) && tracks[1].end == Point(1, 1))
        try realm.write {
            tracks[0].end = Point(0, 0)
            tracks[0].way[0] = Point(-3, -4)
            tracks[1].end = nil
        }
        let frozen = tracks.freeze()
        #expect(frozen[0].end == Point(0, 0) && frozen[0].way[0] == Point(-3, -4) && frozen[1].end == nil)
        #expect(Track().start == Point(0, 0))
    }

    @Test("EN-08 QU-02 QU-29 types over embedded objects in queries")
    func overEmbeddedQueries() throws {
        let realm = try realm([Track.self, PointParts.self])
        try realm.write {
            for id in 0..<3 {
                let track = Track()
                track.id = id
                track.start = Point(Double(id), 1)
                track.end = id == 0 ? nil : Point(5, 5, "end")
                realm.add(track)
            }
        }
        let tracks = realm.objects(Track.self)
        #expect(tracks.where { $0.start == Point(2, 1) }.map(\.id) == [2])
        #expect(tracks.where { $0.start != Point(2, 1) }.map(\.id) == [0, 1])
        #expect(tracks.where { $0.end == Point(5, 5, "end") }.map(\.id) == [1, 2])
        #expect(tracks.where { $0.end == nil }.map(\.id) == [0])
        #expect(tracks.where { $0.start.persistableValue.x > 0 }.map(\.id) == [1, 2])
        #expect(tracks.where { $0.end.persistableValue.label == "end" }.map(\.id) == [1, 2])
    }

    @Test("EN-09 hashing by what is stored")
    func hashing() {
        #expect(Set([Distance(1), Distance(1), Distance(2)]).count == 2)
        #expect(ByReference(persistedValue: 3).hashValue == ByReference(persistedValue: 3).hashValue)
    }

    private final class ByReference: CustomPersistable {
        let persistableValue: Int
        init(persistedValue: Int) { persistableValue = persistedValue }
        static func == (a: ByReference, b: ByReference) -> Bool { a.persistableValue == b.persistableValue }
    }
}
