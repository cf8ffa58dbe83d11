extension GeoShape {
    /// What is wrong with the shape; nil if it can be searched in.
    package var fault: String? {
        switch self {
        case .box(let a, let b): return a.fault ?? b.fault
        case .circle(let center, let radius):
            return center.fault ?? (radius >= 0 ? nil : "the radius must not be negative")
        case .polygon(let rings):
            for ring in rings {
                if let fault = ring.lazy.compactMap(\.fault).first ?? Self.fault(of: ring) { return fault }
            }
            return rings.isEmpty ? "a polygon needs a ring" : nil
        }
    }

    private static func fault(of ring: [GeoPoint]) -> String? {
        guard ring.first == ring.last else { return "the first and the last point of a ring must be the same" }
        guard Set(ring).count >= 3 else { return "a ring needs three different points" }
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
