import Foundation
import Model
import Query

/// Compares strings or binaries with a constant where they lie, making no string.
final class BytesNode: ScanNode {
    private let column: StoredColumn
    private let op: Comparison.Operator
    private let matcher: UnsafeTextMatcher
    private let pattern: UnsafeRawBufferPointer
    private let options: Comparison.Options
    /// Keeps `pattern` alive.
    private let constants: QueryConstants

    init(
        _ column: StoredColumn, _ op: Comparison.Operator, _ pattern: UnsafeRawBufferPointer,
        options: Comparison.Options, constants: QueryConstants
    ) {
        self.column = column
        self.op = op
        self.pattern = pattern
        self.options = options
        self.constants = constants
        matcher = UnsafeTextMatcher(
            op == .notEqual ? .equal : op, pattern: pattern, options: options, isText: column.property.type == .string)
    }

    var cost: Double { isPlainEquality ? 2 : options.contains(.diacriticInsensitive) ? 200 : 20 }
    private var isPlainEquality: Bool { (op == .equal || op == .notEqual) && options.isEmpty }

    var share: Double {
        switch op {
        case .equal: options.isEmpty ? 0.02 : 0.03
        case .notEqual: 0.98
        default: pattern.isEmpty ? 0.9 : 0.1
        }
    }

    var explanation: String {
        let text = column.property.type == .string ? "\"\(String(decoding: pattern.prefix(40), as: UTF8.self))\"" : "…"
        let marks =
            (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
        return "\(column.property.name) \(op.rawValue)\(marks.isEmpty ? "" : "[\(marks)]") \(text), whole columns"
    }

    func select(_ cluster: Cluster, _ selection: UnsafeSelection, candidates: UnsafeSelection?) {
        guard let chunk = cluster.chunk(column.slot) else { return selection.fill(false) }
        if isPlainEquality {
            selectEqual(chunk, selection)
        } else if let candidates, candidates.selectedCount < selection.count / 8 {
            candidates.eachSelected { row in
                selection[row] = matcher.matches(chunk.bytes(row))
                return true
            }
        } else {
            UnsafeTextScan(chunk, matcher, selection).run()
        }
        if chunk.externals != nil {
            for row in 0..<selection.count where chunk.isExternal(row) {
                selection[row] = matcher.matches(cluster.table.blob(cluster.key(at: row), column))
            }
        }
        if op == .notEqual { selection.invert() }
        selection.set(nullsOf: chunk, op == .notEqual)
    }

    private func selectEqual(_ chunk: UnsafeChunk, _ selection: UnsafeSelection) {
        if chunk.width == 2 {
            selectEqual(chunk, selection, UInt16.self)
        } else {
            selectEqual(chunk, selection, UInt32.self)
        }
    }

    /// Lengths first, from the offsets alone; then eight bytes at a time.
    @inline(__always)
    private func selectEqual<Offset: FixedWidthInteger>(
        _ chunk: UnsafeChunk, _ selection: UnsafeSelection, _: Offset.Type
    ) {
        let offsets = chunk.payload
        let data = chunk.data
        let size = chunk.dataSize
        let length = pattern.count
        let target = selection.bytes
        let stride = MemoryLayout<Offset>.size
        guard length > 0, let needle = pattern.baseAddress.map({ UnsafeRawPointer($0) }) else {
            var from = 0
            for row in 0..<selection.count {
                let end = Int(
                    Offset(littleEndian: offsets.loadUnaligned(fromByteOffset: row &* stride, as: Offset.self)))
                target[row] = end == from ? 255 : 0
                from = end
            }
            return
        }
        var from = 0
        // The first eight bytes decide nearly always; shorter patterns are compared under a mask while eight bytes
        // can be read.
        let head: UInt64
        let mask: UInt64
        if length >= 8 {
            head = needle.loadUnaligned(as: UInt64.self)
            mask = .max
        } else {
            var bytes: UInt64 = 0
            withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: pattern) }
            head = bytes
            mask = (UInt64(1) << UInt64(length * 8)) - 1
        }
        for row in 0..<selection.count {
            let end = Int(Offset(littleEndian: offsets.loadUnaligned(fromByteOffset: row &* stride, as: Offset.self)))
            let start = from
            from = end
            guard end &- start == length, start >= 0, end <= size else {
                target[row] = 0
                continue
            }
            if start &+ 8 <= size {
                guard data.loadUnaligned(fromByteOffset: start, as: UInt64.self) & mask == head & mask else {
                    target[row] = 0
                    continue
                }
                target[row] = length <= 8 || memcmp(data + start + 8, needle + 8, length &- 8) == 0 ? 255 : 0
            } else {
                target[row] = memcmp(data + start, needle, length) == 0 ? 255 : 0
            }
        }
    }
}
