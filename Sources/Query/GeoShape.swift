/// A place on the sphere, in degrees.
package struct GeoPoint: Hashable, Sendable {
    package var longitude: Double
    package var latitude: Double

    package init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }
}

/// What GEOWITHIN tests against.
package enum GeoShape: Hashable, Sendable {
    /// Two opposite corners.
    case box(GeoPoint, GeoPoint)
    /// Radius in radians on the sphere.
    case circle(center: GeoPoint, radius: Double)
    /// Closed rings: the outer one, then holes.
    case polygon([[GeoPoint]])
}
