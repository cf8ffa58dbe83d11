import Foundation

/// A shape made ready to be searched in: on the sphere, with great-circle arcs for edges.
package struct GeoRegion: Sendable {
    private enum Form {
        /// Points whose straight distance from the centre has at most this square.
        case cap(center: SpherePoint, chordSquared: Double)
        case polygon(SphereRing, holes: [SphereRing])
    }

    private let form: Form

    /// - Parameter shape: one without fault.
    package init(_ shape: GeoShape) {
        switch shape {
        case .circle(let center, let radius):
            // A point on the boundary is inside, also after rounding.
            let half = sin(min(radius, .pi) / 2)
            form = .cap(center: SpherePoint(center), chordSquared: 4 * half * half * (1 + 4e-16))
        case .box(let a, let b):
            form = .polygon(SphereRing(GeoShape.corners(a, b)), holes: [])
        case .polygon(let rings):
            form = .polygon(SphereRing(rings.first ?? []), holes: rings.dropFirst().map { SphereRing($0) })
        }
    }

    package func contains(_ point: GeoPoint) -> Bool {
        let point = SpherePoint(point)
        switch form {
        case .cap(let center, let limit): return center.chordSquared(point) <= limit
        case .polygon(let outer, let holes):
            return outer.contains(point) && !holes.contains { $0.contains(point) }
        }
    }
}

extension GeoShape {
    /// The ring of a box: its edges are arcs, not parallels.
    static func corners(_ a: GeoPoint, _ b: GeoPoint) -> [GeoPoint] {
        [
            a, GeoPoint(longitude: a.longitude, latitude: b.latitude), b,
            GeoPoint(longitude: b.longitude, latitude: a.latitude), a
        ]
    }
}
