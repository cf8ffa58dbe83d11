/// The parts of WebSocket's framing (RFC 6455) that both directions share.
package enum WebSocketFrame {
    package enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// Bytes that a control frame carries at most (P-22).
    static let controlLimit = 125

    /// The header of an unfragmented frame; with a mask for what a client sends.
    static func header(_ opcode: Opcode, length: Int, mask: UInt32?) -> [UInt8] {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var bytes = [0x80 | opcode.rawValue]
        switch length {
        case ..<126: bytes.append(maskBit | UInt8(length))
        case ..<65536: bytes += [maskBit | 126, UInt8(length >> 8), UInt8(length & 0xff)]
        default:
            bytes.append(maskBit | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        }
        if let mask { bytes += (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * $0)) } }
        return bytes
    }

    /// A whole frame.
    static func encode(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32?) -> [UInt8] {
        var bytes = header(opcode, length: payload.count, mask: mask)
        let start = bytes.count
        bytes += payload
        if let mask {
            bytes.withUnsafeMutableBytes {
                apply(mask, at: 0, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
            }
        }
        return bytes
    }

    /// Masks or unmasks bytes that begin `offset` bytes into a payload.
    static func apply(_ mask: UInt32, at offset: Int, to bytes: UnsafeMutableRawBufferPointer) {
        guard mask != 0 else { return }
        let shift = UInt32(offset & 3) * 8
        // In the order of memory, beginning with the byte that `offset` needs.
        let key = (mask << shift | (shift == 0 ? 0 : mask >> (32 - shift))).bigEndian
        let wide = UInt64(key) << 32 | UInt64(key)
        var position = 0
        while position + 8 <= bytes.count {
            let value = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            bytes.storeBytes(of: value ^ wide, toByteOffset: position, as: UInt64.self)
            position += 8
        }
        while position < bytes.count {
            bytes[position] ^= UInt8(truncatingIfNeeded: wide >> (8 * UInt64(position & 7)))
            position += 1
        }
    }

    /// The payload of a close frame. A reason that is too long is cut, between characters.
    static func closePayload(_ code: Int?, _ reason: String) -> [UInt8] {
        guard let code else { return [] }
        var reason = reason
        while reason.utf8.count > controlLimit - 2 { reason.removeLast() }
        return [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + reason.utf8
    }
}
