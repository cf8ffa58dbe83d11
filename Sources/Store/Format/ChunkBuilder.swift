import Foundation
import Model

/// A column of one cluster (or a piece of a list) in memory: rows can be appended, set, inserted and removed, then
/// the whole is written as a chunk, as narrow as its values allow.
package struct ChunkBuilder: Sendable {
    package let kind: ChunkKind
    package internal(set) var count = 0
    /// Numbers, links, Booleans, bit patterns of floats, seconds, first eight bytes of longer values.
    var first: ContiguousArray<Int64> = []
    /// Nanoseconds, or the rest of longer values.
    var second: ContiguousArray<Int64> = []
    /// End offset of each string or binary in `bytes`.
    var ends: ContiguousArray<UInt32> = []
    var bytes: ContiguousArray<UInt8> = []
    var nulls = RowBits()
    var externals = RowBits()

    package init(_ kind: ChunkKind, capacity: Int = 0) {
        self.kind = kind
        if isVariable { ends.reserveCapacity(capacity) } else { first.reserveCapacity(capacity) }
        if isPaired { second.reserveCapacity(capacity) }
    }

    var isVariable: Bool { kind == .string || kind == .binary || kind == .mixed }
    var isPaired: Bool { kind == .timestamp || kind == .objectId || kind == .uuid || kind == .decimal }

    /// Bytes of strings or binaries held.
    package var dataSize: Int { bytes.count }

    // MARK: Appending

    /// Appends to an int, link (target + 1, 0 for none) or bool column.
    package mutating func append(int value: Int64) {
        first.append(value)
        count += 1
    }

    package mutating func append(float value: Float) {
        append(int: Int64(value.bitPattern))
    }

    package mutating func append(double value: Double) {
        append(int: Int64(bitPattern: value.bitPattern))
    }

    package mutating func append(timestamp value: Timestamp) {
        append(value.seconds, Int64(value.nanoseconds))
    }

    package mutating func append(objectId value: ObjectId) {
        append(Int64(bitPattern: value.high), Int64(value.low))
    }

    package mutating func append(uuid value: UUID) {
        let words = ChunkBuilder.words(value)
        append(words.0, words.1)
    }

    package mutating func append(decimal value: Decimal128) {
        append(Int64(bitPattern: value.low), Int64(bitPattern: value.high))
    }

    package mutating func append(bytes value: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: value)
        ends.append(UInt32(truncatingIfNeeded: bytes.count))
        count += 1
    }

    /// Appends null: also the zero that the row shows to who doesn't look at the bitmap.
    package mutating func appendNull() {
        nulls.set(count, true)
        appendZero()
    }

    /// Appends a value that the caller keeps in `blobs`.
    package mutating func appendExternal() {
        externals.set(count, true)
        appendZero()
    }

    /// Appends the default of a non-nullable column: zero, false, empty; for decimals the number 0.
    package mutating func appendDefault() {
        guard kind == .decimal else { return appendZero() }
        append(decimal: Decimal128(low: 0, high: 0x3040_0000_0000_0000))
    }

    private mutating func appendZero() {
        if isVariable {
            ends.append(UInt32(truncatingIfNeeded: bytes.count))
            count += 1
        } else if isPaired {
            append(0, 0)
        } else {
            append(int: 0)
        }
    }

    /// Appends a value of this column's kind, or null. Links are appended by `append(int:)`.
    /// - Returns: whether the value was of the column's kind.
    @discardableResult
    package mutating func append(_ value: Value) -> Bool {
        switch (value, kind) {
        case (.null, .link): append(int: 0)
        case (.null, _): appendNull()
        case (.int(let value), .int): append(int: value)
        case (.bool(let value), .bool): append(int: value ? 1 : 0)
        case (.float(let value), .float): append(float: value)
        case (.double(let value), .double): append(double: value)
        case (.timestamp(let value), .timestamp): append(timestamp: value)
        case (.objectId(let value), .objectId): append(objectId: value)
        case (.uuid(let value), .uuid): append(uuid: value)
        case (.decimal(let value), .decimal): append(decimal: value)
        case (.string(var value), .string): value.withUTF8 { append(bytes: UnsafeRawBufferPointer($0)) }
        case (.binary(let value), .binary): value.withUnsafeBytes { append(bytes: $0) }
        default: return false
        }
        return true
    }

    private mutating func append(_ a: Int64, _ b: Int64) {
        first.append(a)
        second.append(b)
        count += 1
    }

    static func words(_ value: UUID) -> (Int64, Int64) {
        withUnsafeBytes(of: value.uuid) {
            ($0.loadUnaligned(as: Int64.self), $0.loadUnaligned(fromByteOffset: 8, as: Int64.self))
        }
    }

    /// A row by itself.
    func single(_ row: Int) -> ChunkBuilder {
        var single = ChunkBuilder(kind)
        single.count = 1
        single.nulls.set(0, nulls[row])
        single.externals.set(0, externals[row])
        if isVariable {
            single.bytes = ContiguousArray(bytes[(row == 0 ? 0 : Int(ends[row - 1]))..<Int(ends[row])])
            single.ends = [UInt32(single.bytes.count)]
        } else {
            single.first = [first[row]]
            if isPaired { single.second = [second[row]] }
        }
        return single
    }

    // MARK: Editing

    /// Replaces a row by the only row of another builder of this kind.
    package mutating func replace(_ row: Int, with single: ChunkBuilder) {
        precondition(single.kind == kind && single.count == 1 && row < count)
        nulls.set(row, single.nulls[0])
        externals.set(row, single.externals[0])
        guard isVariable else {
            first[row] = single.first[0]
            if isPaired { second[row] = single.second[0] }
            return
        }
        let from = row == 0 ? 0 : Int(ends[row - 1])
        let old = Int(ends[row]) - from
        bytes.replaceSubrange(from..<(from + old), with: single.bytes)
        shiftEnds(from: row, by: single.bytes.count - old)
    }

    /// Replaces a row by `value`, with the result of `append(_:)`.
    @discardableResult
    package mutating func set(_ row: Int, _ value: Value) -> Bool {
        if !isVariable, !isPaired, !nulls[row], !externals[row] {
            // The usual single-number update, without a builder in between.
            switch (value, kind) {
            case (.int(let value), .int): first[row] = value
            case (.bool(let value), .bool): first[row] = value ? 1 : 0
            case (.double(let value), .double): first[row] = Int64(bitPattern: value.bitPattern)
            default: return setGeneral(row, value)
            }
            return true
        }
        return setGeneral(row, value)
    }

    private mutating func setGeneral(_ row: Int, _ value: Value) -> Bool {
        var single = ChunkBuilder(kind)
        guard single.append(value) else { return false }
        replace(row, with: single)
        return true
    }

    /// Replaces the number of a row of an int, link or bool column.
    package mutating func set(_ row: Int, int value: Int64) {
        first[row] = value
        nulls.set(row, false)
    }

    /// Marks a row as living in `blobs`.
    package mutating func setExternal(_ row: Int) {
        var single = ChunkBuilder(kind)
        single.appendExternal()
        replace(row, with: single)
    }

    /// Inserts the only row of another builder of this kind before `row` (or at the end).
    package mutating func insert(_ single: ChunkBuilder, at row: Int) {
        precondition(single.kind == kind && single.count == 1 && row <= count)
        nulls.insert(single.nulls[0], at: row, count: count)
        externals.insert(single.externals[0], at: row, count: count)
        count += 1
        guard isVariable else {
            first.insert(single.first[0], at: row)
            if isPaired { second.insert(single.second[0], at: row) }
            return
        }
        let from = row == 0 ? 0 : Int(ends[row - 1])
        bytes.insert(contentsOf: single.bytes, at: from)
        ends.insert(UInt32(from), at: row)
        shiftEnds(from: row, by: single.bytes.count)
    }

    package mutating func remove(at row: Int) {
        nulls.remove(at: row, count: count)
        externals.remove(at: row, count: count)
        count -= 1
        guard isVariable else {
            first.remove(at: row)
            if isPaired { second.remove(at: row) }
            return
        }
        let from = row == 0 ? 0 : Int(ends[row - 1])
        let size = Int(ends[row]) - from
        bytes.removeSubrange(from..<(from + size))
        ends.remove(at: row)
        shiftEnds(from: row, by: -size)
    }

    private mutating func shiftEnds(from row: Int, by delta: Int) {
        guard delta != 0 else { return }
        for other in row..<ends.count { ends[other] = UInt32(Int(ends[other]) + delta) }
    }
}
