/// A place on the earth, as a corner of a shape.
///
/// ```swift
/// let berlin = GeoPoint(latitude: 52.5, longitude: 13.4)
/// ```
public final class GeoPoint: Hashable, Sendable, CustomStringConvertible {
    /// Degrees north of the equator, −90 to 90.
    public let latitude: Double
    /// Degrees east of Greenwich, −180 to 180.
    public let longitude: Double
    /// Kept, and not looked at by queries.
    public let altitude: Double

    /// Nil if a value is out of range: a latitude beyond 90, a longitude beyond 180, a negative altitude.
    public init?(latitude: Double, longitude: Double, altitude: Double) {
        guard abs(latitude) <= 90, abs(longitude) <= 180, altitude >= 0 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    /// Nil if a value is out of range.
    public convenience init?(latitude: Double, longitude: Double) {
        self.init(latitude: latitude, longitude: longitude, altitude: 0)
    }

    /// Latitude and longitude.
    convenience init?(_ pair: (Double, Double)) {
        self.init(latitude: pair.0, longitude: pair.1)
    }

    public static func == (a: GeoPoint, b: GeoPoint) -> Bool {
        a.latitude == b.latitude && a.longitude == b.longitude && a.altitude == b.altitude
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
        hasher.combine(altitude)
    }

    public var description: String { "GeoPoint(latitude: \(latitude), longitude: \(longitude))" }
}
