import Foundation
import RealmSwift
import TestSupport
import Testing

final class MapPoint: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(_ latitude: Double, _ longitude: Double) {
        self.init()
        coordinates.append(objectsIn: [longitude, latitude])
    }
}

final class MapPlace: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var location: MapPoint?
}

/// Section 31, and what sections 19 and 20 have of it: points within shapes.
@Suite("Section 31: geospatial")
struct Section31GeospatialTests {
    private let directory = TemporaryDirectory()

    private func filled() throws -> Realm {
        SharedAgent.ensure()
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: directory.path("map.realm")),
                objectTypes: [MapPlace.self, MapPoint.self]))
        try realm.write {
            for (name, latitude, longitude) in [("Berlin", 52.52, 13.4), ("Paris", 48.86, 2.35), ("Lima", -12.0, -77.0)]
            {
                realm.add(MapPlace(value: ["name": name, "location": MapPoint(latitude, longitude)] as [String: Any]))
            }
            realm.add(MapPlace(value: ["name": "Nowhere"]))
        }
        return realm
    }

    private func names(_ places: Results<MapPlace>) -> [String] { places.map(\.name).sorted() }

    @Test("GE-02 to GE-06: what is out of range is nil") func shapes() throws {
        #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil && GeoPoint(latitude: 0, longitude: -180.1) == nil)
        #expect(GeoPoint(latitude: 0, longitude: 0, altitude: -1) == nil)
        #expect(GeoPoint(latitude: 90, longitude: 180, altitude: 3)?.altitude == 3)
        #expect(GeoBox(bottomLeft: (0, 0), topRight: (91, 0)) == nil)
        #expect(
            GeoCircle(center: (0, 0), radiusInRadians: -1) == nil
                && GeoCircle(center: (0, 200), radiusInRadians: 1) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 0)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 1), (0, 2)]) == nil)
        #expect(GeoPolygon(outerRing: [(0, 0), (1, 1), (0, 1), (0, 0)])?.outerRing.count == 4)
        #expect(Distance.kilometers(-1) == nil && Distance.miles(-1) == nil && Distance.degrees(-1) == nil)
        let distance = try #require(Distance.kilometers(6378.1))
        #expect(abs(distance.radians - 1) < 1e-12 && abs(distance.asKilometers() - 6378.1) < 1e-9)
        #expect(abs(try #require(Distance.miles(100)).asKilometers() - 160.9344) < 1e-9)
        #expect(abs(try #require(Distance.degrees(180)).radians - .pi) < 1e-12)
        #expect(abs(try #require(Distance.radians(.pi)).asDegrees() - 180) < 1e-12)
    }

    @Test("GE-01, GE-07, QU-30, PR-22: points within boxes, circles and polygons") func within() throws {
        let realm = try filled()
        let places = realm.objects(MapPlace.self)
        let box = try #require(GeoBox(bottomLeft: (45, 0), topRight: (55, 20)))
        let circle = GeoCircle(
            center: try #require(GeoPoint(latitude: 48.8, longitude: 2.3)), radius: try #require(.kilometers(20)))
        let polygon = try #require(
            GeoPolygon(
                outerRing: [(40, -10), (40, 30), (60, 30), (60, -10), (40, -10)],
                holes: [(48, 1), (48, 3), (50, 3), (50, 1), (48, 1)]))
        #expect(names(places.where { $0.location.geoWithin(box) }) == ["Berlin", "Paris"])
        #expect(names(places.where { $0.location.geoWithin(circle) }) == ["Paris"])
        #expect(names(places.where { $0.location.geoWithin(polygon) }) == ["Berlin"])
        #expect(names(places.where { !$0.location.geoWithin(polygon) }) == ["Lima", "Nowhere", "Paris"])
        #expect(names(places.filter("location IN %@", box)) == ["Berlin", "Paris"])
        #expect(names(places.filter("location IN %@ AND name BEGINSWITH 'P'", circle)) == ["Paris"])
        #expect(names(places.filter(NSPredicate(format: "location IN %@", polygon))) == ["Berlin"])
    }

    @Test("GE-07: in a write transaction that has changes, too") func withinTransaction() throws {
        let realm = try filled()
        let circle = try #require(GeoCircle(center: (-12, -77), radiusInRadians: 0.001))
        try realm.write {
            realm.add(MapPlace(value: ["name": "Callao", "location": MapPoint(-12.01, -77.02)] as [String: Any]))
            #expect(names(realm.objects(MapPlace.self).where { $0.location.geoWithin(circle) }) == ["Callao", "Lima"])
        }
    }

    @Test(
        "MK-89: of what is no point, and in what is no region",
        arguments: [
            ("MK-89 no point", "GEOWITHIN needs a link to an embedded class"), ("MK-89 crossing", "must not cross")
        ])
    func mistakes(scenario: String, says: String) throws {
        try expectTrap(scenario, says)
    }
}
