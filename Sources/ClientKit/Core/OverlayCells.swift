import Foundation
import Model

/// Values of changed and created objects: one row each, a 16-byte cell for each property, strings and data aside.
///
/// Written once for every property of every new object, so it makes no allocation of its own for any of them.
final class UnsafeOverlayCells {
    /// What a cell says.
    enum State: UInt8 {
        /// Nothing: the file's value counts, or in a new object the type's zero.
        case unset = 0
        case null = 1
        case value = 2
    }

    let width: Int
    @exclusivity(unchecked) private var cells: UnsafePooledArray<SIMD2<UInt64>>
    @exclusivity(unchecked) private var states: UnsafePooledArray<UInt8>
    @exclusivity(unchecked) private var bytes = UnsafePooledArray<UInt8>(capacity: 1024)

    init(width: Int) {
        self.width = width
        cells = UnsafePooledArray(capacity: 16 * width)
        states = UnsafePooledArray(capacity: 16 * width)
    }

    /// A new row, all cells unset.
    @inline(__always)
    func addRow() {
        _ = cells.extend(by: width)
        states.extend(by: width).update(repeating: State.unset.rawValue, count: width)
    }

    func state(_ row: Int, _ slot: Int) -> State {
        State(rawValue: states[row * width + slot]) ?? .unset
    }

    // MARK: Writing

    @inline(__always)
    func set(_ row: Int, _ slot: Int, _ low: UInt64, _ high: UInt64 = 0) {
        let index = row * width + slot
        cells[index] = SIMD2(low, high)
        states[index] = State.value.rawValue
    }

    /// The cells and states of a row; valid until there is another row.
    @inline(__always)
    func row(_ row: Int) -> (UnsafeMutablePointer<SIMD2<UInt64>>, UnsafeMutablePointer<UInt8>) {
        (cells.start + row * width, states.start + row * width)
    }

    func setNull(_ row: Int, _ slot: Int) {
        states[row * width + slot] = State.null.rawValue
    }

    func set(_ row: Int, _ slot: Int, bytes source: UnsafeRawBufferPointer) {
        set(row, slot, append(source), UInt64(source.count))
    }

    /// Keeps the bytes of a string or data; returns where they are, which is the low word of their cell.
    @inline(__always)
    func append(_ source: UnsafeRawBufferPointer) -> UInt64 {
        let offset = bytes.count
        let end = bytes.extend(by: source.count)
        if let start = source.baseAddress {
            UnsafeMutableRawPointer(end).copyMemory(from: start, byteCount: source.count)
        }
        return UInt64(offset)
    }

    /// A primary key.
    @inline(__always)
    func set(_ row: Int, _ slot: Int, _ key: PrimaryKey) {
        switch key {
        case .objectId(let value): set(row, slot, value.high, UInt64(value.low))
        case .int(let value): set(row, slot, UInt64(bitPattern: value))
        default: set(row, slot, key.value ?? .null)
        }
    }

    /// Any value but links, which are set by key.
    func set(_ row: Int, _ slot: Int, _ value: Value) {
        switch value {
        case .null: setNull(row, slot)
        case .int(let value): set(row, slot, UInt64(bitPattern: value))
        case .bool(let value): set(row, slot, value ? 1 : 0)
        case .string(var value): value.withUTF8 { set(row, slot, bytes: UnsafeRawBufferPointer($0)) }
        case .malformedString(let value): value.withUnsafeBytes { set(row, slot, bytes: $0) }
        case .binary(let value): value.withUnsafeBytes { set(row, slot, bytes: $0) }
        case .timestamp(let value):
            set(row, slot, UInt64(bitPattern: value.seconds), UInt64(bitPattern: Int64(value.nanoseconds)))
        case .float(let value): set(row, slot, UInt64(value.bitPattern))
        case .double(let value): set(row, slot, value.bitPattern)
        case .decimal(let value): set(row, slot, value.low, value.high)
        case .objectId(let value): set(row, slot, value.high, UInt64(value.low))
        case .uuid(let value):
            let words = unsafeBitCast(value.uuid, to: SIMD2<UInt64>.self)
            set(row, slot, words[0], words[1])
        case .link: preconditionFailure("links are kept by object key")
        }
    }

    // MARK: Reading

    func low(_ row: Int, _ slot: Int) -> UInt64 {
        cells[row * width + slot][0]
    }

    /// The value of a cell that has one.
    func value(_ row: Int, _ slot: Int, _ type: ValueType) -> Value {
        let cell = cells[row * width + slot]
        let (low, high) = (cell[0], cell[1])
        switch type {
        case .int: return .int(Int64(bitPattern: low))
        case .bool: return .bool(low != 0)
        case .string: return .string(String(decoding: variable(cell), as: UTF8.self))
        case .binary: return .binary(Data(variable(cell)))
        case .timestamp:
            return .timestamp(
                Timestamp(
                    seconds: Int64(bitPattern: low), nanoseconds: Int32(truncatingIfNeeded: Int64(bitPattern: high))))
        case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: low)))
        case .double: return .double(Double(bitPattern: low))
        case .decimal: return .decimal(Model.Decimal128(low: low, high: high))
        case .objectId: return .objectId(Model.ObjectId(high: low, low: UInt32(truncatingIfNeeded: high)))
        case .uuid: return .uuid(UUID(uuid: unsafeBitCast(cell, to: uuid_t.self)))
        case .mixed, .link: preconditionFailure("links are kept by object key; mixed is not built yet")
        }
    }

    private func variable(_ cell: SIMD2<UInt64>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes.start + Int(cell[0]), count: Int(cell[1]))
    }
}
