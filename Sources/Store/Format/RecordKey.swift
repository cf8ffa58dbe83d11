import CLMDB

/// A composite record key: big-endian numbers and bytes, at most 511 bytes.
package struct RecordKey: Hashable, Sendable {
    // Nearly all keys fit the inline words, so that a lookup doesn't allocate.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var spill: [UInt8] = []
    package private(set) var count = 0
    private static let inlineSize = 32

    package init() {}

    package mutating func append(_ value: UInt8) {
        if count < RecordKey.inlineSize {
            let at = count
            Swift.withUnsafeMutableBytes(of: &words) { $0[at] = value }
        } else {
            if spill.isEmpty { spill = Swift.withUnsafeBytes(of: words) { Array($0) } }
            spill.append(value)
        }
        count += 1
    }

    package mutating func append(_ value: UInt16) {
        appendWord(UInt64(value) << 48, size: 2)
    }

    package mutating func append(_ value: UInt32) {
        appendWord(UInt64(value) << 32, size: 4)
    }

    package mutating func append(_ value: UInt64) {
        appendWord(value, size: 8)
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let at = count
        if at + bytes.count <= RecordKey.inlineSize {
            Swift.withUnsafeMutableBytes(of: &words) {
                UnsafeMutableRawBufferPointer(rebasing: $0[at...]).copyMemory(from: bytes)
            }
        } else {
            if spill.isEmpty { spill = Swift.withUnsafeBytes(of: words) { Array($0.prefix(at)) } }
            spill.append(contentsOf: bytes)
        }
        count += bytes.count
    }

    /// Appends the upper `size` bytes of `value`.
    private mutating func appendWord(_ value: UInt64, size: Int) {
        let at = count
        if at + size <= RecordKey.inlineSize {
            Swift.withUnsafeMutableBytes(of: &words) { bytes in
                Swift.withUnsafeBytes(of: value.bigEndian) { source in
                    UnsafeMutableRawBufferPointer(rebasing: bytes[at..<(at + size)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<size]))
                }
            }
            count += size
        } else {
            Swift.withUnsafeBytes(of: value.bigEndian) { append(UnsafeRawBufferPointer(rebasing: $0[..<size])) }
        }
    }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        if spill.isEmpty {
            try Swift.withUnsafeBytes(of: words) { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        } else {
            try spill.withUnsafeBytes { try body($0) }
        }
    }

    package static func == (a: RecordKey, b: RecordKey) -> Bool {
        a.withUnsafeBytes { a in b.withUnsafeBytes { b in a.elementsEqual(b) } }
    }

    package func hash(into hasher: inout Hasher) {
        withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
