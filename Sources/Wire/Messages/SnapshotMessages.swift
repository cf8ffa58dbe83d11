/// Pins the newest snapshot.
package struct SnapshotPin: WireRequest {
    package typealias Reply = SnapshotPinReply
    package static let method = Method.snapshotPin

    package var realm: Int32

    package init(realm: Int32) {
        self.realm = realm
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
    }
}

/// A pin and what it holds.
package struct SnapshotPinReply: WirePayload {
    package var pin: Int64
    package var version: UInt64
    package var generation: Int64

    package init(pin: Int64, version: UInt64, generation: Int64) {
        self.pin = pin
        self.version = version
        self.generation = generation
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(pin: try view.get("pin"), version: try view.get("version"), generation: try view.get("generation"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("pin", pin)
        writer.put("version", version)
        writer.put("generation", generation)
    }
}

/// Gives up pins, and says which announced ones are in use. Unknown ones are ignored. May go without id.
package struct SnapshotRelease: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.snapshotRelease

    package var realm: Int32
    package var pins: [Int64]
    /// Announced pins that the client keeps: they don't hold up announcements any more.
    package var kept: [Int64]

    package init(realm: Int32, pins: [Int64], kept: [Int64] = []) {
        self.realm = realm
        self.pins = pins
        self.kept = kept
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(realm: try view.get("realm"), pins: try view.get("pins"), kept: try view.find("kept") ?? [])
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("pins", pins)
        if !kept.isEmpty { writer.put("kept", kept) }
    }
}
