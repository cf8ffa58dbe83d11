import Query

// Of a link to an embedded object of GeoJSON's form: a string `type` of "Point", and a list `coordinates` of longitude
// and latitude.
extension Query where T: OptionalProtocol, T.Wrapped: EmbeddedObject {
    /// Whether the point lies in the box, or on its edge.
    public func geoWithin(_ box: GeoBox) -> Query<Bool> { compared(.geoWithin, .geo(box.shape)) }

    /// Whether the point lies in the polygon, or on its edge.
    public func geoWithin(_ polygon: GeoPolygon) -> Query<Bool> { compared(.geoWithin, .geo(polygon.shape)) }

    /// Whether the point lies in the circle, or on its edge.
    public func geoWithin(_ circle: GeoCircle) -> Query<Bool> { compared(.geoWithin, .geo(circle.shape)) }
}
