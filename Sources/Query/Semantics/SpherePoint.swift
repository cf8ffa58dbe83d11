import Foundation

/// A point on the unit sphere, or a direction.
struct SpherePoint: Hashable {
    var x: Double
    var y: Double
    var z: Double

    init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    init(_ point: GeoPoint) {
        let latitude = point.latitude * .pi / 180
        let longitude = point.longitude * .pi / 180
        self.init(
            x: cos(latitude) * cos(longitude), y: cos(latitude) * sin(longitude), z: sin(latitude))
    }

    func dot(_ other: SpherePoint) -> Double { x * other.x + y * other.y + z * other.z }

    func cross(_ other: SpherePoint) -> SpherePoint {
        SpherePoint(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
    }

    var length: Double { dot(self).squareRoot() }

    /// The same direction with length 1; nil for the centre.
    var normalized: SpherePoint? {
        let length = length
        return length > 0 ? SpherePoint(x: x / length, y: y / length, z: z / length) : nil
    }

    static func + (a: SpherePoint, b: SpherePoint) -> SpherePoint {
        SpherePoint(x: a.x + b.x, y: a.y + b.y, z: a.z + b.z)
    }

    static func * (factor: Double, a: SpherePoint) -> SpherePoint {
        SpherePoint(x: factor * a.x, y: factor * a.y, z: factor * a.z)
    }

    /// Square of the straight distance to another point.
    func chordSquared(_ other: SpherePoint) -> Double {
        let difference = self + -1 * other
        return difference.dot(difference)
    }

    /// Six times the volume that three points span with the centre: positive if the third lies left of the way from the
    /// first to the second. Made of differences, so that it is exact enough for points close to each other.
    static func volume(_ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint) -> Double {
        a.cross(b + -1 * a).dot(c + -1 * a)
    }

    /// Whether the arcs a–b and c–d, both shorter than half a circle, have a point in common. A point of one that lies
    /// exactly on the other's great circle counts as being on its left, so that of two arcs that meet in it exactly one
    /// is crossed.
    static func arcsCross(_ a: SpherePoint, _ b: SpherePoint, _ c: SpherePoint, _ d: SpherePoint) -> Bool {
        let cIsLeft = volume(a, b, c) >= 0
        guard cIsLeft != (volume(a, b, d) >= 0) else { return false }
        let aIsLeft = volume(c, d, a) >= 0
        guard aIsLeft != (volume(c, d, b) >= 0) else { return false }
        // The great circles meet in two opposite points; both arcs must contain the same one.
        return cIsLeft != aIsLeft
    }
}
