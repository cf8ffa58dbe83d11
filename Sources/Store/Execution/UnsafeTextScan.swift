import Foundation
import Query

/// Tests all rows of a chunk of strings or binaries at once: their bytes lie one after another, so that a pattern is
/// looked for in all of them in one go, and case is folded in one go as long as the text is ASCII.
struct UnsafeTextScan {
    private let chunk: UnsafeChunk
    private let matcher: UnsafeTextMatcher
    private let selection: UnsafeSelection

    init(_ chunk: UnsafeChunk, _ matcher: UnsafeTextMatcher, _ selection: UnsafeSelection) {
        self.chunk = chunk
        self.matcher = matcher
        self.selection = selection
    }

    /// Writes whether each row matches. The chunk's nulls and external values count as empty.
    func run() {
        if matcher.isPlain {
            scan(UnsafeRawBufferPointer(start: chunk.data, count: chunk.dataSize))
        } else if matcher.foldsCaseOnly {
            let size = chunk.dataSize
            withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { folded in
                let isASCII = UnsafeTextScan.lower(UnsafeRawBufferPointer(start: chunk.data, count: size), into: folded)
                scan(UnsafeRawBufferPointer(folded))
                guard !isASCII else { return }
                // Only what is ASCII throughout has been folded.
                for row in 0..<selection.count {
                    let text = chunk.bytes(row)
                    if !UnsafeTextScan.isASCII(text) { selection[row] = matcher.matches(text) }
                }
            }
        } else {
            for row in 0..<selection.count { selection[row] = matcher.matches(chunk.bytes(row)) }
        }
    }

    private func scan(_ text: UnsafeRawBufferPointer) {
        matcher.withPattern { pattern in
            if chunk.width == 2 { scan(text, pattern, UInt16.self) } else { scan(text, pattern, UInt32.self) }
        }
    }

    @inline(__always)
    private func scan<Offset: FixedWidthInteger>(
        _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, _: Offset.Type
    ) {
        let offsets = chunk.payload
        func end(_ row: Int) -> Int {
            Int(
                Offset(
                    littleEndian: offsets.loadUnaligned(
                        fromByteOffset: row &* MemoryLayout<Offset>.size, as: Offset.self)))
        }
        if matcher.op == .contains {
            contained(text, pattern, end)
            return
        }
        var from = 0
        for row in 0..<selection.count {
            let (start, end) = (from, end(row))
            from = end
            // Offsets of a damaged file give an empty value.
            guard start <= end, end <= text.count, let data = text.baseAddress else {
                selection[row] = matcher.compare(UnsafeRawBufferPointer(start: nil, count: 0), pattern)
                continue
            }
            selection[row] = matcher.compare(UnsafeRawBufferPointer(start: data + start, count: end &- start), pattern)
        }
    }

    /// From one occurrence to the next, over the rows' ends.
    @inline(__always)
    private func contained(
        _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, _ end: (Int) -> Int
    ) {
        guard !pattern.isEmpty else { return selection.fill(true) }
        selection.fill(false)
        guard selection.count > 0 else { return }
        var row = 0
        var rowEnd = end(0)
        var from = 0
        while let place = UnsafeTextScan.find(pattern, in: text, from: from) {
            while rowEnd <= place {
                row += 1
                guard row < selection.count else { return }
                rowEnd = end(row)
            }
            if place + pattern.count <= rowEnd {
                selection[row] = true
                from = rowEnd
            } else {
                from = place + 1
            }
        }
    }

    /// Where a pattern that isn't empty begins, at `from` or later.
    @inline(__always)
    private static func find(
        _ pattern: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from: Int
    ) -> Int? {
        guard let data = text.baseAddress, let needle = pattern.baseAddress else { return nil }
        let last = pattern.count - 1
        let firsts = SIMD16<UInt8>(repeating: pattern[0])
        let lasts = SIMD16<UInt8>(repeating: pattern[last])
        var place = from
        // Sixteen places at a time at which its first and its last byte stand.
        while place + last + 16 <= text.count {
            let isFirst = (data + place).loadUnaligned(as: SIMD16<UInt8>.self) .== firsts
            let isLast = (data + place + last).loadUnaligned(as: SIMD16<UInt8>.self) .== lasts
            let found = unsafeBitCast(isFirst .& isLast, to: SIMD2<UInt64>.self)
            if found.x | found.y != 0 {
                for lane in 0..<16 where (lane < 8 ? found.x : found.y) >> UInt64(lane % 8 * 8) & 0xFF != 0 {
                    if memcmp(data + place + lane, needle, pattern.count) == 0 { return place + lane }
                }
            }
            place += 16
        }
        while place + last < text.count {
            if memcmp(data + place, needle, pattern.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    /// Copies bytes with capital letters of ASCII made small.
    /// - Returns: whether all bytes are ASCII.
    private static func lower(_ text: UnsafeRawBufferPointer, into folded: UnsafeMutableRawBufferPointer) -> Bool {
        guard let source = text.baseAddress, let target = folded.baseAddress else { return true }
        var all: UInt8 = 0
        var index = 0
        let a = SIMD16<UInt8>(repeating: 0x41)
        var vectors = SIMD16<UInt8>()
        while index + 16 <= text.count {
            let bytes = (source + index).loadUnaligned(as: SIMD16<UInt8>.self)
            vectors |= bytes
            let isCapital = (bytes &- a) .< SIMD16<UInt8>(repeating: 26)
            let lowered = bytes.replacing(with: bytes | SIMD16<UInt8>(repeating: 0x20), where: isCapital)
            (target + index).storeBytes(of: lowered, as: SIMD16<UInt8>.self)
            index += 16
        }
        for lane in 0..<16 { all |= vectors[lane] }
        while index < text.count {
            let byte = text[index]
            all |= byte
            folded[index] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            index += 1
        }
        return all < 0x80
    }

    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for byte in text { all |= byte }
        return all < 0x80
    }
}
