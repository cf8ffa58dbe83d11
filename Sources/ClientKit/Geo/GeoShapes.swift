import Query

/// What `geoWithin` and `IN %@` look for points in: boxes, polygons, circles.
protocol GeoSearchable {
    var shape: GeoShape { get }
}

/// The area between two corners; its edges are arcs of great circles.
public final class GeoBox: Hashable, Sendable, GeoSearchable {
    public let bottomLeft: GeoPoint
    public let topRight: GeoPoint

    public init(bottomLeft: GeoPoint, topRight: GeoPoint) {
        self.bottomLeft = bottomLeft
        self.topRight = topRight
    }

    /// Corners as latitude and longitude; nil if one is out of range.
    public convenience init?(bottomLeft: (Double, Double), topRight: (Double, Double)) {
        guard let bottomLeft = GeoPoint(bottomLeft), let topRight = GeoPoint(topRight) else { return nil }
        self.init(bottomLeft: bottomLeft, topRight: topRight)
    }

    var shape: GeoShape {
        .box(
            .init(longitude: bottomLeft.longitude, latitude: bottomLeft.latitude),
            .init(longitude: topRight.longitude, latitude: topRight.latitude))
    }

    public static func == (a: GeoBox, b: GeoBox) -> Bool { a.shape == b.shape }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
    }
}

/// The area around a place.
public final class GeoCircle: Hashable, Sendable, GeoSearchable {
    public let center: GeoPoint
    public let radiusInRadians: Double

    /// Nil if the radius is negative.
    public init?(center: GeoPoint, radiusInRadians: Double) {
        guard radiusInRadians >= 0 else { return nil }
        self.center = center
        self.radiusInRadians = radiusInRadians
    }

    public init(center: GeoPoint, radius: Distance) {
        self.center = center
        radiusInRadians = radius.radians
    }

    /// The centre as latitude and longitude; nil if it is out of range, or the radius negative.
    public convenience init?(center: (Double, Double), radiusInRadians: Double) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radiusInRadians: radiusInRadians)
    }

    /// The centre as latitude and longitude; nil if it is out of range.
    public convenience init?(center: (Double, Double), radius: Distance) {
        guard let center = GeoPoint(center) else { return nil }
        self.init(center: center, radius: radius)
    }

    var shape: GeoShape {
        .circle(center: .init(longitude: center.longitude, latitude: center.latitude), radius: radiusInRadians)
    }

    public static func == (a: GeoCircle, b: GeoCircle) -> Bool { a.shape == b.shape }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
    }
}

/// The area inside a closed line, less holes in it. A query traps if a line crosses itself or a hole lies outside.
public final class GeoPolygon: Hashable, Sendable, GeoSearchable {
    public let outerRing: [GeoPoint]
    public let holes: [[GeoPoint]]?

    /// Nil if a ring has fewer than four points, or doesn't end where it begins.
    public init?(outerRing: [GeoPoint], holes: [[GeoPoint]]?) {
        for ring in [outerRing] + (holes ?? []) {
            guard ring.count >= 4, ring.first == ring.last else { return nil }
        }
        self.outerRing = outerRing
        self.holes = holes
    }

    public convenience init?(outerRing: [GeoPoint], holes: [GeoPoint]...) {
        self.init(outerRing: outerRing, holes: holes.isEmpty ? nil : holes)
    }

    /// Points as latitude and longitude; nil as well if one is out of range.
    public convenience init?(outerRing: [(Double, Double)], holes: [[(Double, Double)]]) {
        let rings = ([outerRing] + holes).map { ring in ring.compactMap { GeoPoint($0) } }
        guard zip(rings, [outerRing] + holes).allSatisfy({ $0.count == $1.count }) else { return nil }
        self.init(outerRing: rings[0], holes: holes.isEmpty ? nil : Array(rings.dropFirst()))
    }

    public convenience init?(outerRing: [(Double, Double)], holes: [(Double, Double)]...) {
        self.init(outerRing: outerRing, holes: holes)
    }

    var shape: GeoShape {
        .polygon(
            ([outerRing] + (holes ?? [])).map { ring in
                ring.map { .init(longitude: $0.longitude, latitude: $0.latitude) }
            })
    }

    public static func == (a: GeoPolygon, b: GeoPolygon) -> Bool { a.shape == b.shape }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(shape)
    }
}
