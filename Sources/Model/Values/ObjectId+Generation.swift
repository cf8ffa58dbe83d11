import Foundation
import Synchronization

extension ObjectId {
    /// Five random bytes of this process.
    private static let processPart = UInt64.random(in: 0..<(1 << 40))
    private static let counter = Atomic<UInt32>(UInt32.random(in: 0...UInt32.max))

    /// A new id: the time, the process's random part, the next number of a counter (C-42). From any thread.
    ///
    /// Two ids of one process differ unless 2^24 others were made in the same second.
    public static func generate() -> ObjectId {
        make(
            seconds: UInt32(truncatingIfNeeded: time(nil)), process: processPart,
            counter: counter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// An id of given parts, as `generate` puts it together.
    static func make(seconds: UInt32, process: UInt64, counter: UInt32) -> ObjectId {
        ObjectId(
            high: UInt64(seconds) << 32 | (process >> 8) & 0xffff_ffff,
            low: UInt32(truncatingIfNeeded: process & 0xff) << 24 | counter & 0x00ff_ffff)
    }

    /// Seconds since 1970 in the id's first four bytes.
    public var seconds: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}
