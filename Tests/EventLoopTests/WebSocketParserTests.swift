import TestSupport
import Testing

@testable import EventLoop

@Suite("WebSocket parser")
struct WebSocketParserTests {
    typealias Event = WebSocketParser.Event

    /// A frame written down byte by byte, independently of what is tested.
    private func frame(
        _ opcode: UInt8, _ payload: [UInt8], final: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = [1, 2, 3, 250]
    ) -> [UInt8] {
        var bytes: [UInt8] = [(final ? 0x80 : 0) | reserved << 4 | opcode]
        let bit: UInt8 = mask == nil ? 0 : 0x80
        if payload.count < 126 {
            bytes.append(bit | UInt8(payload.count))
        } else if payload.count < 65536 {
            bytes += [bit | 126, UInt8(payload.count / 256), UInt8(payload.count % 256)]
        } else {
            bytes += [bit | 127, 0, 0, 0, 0, UInt8(payload.count >> 24), UInt8(payload.count >> 16 & 255)]
            bytes += [UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private func events(
        _ bytes: [UInt8], _ role: WebSocketParser.Role = .server, size: Int = .max, limit: Int = 1 << 20
    ) -> [Event] {
        var parser = WebSocketParser(role, messageLimit: limit)
        var all: [Event] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            all += rest.prefix(size).withUnsafeBytes { parser.receive($0) }
            rest = rest.dropFirst(size)
        }
        return all
    }

    private func code(_ bytes: [UInt8], _ role: WebSocketParser.Role = .server, limit: Int = 1 << 20) -> Int? {
        if case .violation(let violation) = events(bytes, role, limit: limit).last { violation.closeCode } else { nil }
    }

    @Test("messages of each length class, in any pieces (P-21)", arguments: [1, 2, 3, 5, 4096, Int.max])
    func lengths(size: Int) {
        for count in [0, 1, 7, 8, 9, 125, 126, 127, 1000, 65535, 65536, 70001] where size > 5 || count < 2000 {
            let payload = pattern(count)
            #expect(events(frame(2, payload), size: size) == [.binary(payload)])
            #expect(events(frame(2, payload, mask: nil), .client, size: size) == [.binary(payload)])
        }
    }

    @Test("what we write is what an independent encoder writes, and what we read")
    func encoding() {
        for count in [0, 1, 125, 126, 65535, 65536] {
            let payload = pattern(count)
            let masked = WebSocketFrame.encode(.binary, payload, mask: 0x0102_03fa)
            #expect(masked == frame(2, payload))
            #expect(events(masked) == [.binary(payload)])
            #expect(WebSocketFrame.encode(.text, payload, mask: nil) == frame(1, payload, mask: nil))
        }
        #expect(
            WebSocketFrame.encode(.close, WebSocketFrame.closePayload(1000, "é"), mask: nil) == [
                0x88, 4, 3, 232, 195, 169
            ])
        #expect(WebSocketFrame.closePayload(nil, "x").isEmpty)
        #expect(WebSocketFrame.closePayload(1000, String(repeating: "é", count: 100)).count == 124)
    }

    @Test("fragments with control frames between them (P-21)", arguments: [1, 4, Int.max])
    func fragments(size: Int) {
        let bytes =
            frame(1, Array("ab".utf8), final: false) + frame(9, [1, 2]) + frame(0, [0xc3], final: false)
            + frame(10, []) + frame(0, [], final: false) + frame(0, [0xa9]) + frame(2, [9])
        #expect(
            events(bytes, size: size) == [.ping([1, 2]), .pong([]), .text("abé"), .binary([9])])
    }

    @Test("close frames, with and without code, and nothing after them (P-25)")
    func closing() {
        #expect(events(frame(8, []) + frame(2, [1])) == [.close(code: nil, reason: "")])
        #expect(events(frame(8, [3])) == [.close(code: nil, reason: "")])
        #expect(events(frame(8, [0x0f, 0xa1]), size: 1) == [.close(code: 4001, reason: "")])
        #expect(events(frame(8, [3, 232, 0xc3, 0xa9]), size: 1) == [.close(code: 1000, reason: "é")])
        #expect(code(frame(8, [3, 232, 0xc3])) == 1007)
    }

    @Test("masks: clients must, servers mustn't (P-21)")
    func masks() {
        #expect(code(frame(2, [1], mask: nil)) == 1002)
        #expect(code(frame(2, [1]), .client) == 1002)
        #expect(events(frame(2, [1], mask: [0, 0, 0, 0])) == [.binary([1])])
    }

    @Test("reserved bits, opcodes, fragmented or long control frames, fragments out of place (P-22)")
    func violations() {
        for reserved in [UInt8(1), 2, 4] { #expect(code(frame(2, [1], reserved: reserved)) == 1002) }
        for opcode in [UInt8(3), 4, 5, 6, 7, 11, 12, 13, 14, 15] { #expect(code(frame(opcode, [])) == 1002) }
        for opcode in [UInt8(8), 9, 10] {
            #expect(code(frame(opcode, [], final: false)) == 1002)
            #expect(code(frame(opcode, pattern(126))) == 1002)
            #expect(code(frame(opcode, Array("a".utf8) + pattern(124).map { $0 & 0x7f })) == nil)
        }
        #expect(code(frame(0, [1])) == 1002)
        #expect(code(frame(2, [1], final: false) + frame(2, [1])) == 1002)
        #expect(code(frame(2, [1]) + frame(0, [1])) == 1002)
        // Lengths in more bytes than they need, and one that is negative.
        #expect(code([0x82, 0xfe, 0, 125, 0, 0, 0, 0]) == 1002)
        #expect(code([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0]) == 1002)
        #expect(code([0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) == 1009)
    }

    @Test("what is wrong shows in the first two bytes, before anything is waited for")
    func early() {
        #expect(code([0xc2, 0xff]) == 1002)
        #expect(code([0x82, 0x7f]) == 1002)
        #expect(code([0x83, 0x80]) == 1002)
    }

    @Test("messages beyond the limit, whole or in fragments; nothing is kept for what is only announced (P-24)")
    func limits() {
        #expect(code(frame(2, pattern(1000)), limit: 1000) == nil)
        #expect(code(frame(2, pattern(1001)), limit: 1000) == 1009)
        #expect(code(frame(2, pattern(600), final: false) + frame(0, pattern(400)), limit: 1000) == nil)
        #expect(code(frame(2, pattern(600), final: false) + frame(0, pattern(401)), limit: 1000) == 1009)
        // A frame of 4 GiB (P-22).
        #expect(code([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], limit: 1 << 30) == 1009)
        let full = frame(2, pattern(1000), final: false)
        #expect(events(full + frame(9, [1]) + frame(0, []), limit: 1000) == [.ping([1]), .binary(pattern(1000))])
    }

    @Test("texts that aren't UTF-8, wherever they are cut", arguments: [1, Int.max])
    func invalidText(size: Int) {
        let bad: [[UInt8]] = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]]
        for bytes in bad {
            #expect(events(frame(1, bytes), size: size).last.map { "\($0)" }?.contains("1007") == true)
            let split = frame(1, Array(bytes.dropLast()), final: false) + frame(0, [bytes[bytes.count - 1]])
            #expect(code(split) == 1007)
        }
    }

    @Test("random bytes and changed frames: the same events in any pieces, and never more than a violation")
    func hostile() {
        var random = SeededGenerator(seed: randomSeed)
        let valid =
            frame(2, pattern(300)) + frame(1, Array("text".utf8), final: false) + frame(9, [1]) + frame(0, [65])
            + frame(8, [3, 232])
        for _ in 0..<300 * soakFactor {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                if Bool.random(using: &random) {
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                } else {
                    bytes.removeSubrange(index...)
                    if bytes.isEmpty { break }
                }
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                bytes = bytes.map { _ in .random(in: 0...255, using: &random) }
            }
            let size = Int.random(in: 1...9, using: &random)
            #expect(events(bytes) == events(bytes, size: size), "seed \(randomSeed)")
        }
    }
}
