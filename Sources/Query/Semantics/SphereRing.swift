import Foundation

/// A closed line of great-circle arcs. What it encloses is the side with at most half of the sphere, whichever
/// way its points run.
struct SphereRing {
    /// Without the closing point, and without repeated neighbours.
    let points: [SpherePoint]
    let edges: [(start: SpherePoint, end: SpherePoint)]
    /// Points known to be inside, each close to the middle of an edge.
    private let insiders: [SpherePoint]

    init(_ ring: [GeoPoint]) {
        var points: [SpherePoint] = []
        for point in ring.map({ SpherePoint($0) }) where points.last != point { points.append(point) }
        if points.count > 1, points.first == points.last { points.removeLast() }
        self.points = points
        edges = points.indices.map { (points[$0], points[($0 + 1) % points.count]) }
        let leftIsInside = SphereRing.areaOnTheLeft(of: points) > 0
        insiders = edges.compactMap { start, end in
            let pole = start.cross(end)
            guard let left = pole.normalized, let middle = (start + end).normalized else { return nil }
            // As far off the edge as an edge nearby can't be, and doubles can still tell.
            let distance = max(pole.length * 1e-6, 1e-13)
            return (middle + (leftIsInside ? distance : -distance) * left).normalized
        }
    }

    /// The area that lies left of the edges, less the whole sphere if it is more than half of it.
    private static func areaOnTheLeft(of points: [SpherePoint]) -> Double {
        guard let first = points.first, points.count >= 3 else { return 0 }
        var area = 0.0
        for (second, third) in zip(points.dropFirst(), points.dropFirst(2)) {
            // The excess of a triangle's angles is its area, with the sign of its orientation.
            let volume = SpherePoint.volume(first, second, third)
            area += 2 * atan2(volume, 1 + first.dot(second) + second.dot(third) + third.dot(first))
        }
        return area.remainder(dividingBy: 4 * .pi)
    }

    /// Whether a point is inside. Either answer is right for one that lies on an edge.
    func contains(_ point: SpherePoint) -> Bool {
        // The way to an insider must be clearly shorter than half a circle.
        guard let insider = insiders.first(where: { $0.dot(point) > -0.9 }) ?? insiders.first else { return false }
        var isInside = true
        for (start, end) in edges where SpherePoint.arcsCross(insider, point, start, end) { isInside.toggle() }
        return isInside
    }

    /// Whether two of its edges meet elsewhere than in the point that they share.
    var crossesItself: Bool {
        guard Set(points).count == points.count else { return true }
        // An arc shorter than half a circle lies in the ball around its chord: most pairs are far apart.
        let balls = edges.map { start, end in
            (middle: 0.5 * (start + end), radius: 0.5 * start.chordSquared(end).squareRoot())
        }
        for (position, edge) in edges.enumerated() {
            for other in (position + 1)..<max(edges.count, position + 1) {
                let reach = balls[position].radius + balls[other].radius + 1e-9
                guard balls[position].middle.chordSquared(balls[other].middle) <= reach * reach else { continue }
                let isNeighbour = other == position + 1 || (position == 0 && other == edges.count - 1)
                if !isNeighbour, SpherePoint.arcsCross(edge.start, edge.end, edges[other].start, edges[other].end) {
                    return true
                }
            }
        }
        return false
    }

    /// Whether another ring lies inside. The two may have points in common.
    func encloses(_ other: SphereRing) -> Bool {
        let own = Set(points)
        guard other.points.allSatisfy({ own.contains($0) || contains($0) }) else { return false }
        return !other.edges.contains { edge in
            edges.contains { mine in
                let meet = [mine.start, mine.end].contains { $0 == edge.start || $0 == edge.end }
                return !meet && SpherePoint.arcsCross(edge.start, edge.end, mine.start, mine.end)
            }
        }
    }
}
