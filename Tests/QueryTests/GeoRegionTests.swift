import Foundation
import TestSupport
import Testing

@testable import Query

/// Shapes on the sphere (Q-118 to Q-121).
struct GeoRegionTests {
    private func point(_ longitude: Double, _ latitude: Double) -> GeoPoint {
        GeoPoint(longitude: longitude, latitude: latitude)
    }

    private func ring(_ points: (Double, Double)...) -> [GeoPoint] { points.map { point($0.0, $0.1) } }

    @Test func `a circle includes its boundary`() {
        let region = GeoRegion(.circle(center: point(0, 0), radius: 10 * .pi / 180))
        #expect(region.contains(point(10, 0)))
        #expect(region.contains(point(0, -10)))
        #expect(!region.contains(point(0, 10.000001)))
        #expect(GeoRegion(.circle(center: point(3, 4), radius: 0)).contains(point(3, 4)))
        #expect(GeoRegion(.circle(center: point(3, 4), radius: .infinity)).contains(point(-177, -4)))
    }

    @Test func `the northern edge of a box is an arc, not a parallel (Q-120)`() {
        let region = GeoRegion(.box(point(-30, 0), point(30, 50)))
        // The arc between the corners rises above their latitude, the southern one lies on the equator.
        #expect(region.contains(point(0, 52)))
        #expect(!region.contains(point(0, 55)))
        #expect(region.contains(point(0, 0.001)))
        #expect(!region.contains(point(0, -0.001)))
        #expect(!region.contains(point(180, 25)))
    }

    @Test func `a box across the date line`() {
        let region = GeoRegion(.box(point(170, 0), point(-170, 20)))
        #expect(region.contains(point(180, 10)))
        #expect(region.contains(point(-175, 10)))
        #expect(!region.contains(point(160, 10)))
        #expect(!region.contains(point(0, 10)))
    }

    @Test func `a ring encloses at most half the sphere, whichever way it runs`() {
        let forwards = ring((0, 0), (10, 0), (10, 10), (0, 10), (0, 0))
        for ring in [forwards, forwards.reversed()] {
            let region = GeoRegion(.polygon([ring]))
            #expect(region.contains(point(5, 5)))
            #expect(!region.contains(point(-5, 5)))
            #expect(!region.contains(point(-175, -5)))
        }
    }

    @Test func `a ring around a pole`() {
        let region = GeoRegion(.polygon([ring((0, 80), (90, 80), (180, 80), (-90, 80), (0, 80))]))
        #expect(region.contains(point(45, 89)))
        #expect(region.contains(point(12, 90)))
        #expect(!region.contains(point(45, 70)))
        #expect(!region.contains(point(0, -90)))
    }

    @Test func `a polygon of as many points as there may be is searched in, one with more is refused`() {
        func circle(_ count: Int) -> GeoShape {
            let points = (0..<count - 1).map { index in
                let angle = 2 * .pi * Double(index) / Double(count - 1)
                return point(20 * cos(angle), 20 * sin(angle))
            }
            return .polygon([points + [points[0]]])
        }
        #expect(circle(GeoShape.pointLimit).fault == nil)
        #expect(GeoRegion(circle(GeoShape.pointLimit)).contains(point(3, 4)))
        #expect(circle(GeoShape.pointLimit + 1).fault == "a polygon has at most 5000 points, not 5001")
    }

    @Test func `holes are left out`() {
        let region = GeoRegion(
            .polygon([
                ring((0, 0), (10, 0), (10, 10), (0, 10), (0, 0)), ring((4, 4), (4, 6), (6, 6), (6, 4), (4, 4)),
                ring((1, 1), (2, 1), (2, 2), (1, 1))
            ]))
        #expect(region.contains(point(3, 3)))
        #expect(!region.contains(point(5, 5)))
        #expect(!region.contains(point(1.8, 1.2)))
    }

    @Test func `a bay of a ring that isn't convex is outside`() {
        let region = GeoRegion(.polygon([ring((0, 0), (10, 0), (10, 10), (5, 2), (0, 10), (0, 0))]))
        #expect(region.contains(point(1, 5)))
        #expect(region.contains(point(9, 5)))
        #expect(!region.contains(point(5, 5)))
        #expect(region.contains(point(5, 1)))
    }

    /// In a small square the sphere is as good as flat: the plane's answer is known.
    @Test func `points in random small triangles`() {
        var generator = SeededGenerator(seed: randomSeed)
        for _ in 0..<(500 * soakFactor) {
            let around = point(
                Double.random(in: -180...180, using: &generator), Double.random(in: -60...60, using: &generator))
            let stretch = 1 / cos(around.latitude * .pi / 180)
            func place() -> (x: Double, y: Double) {
                (Double.random(in: -1...1, using: &generator), Double.random(in: -1...1, using: &generator))
            }
            func onSphere(_ place: (x: Double, y: Double)) -> GeoPoint {
                let longitude = around.longitude + place.x * 1e-4 * stretch
                return point(
                    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
                    around.latitude + place.y * 1e-4)
            }
            let (a, b, c, p) = (place(), place(), place(), place())
            func side(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double), _ p: (x: Double, y: Double)) -> Double {
                (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
            }
            let sides = [side(a, b, p), side(b, c, p), side(c, a, p)]
            // Too near to an edge, or to no triangle at all, the curvature may decide.
            guard sides.allSatisfy({ abs($0) > 1e-3 }), abs(side(a, b, c)) > 1e-2 else { continue }
            let isInside = sides.allSatisfy { $0 > 0 } || sides.allSatisfy { $0 < 0 }
            let shape = GeoShape.polygon([[onSphere(a), onSphere(b), onSphere(c), onSphere(a)]])
            #expect(GeoRegion(shape).contains(onSphere(p)) == isInside, "seed \(randomSeed): \(shape), \(onSphere(p))")
            #expect(shape.fault == nil)
        }
    }

    @Test func `shapes that can't be searched in (Q-121)`() {
        let square = ring((0, 0), (10, 0), (10, 10), (0, 10), (0, 0))
        let faulty: [GeoShape] = [
            .circle(center: point(0, 0), radius: -1), .circle(center: point(0, 0), radius: .nan),
            .circle(center: point(181, 0), radius: 1), .circle(center: point(0, 91), radius: 1),
            .box(point(0, 0), point(0, 10)), .polygon([]), .polygon([[]]),
            .polygon([ring((0, 0), (1, 0), (1, 1))]), .polygon([ring((0, 0), (1, 0), (1, 0), (0, 0))]),
            // A bow tie; a point used twice.
            .polygon([ring((0, 0), (10, 10), (10, 0), (0, 10), (0, 0))]),
            .polygon([ring((0, 0), (10, 0), (5, 5), (10, 10), (0, 10), (5, 5), (0, 0))]),
            // A hole outside, one that crosses the edge, one in another.
            .polygon([square, ring((20, 0), (30, 0), (30, 10), (20, 0))]),
            .polygon([square, ring((5, 5), (15, 5), (15, 6), (5, 5))]),
            .polygon([
                square, ring((2, 2), (8, 2), (8, 8), (2, 8), (2, 2)), ring((4, 4), (5, 4), (5, 5), (4, 4))
            ])
        ]
        for shape in faulty { #expect(shape.fault != nil, "\(shape)") }
        let good: [GeoShape] = [
            .circle(center: point(180, -90), radius: 0), .box(point(10, 10), point(0, 0)), .polygon([square]),
            .polygon([square, ring((0, 0), (4, 1), (1, 4), (0, 0))]),
            .polygon([ring((0, 0), (0, 0), (10, 0), (10, 10), (10, 10), (0, 0))])
        ]
        for shape in good { #expect(shape.fault == nil, "\(shape): \(shape.fault ?? "")") }
    }
}
