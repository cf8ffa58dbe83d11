/// Column 0 of a cluster: its object keys in ascending order, relative to the cluster's base.
public enum KeyChunk {
    /// The chunk of `keys`, which ascend and aren't below `base`.
    public static func encode(_ keys: some Collection<Int64>, base: Int64) -> [UInt8] {
        let count = keys.count
        let dense = (keys.first ?? base) == base && isConsecutive(keys)
        let span = UInt64((keys.reversedLast ?? base) - base)
        let width = dense ? 0 : span <= 0xFF ? 1 : span <= 0xFFFF ? 2 : span <= 0xFFFF_FFFF ? 4 : 8
        let header = ChunkHeader(
            kind: .keys, width: UInt8(width), flags: dense ? .dense : [], count: UInt32(count))
        let size = ChunkHeader.size + header.payloadSize
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            initialized = size
            guard let start = buffer.baseAddress.map({ UnsafeMutableRawPointer($0) }) else { return }
            header.store(to: start)
            var target = start + ChunkHeader.size
            for key in keys where !dense {
                var offset = UInt64(key - base).littleEndian
                withUnsafeBytes(of: &offset) {
                    if let source = $0.baseAddress { target.copyMemory(from: source, byteCount: width) }
                }
                target += width
            }
        }
    }

    private static func isConsecutive(_ keys: some Collection<Int64>) -> Bool {
        guard var previous = keys.first else { return true }
        for key in keys.dropFirst() {
            guard key == previous + 1 else { return false }
            previous = key
        }
        return true
    }
}

extension Collection {
    fileprivate var reversedLast: Element? {
        isEmpty ? nil : self[index(startIndex, offsetBy: count - 1)]
    }
}

extension UnsafeChunk {
    /// The key in a row of a keys chunk.
    @inlinable
    public func key(_ row: Int, base: Int64) -> ObjectKey {
        switch width {
        case 1: ObjectKey(base &+ Int64(payload.load(fromByteOffset: row, as: UInt8.self)))
        case 2:
            ObjectKey(
                base &+ Int64(UInt16(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 2, as: UInt16.self))))
        case 4:
            ObjectKey(
                base &+ Int64(UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 4, as: UInt32.self))))
        case 8:
            ObjectKey(base &+ Int64(littleEndian: payload.loadUnaligned(fromByteOffset: row &* 8, as: Int64.self)))
        default: ObjectKey(base &+ Int64(row))
        }
    }

    /// The row of `key` in a keys chunk.
    @inlinable
    public func row(of key: ObjectKey, base: Int64) -> Int? {
        let row = firstRow(notBelow: key, base: base)
        return row < count && self.key(row, base: base) == key ? row : nil
    }

    /// The first row of a keys chunk whose key isn't less than `key`; `count` when there is none.
    @inlinable
    public func firstRow(notBelow key: ObjectKey, base: Int64) -> Int {
        let offset = key.raw &- base
        if offset <= 0 { return 0 }
        if width == 0 { return offset < Int64(count) ? Int(offset) : count }
        var low = 0
        var high = count
        while low < high {
            let middle = (low &+ high) / 2
            if self.key(middle, base: base) < key { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
