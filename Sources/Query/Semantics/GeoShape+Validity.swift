extension GeoShape {
    /// The most points of a polygon: each of its edges is held against each other one.
    package static let pointLimit = 5_000

    /// What is wrong with the shape; nil if it can be searched in.
    package var fault: String? {
        switch self {
        case .box(let a, let b):
            let corners = Self.corners(a, b)
            return a.fault ?? b.fault ?? Self.fault(of: corners, SphereRing(corners))
        case .circle(let center, let radius):
            return center.fault ?? (radius >= 0 ? nil : "the radius must not be negative")
        case .polygon(let rings):
            let points = rings.reduce(0) { $0 + $1.count }
            guard points <= Self.pointLimit else {
                return "a polygon has at most \(Self.pointLimit) points, not \(points)"
            }
            var spheres: [SphereRing] = []
            for ring in rings {
                let sphere = SphereRing(ring)
                if let fault = ring.lazy.compactMap(\.fault).first ?? Self.fault(of: ring, sphere) { return fault }
                spheres.append(sphere)
            }
            return rings.isEmpty ? "a polygon needs a ring" : Self.fault(ofHoles: spheres)
        }
    }

    private static func fault(of ring: [GeoPoint], _ sphere: SphereRing) -> String? {
        guard ring.first == ring.last else { return "the first and the last point of a ring must be the same" }
        guard sphere.points.count >= 3 else { return "a ring needs three different points" }
        return sphere.crossesItself ? "a ring must not cross or touch itself" : nil
    }

    /// Rings after the first are holes of it, beside each other.
    private static func fault(ofHoles rings: [SphereRing]) -> String? {
        for (position, hole) in rings.enumerated().dropFirst() {
            guard rings[0].encloses(hole) else { return "ring \(position + 1) of a polygon must lie inside the first" }
            for other in rings[1..<position] where other.encloses(hole) || hole.encloses(other) {
                return "ring \(position + 1) of a polygon must not be nested with another hole"
            }
        }
        return nil
    }
}

extension GeoPoint {
    var fault: String? {
        guard longitude >= -180, longitude <= 180 else { return "longitude \(longitude) is out of range" }
        guard latitude >= -90, latitude <= 90 else { return "latitude \(latitude) is out of range" }
        return nil
    }
}
