/// What a chunk's values are. The raw value is the first byte of the chunk.
public enum ChunkKind: UInt8, Sendable, CaseIterable {
    case int = 1
    case float = 2
    case double = 3
    case timestamp = 4
    case objectId = 5
    case uuid = 6
    case decimal = 7
    case string = 8
    case binary = 9
    case bool = 10
    case link = 11
    case keys = 12
    case mixed = 13
}

/// The first sixteen bytes of a chunk. `FORMAT.md` has the layout of what follows.
public struct ChunkHeader: Hashable, Sendable {
    public static let size = 16

    public struct Flags: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        @inlinable
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A null bitmap follows the payload.
        @inlinable
        public static var nulls: Flags { Flags(rawValue: 1) }
        /// Timestamps: all nanoseconds are zero and left out.
        @inlinable
        public static var wholeSeconds: Flags { Flags(rawValue: 2) }
        /// A bitmap of the values that live in `blobs` follows.
        @inlinable
        public static var externals: Flags { Flags(rawValue: 4) }
        /// Keys: base, base + 1, …; no payload.
        @inlinable
        public static var dense: Flags { Flags(rawValue: 8) }
    }

    public var kind: ChunkKind
    /// Bytes of a number, or of an end offset.
    public var width: UInt8
    public var flags: Flags
    public var count: UInt32
    /// Strings, binaries and mixed values: bytes of data.
    public var aux: UInt64

    @inlinable
    public init(kind: ChunkKind, width: UInt8, flags: Flags, count: UInt32, aux: UInt64 = 0) {
        self.kind = kind
        self.width = width
        self.flags = flags
        self.count = count
        self.aux = aux
    }

    /// Reads a header; nil when the bytes can't be one of a chunk that this version wrote.
    public init?(checking bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= ChunkHeader.size, let start = bytes.baseAddress,
            let kind = ChunkKind(rawValue: start.load(as: UInt8.self)),
            start.load(fromByteOffset: 3, as: UInt8.self) == 0
        else { return nil }
        self.kind = kind
        width = start.load(fromByteOffset: 1, as: UInt8.self)
        flags = Flags(rawValue: start.load(fromByteOffset: 2, as: UInt8.self))
        count = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        aux = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        guard hasValidWidth, aux < 1 << 40, let size = totalSize, size <= bytes.count else { return nil }
    }

    public func store(to start: UnsafeMutableRawPointer) {
        start.storeBytes(of: kind.rawValue, as: UInt8.self)
        start.storeBytes(of: width, toByteOffset: 1, as: UInt8.self)
        start.storeBytes(of: flags.rawValue, toByteOffset: 2, as: UInt8.self)
        start.storeBytes(of: 0, toByteOffset: 3, as: UInt8.self)
        start.storeBytes(of: count.littleEndian, toByteOffset: 4, as: UInt32.self)
        start.storeBytes(of: aux.littleEndian, toByteOffset: 8, as: UInt64.self)
    }

    private var hasValidWidth: Bool {
        switch kind {
        case .int, .link: [0, 1, 2, 4, 8].contains(width)
        case .keys: flags.contains(.dense) ? width == 0 : [1, 2, 4, 8].contains(width)
        case .bool: width <= 1
        case .float: width == 4
        case .double, .timestamp: width == 8
        case .objectId: width == 12
        case .uuid, .decimal: width == 16
        case .string, .binary, .mixed: width == 2 || width == 4
        }
    }

    /// Bytes of the payload, without padding.
    public var payloadSize: Int {
        let rows = Int(count)
        switch kind {
        case .keys: return flags.contains(.dense) ? 0 : rows * Int(width)
        case .timestamp: return rows * (flags.contains(.wholeSeconds) ? 8 : 12)
        case .string, .binary, .mixed: return rows * Int(width) + Int(aux)
        default: return rows * Int(width)
        }
    }

    /// Offset of the first bitmap, from the chunk's start.
    public var bitmapOffset: Int {
        ChunkHeader.size + (payloadSize + 7) & ~7
    }

    /// Bytes of one bitmap.
    public var bitmapSize: Int {
        (Int(count) + 63) / 64 * 8
    }

    /// Bytes of the whole chunk; nil when they can't be a chunk's.
    public var totalSize: Int? {
        guard count <= 1 << 24 else { return nil }
        var size = bitmapOffset
        if flags.contains(.nulls) { size += bitmapSize }
        if flags.contains(.externals) { size += bitmapSize }
        // Without bitmaps nothing needs the padding, and nothing is written for it.
        return flags.isDisjoint(with: [.nulls, .externals]) ? ChunkHeader.size + payloadSize : size
    }
}
