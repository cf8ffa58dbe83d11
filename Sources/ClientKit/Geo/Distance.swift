/// A length on the earth's surface, taken for a sphere of 6,378.1 km radius.
public final class Distance: Hashable, Sendable {
    private static let earthRadius = 6378.1
    private static let kilometersPerMile = 1.609344

    /// As the angle that it spans at the centre of the earth.
    public let radians: Double

    private init?(_ radians: Double) {
        guard radians >= 0 else { return nil }
        self.radians = radians
    }

    /// Nil if negative.
    public static func kilometers(_ kilometers: Double) -> Distance? { Distance(kilometers / earthRadius) }
    /// Nil if negative.
    public static func miles(_ miles: Double) -> Distance? { Distance(miles * kilometersPerMile / earthRadius) }
    /// Nil if negative.
    public static func degrees(_ degrees: Double) -> Distance? { Distance(degrees * .pi / 180) }
    /// Nil if negative.
    public static func radians(_ radians: Double) -> Distance? { Distance(radians) }

    public func asKilometers() -> Double { radians * Self.earthRadius }
    public func asMiles() -> Double { asKilometers() / Self.kilometersPerMile }
    public func asDegrees() -> Double { radians * 180 / .pi }

    public static func == (a: Distance, b: Distance) -> Bool { a.radians == b.radians }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(radians)
    }
}
