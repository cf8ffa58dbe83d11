import Store

/// A snapshot with the incarnation of the file that it belongs to. While somebody keeps it, its pages stay.
struct HeldSnapshot: Sendable {
    let snapshot: Snapshot
    let generation: UInt64

    var version: UInt64 { snapshot.version }
    var hold: PinTable.Hold { PinTable.Hold(generation: generation, version: version) }
}
