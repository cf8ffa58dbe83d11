/// Bytes of a WebSocket that break its rules or a limit.
package struct WebSocketViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the peer is told when the connection is closed: 1002, 1007 or 1009.
    package var closeCode: Int
    package var message: String

    package var description: String { "\(message) (\(closeCode))" }
}

/// Takes what comes over a WebSocket apart. No I/O: bytes in, events out, in any pieces.
///
/// A message takes the memory of the bytes that have come of it, not of what its header announces.
package struct WebSocketParser: Sendable {
    package enum Role: Sendable { case client, server }

    package enum Event: Hashable, Sendable {
        case binary([UInt8])
        case text(String)
        case ping([UInt8])
        case pong([UInt8])
        /// The peer closes; nil if it gives no code (1005, P-25). Nothing comes after it.
        case close(code: Int?, reason: String)
        /// The connection can't go on. Nothing comes after it.
        case violation(WebSocketViolation)
    }

    /// The end that this parser serves: clients mask what they send, servers don't (P-21).
    package let role: Role
    /// Bytes of a message, all of its fragments together (P-24).
    package let messageLimit: Int

    private var header = HeaderBytes()
    private var frame: Frame?
    /// The kind of the message whose fragments are coming.
    private var fragmented: WebSocketFrame.Opcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []
    private var isDone = false

    private struct Frame {
        var opcode: WebSocketFrame.Opcode
        var isFinal: Bool
        var length: Int
        var mask: UInt32
        var received = 0
    }

    /// A frame's first bytes, which may come one by one.
    private struct HeaderBytes {
        var bytes: [UInt8] = []

        /// How many there must be, as far as that is known by now.
        var needed: Int {
            guard bytes.count >= 2 else { return 2 }
            let length = bytes[1] & 0x7f
            return 2 + (length == 126 ? 2 : length == 127 ? 8 : 0) + (bytes[1] & 0x80 == 0 ? 0 : 4)
        }
    }

    package init(_ role: Role, messageLimit: Int) {
        self.role = role
        self.messageLimit = messageLimit
    }

    /// What the bytes complete, in order.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        var events: [Event] = []
        var rest = bytes[...]
        do {
            while !isDone {
                if frame == nil {
                    guard try takeHeader(&rest) else { return events }
                }
                guard let event = try takePayload(&rest) else {
                    if frame != nil { return events }
                    continue
                }
                if case .close = event { isDone = true }
                events.append(event)
            }
        } catch {
            isDone = true
            message = []
            events.append(.violation(error))
        }
        return events
    }

    /// Whether a message or a frame has begun and not ended.
    package var isInMessage: Bool { frame != nil || fragmented != nil || !header.bytes.isEmpty }

    private func violation(_ message: String, code: Int = 1002) -> WebSocketViolation {
        WebSocketViolation(closeCode: code, message: message)
    }

    /// False if the header hasn't all come.
    private mutating func takeHeader(_ rest: inout Slice<UnsafeRawBufferPointer>) throws(WebSocketViolation) -> Bool {
        while header.bytes.count < header.needed {
            guard let byte = rest.popFirst() else { return false }
            header.bytes.append(byte)
            if header.bytes.count == 2 { try checkStart(header.bytes[0], header.bytes[1]) }
        }
        let bytes = header.bytes
        header.bytes.removeAll(keepingCapacity: true)
        guard let opcode = WebSocketFrame.Opcode(rawValue: bytes[0] & 0x0f) else {
            throw violation("an unknown opcode")
        }
        var length = UInt64(bytes[1] & 0x7f)
        let extended = length == 126 ? 2 : length == 127 ? 8 : 0
        if extended > 0 {
            length = bytes[2..<2 + extended].reduce(0) { $0 << 8 | UInt64($1) }
            guard length >= (extended == 2 ? 126 : 65536) else {
                throw violation("a length that isn't as short as it can be")
            }
        }
        let limit = opcode.isControl ? WebSocketFrame.controlLimit : messageLimit - message.count
        guard length <= UInt64(max(0, limit)) else {
            throw violation("a message of more than \(messageLimit) bytes", code: 1009)
        }
        let mask = bytes[1] & 0x80 == 0 ? 0 : bytes.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        frame = Frame(opcode: opcode, isFinal: bytes[0] & 0x80 != 0, length: Int(length), mask: mask)
        return true
    }

    /// What the first two bytes can show to be wrong.
    private func checkStart(_ first: UInt8, _ second: UInt8) throws(WebSocketViolation) {
        guard first & 0x70 == 0 else { throw violation("a reserved bit, though no extension was agreed on") }
        guard let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else { throw violation("an unknown opcode") }
        guard (second & 0x80 != 0) == (role == .server) else {
            throw violation(role == .server ? "a frame without mask" : "a frame with a mask")
        }
        if opcode.isControl {
            guard first & 0x80 != 0 else { throw violation("a control frame in fragments") }
            guard second & 0x7f <= WebSocketFrame.controlLimit else {
                throw violation("a control frame of more than 125 bytes")
            }
        } else if (opcode == .continuation) != (fragmented != nil) {
            throw violation(fragmented == nil ? "a fragment of no message" : "a message inside of another")
        }
    }

    private mutating func takePayload(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) throws(WebSocketViolation) -> Event? {
        guard var frame else { return nil }
        let piece = rest.prefix(frame.length - frame.received)
        rest = rest.dropFirst(piece.count)
        if frame.opcode.isControl {
            Self.append(piece, of: frame, to: &control)
        } else {
            Self.append(piece, of: frame, to: &message)
        }
        frame.received += piece.count
        guard frame.received == frame.length else {
            self.frame = frame
            return nil
        }
        self.frame = nil
        return frame.opcode.isControl ? try controlEvent(frame.opcode) : try messageEvent(frame)
    }

    private static func append(_ piece: Slice<UnsafeRawBufferPointer>, of frame: Frame, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
        bytes.withUnsafeMutableBytes {
            WebSocketFrame.apply(
                frame.mask, at: frame.received, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    private mutating func messageEvent(_ frame: Frame) throws(WebSocketViolation) -> Event? {
        let kind = fragmented ?? frame.opcode
        guard frame.isFinal else {
            fragmented = kind
            return nil
        }
        fragmented = nil
        let bytes = message
        message = []
        guard kind == .text else { return .binary(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw violation("a text that isn't UTF-8", code: 1007)
        }
        return .text(text)
    }

    private mutating func controlEvent(_ opcode: WebSocketFrame.Opcode) throws(WebSocketViolation) -> Event {
        let bytes = control
        control = []
        switch opcode {
        case .ping: return .ping(bytes)
        case .pong: return .pong(bytes)
        default:
            guard bytes.count >= 2 else { return .close(code: nil, reason: "") }
            guard let reason = String(validating: bytes[2...], as: UTF8.self) else {
                throw violation("a reason that isn't UTF-8", code: 1007)
            }
            return .close(code: Int(bytes[0]) << 8 | Int(bytes[1]), reason: reason)
        }
    }
}
