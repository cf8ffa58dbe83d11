import Foundation

/// Writes the elementary fields of changesets to memory that somebody has reserved.
public struct UnsafeByteWriter {
    public var position: UnsafeMutableRawPointer

    @inlinable
    @inline(__always)
    public init(_ position: UnsafeMutableRawPointer) {
        self.position = position
    }

    @inlinable
    @inline(__always)
    public mutating func byte(_ byte: UInt8) {
        position.storeBytes(of: byte, as: UInt8.self)
        position += 1
    }

    /// At most ten bytes (C-18).
    @inlinable
    @inline(__always)
    public mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 64 {
            byte(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    @inlinable
    @inline(__always)
    public mutating func unsigned(_ value: UInt32) {
        unsigned(UInt64(value))
    }

    /// At most ten bytes (C-18).
    @inlinable
    @inline(__always)
    public mutating func signed(_ value: Int64) {
        let sign = value >> 63
        var rest = UInt64(bitPattern: value ^ sign)
        while rest >= 64 {
            byte(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest) | UInt8(truncatingIfNeeded: sign & 0x40))
    }

    /// At most seventeen bytes (C-25).
    public mutating func coefficient(_ value: UInt128) {
        var rest = value
        while rest >= 64 {
            byte(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    @inlinable
    @inline(__always)
    public mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        position.copyMemory(from: source, byteCount: bytes.count)
        position += bytes.count
    }

    @inlinable
    @inline(__always)
    public mutating func type(_ type: PayloadType) {
        // The code of a number in -64 … 63 is one byte: its sign in bit 6, its magnitude below.
        let number = type.rawValue
        byte(number < 0 ? 0x40 | UInt8(truncatingIfNeeded: ~number) : UInt8(truncatingIfNeeded: number))
    }

    /// At most 22 bytes.
    @inlinable
    public mutating func key(_ key: RawKey) {
        switch key {
        case .null: type(.null)
        case .int(let value):
            type(.int)
            signed(value)
        case .string(let index):
            type(.string)
            unsigned(index)
        case .objectId(let value):
            type(.objectId)
            value.store(to: position)
            position += 12
        case .uuid(let value):
            type(.uuid)
            value.store(to: position)
            position += 16
        case .global(let high, let low):
            type(.globalKey)
            unsigned(high)
            unsigned(low)
        }
    }

    /// At most `UnsafeByteWriter.payloadSize` bytes and those of a string or binary.
    public mutating func payload(_ payload: RawPayload) {
        switch payload {
        case .null: type(.null)
        case .int(let value):
            type(.int)
            signed(value)
        case .bool(let value):
            type(.bool)
            byte(value ? 1 : 0)
        case .string(let value):
            type(.string)
            unsigned(UInt64(value.count))
            bytes(value)
        case .binary(let value):
            type(.binary)
            unsigned(UInt64(value.count))
            bytes(value)
        case .timestamp(let value):
            type(.timestamp)
            signed(value.seconds)
            signed(Int64(value.nanoseconds))
        case .float(let value):
            type(.float)
            position.storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
            position += 4
        case .double(let value):
            type(.double)
            position.storeBytes(of: value.bitPattern.littleEndian, as: UInt64.self)
            position += 8
        case .decimal(let value):
            let (coefficient, exponent, isNegative) = value.canonical.split
            type(.decimal)
            self.coefficient(coefficient)
            signed(exponent)
            byte(isNegative ? 1 : 0)
        case .link(let target, let key):
            type(.link)
            unsigned(target)
            self.key(key)
        case .objectId(let value):
            type(.objectId)
            value.store(to: position)
            position += 12
        case .uuid(let value):
            type(.uuid)
            value.store(to: position)
            position += 16
        case .embeddedObject: type(.embeddedObject)
        case .list: type(.list)
        case .dictionary: type(.dictionary)
        case .erased: type(.erased)
        case .set: type(.set)
        }
    }

    /// Room for any payload but the bytes of strings and binaries.
    public static var payloadSize: Int { 32 }

    /// At most eleven bytes.
    public mutating func step(_ step: RawStep) {
        switch step {
        case .index(let index):
            unsigned(index)
        case .name(let index):
            byte(0x40)
            unsigned(index)
        }
    }
}

extension RawPayload {
    /// Bytes of a string or binary.
    public var variableLength: Int {
        switch self {
        case .string(let bytes), .binary(let bytes): bytes.count
        default: 0
        }
    }
}
