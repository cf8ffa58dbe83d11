import TestSupport
import Testing

@testable import Sync

/// What is no message is refused with a reason, whatever it is, and costs no more memory than it has bytes.
struct MalformedMessageTests {
    private let partition = SyncProtocol(.partition)
    private let flexible = SyncProtocol(.flexible)

    private func fault(_ text: String, limits: MessageLimits = MessageLimits()) -> SyncMessageError.Kind? {
        do {
            _ = try ClientMessage(decoding: Array(text.utf8), for: partition, limits: limits)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `heads that break the grammar (P-31 to P-33)`() {
        let bad = [
            "", " ", "mark", "mark ", "mark 1", "mark 1 1", "mark 1 1 \n", "mark  1 1\n", "mark 1 1\r\n", "mark 1\n",
            "mark 1 1\nx", "mark 1 x\n", "mark 1 -1\n", "mark +1 1\n", "mark 1 9223372036854775808\n",
            "mark 1 99999999999999999999999\n", "MARK 1 1\n", "\nmark 1 1\n", "unbind 1 1\n", "ping 1\n",
            "bind 1 2 0 1 0\nx", "bind 1 1 0 1 0\nxy", "bind 1 1 0 1 0\n\u{e9}"
        ]
        for text in bad { #expect(fault(text) == .badSyntax, "\(text)") }
        #expect(fault("mark 1 9223372036854775807\n") == nil)
        #expect(fault("bind 1 1 0 7 0\nx") == nil)
    }

    @Test func `types that are unknown, obsolete or of the other side or kind (P-139)`() {
        for text in ["transact 1\n", "alloc 1\n", "refresh 1 1\nx", "state_request 1\n", "download 1\n", "pong 1\n"] {
            #expect(fault(text) == .unknownMessage, "\(text)")
        }
        #expect(fault("query 1 1 2\n{}") == .unknownMessage)
        #expect(throws: SyncMessageError.self) {
            try ServerMessage(decoding: Array("bind 1 1 0 1 0\nx".utf8), for: flexible)
        }
    }

    @Test func `entries of an UPLOAD (P-53)`() {
        func upload(_ body: String) -> String { "upload 1 0 \(body.utf8.count) 0 9 0 0\n\(body)" }
        #expect(fault(upload("2 0 5 0 3 abc3 0 5 0 0 ")) == nil)
        for body in ["2", "2 0 5 0 3", "2 0 5 0 3abc", "2 0 5 0 3 abc ", "x 0 5 0 0 ", "2 0 5 0 0\n"] {
            #expect(fault(upload(body)) == .badChangesetHead, "\(body)")
        }
        #expect(fault(upload("2 0 5 0 4 abc")) == .badChangesetSize)
        #expect(fault(upload("2 0 5 0 9223372036854775807 abc")) == .badChangesetSize)
        var limits = MessageLimits()
        limits.entries = 2
        #expect(fault(upload("2 0 5 0 0 3 0 5 0 0 "), limits: limits) == nil)
        #expect(fault(upload("2 0 5 0 0 3 0 5 0 0 4 0 5 0 0 "), limits: limits) == .limitExceeded)
    }

    @Test func `sizes beyond the limits are refused before anything is allocated`() {
        var limits = MessageLimits()
        limits.inflatedBody = 1000
        limits.bindPath = 10
        #expect(fault("upload 1 0 1001 0 9 0 0\n", limits: limits) == .limitExceeded)
        #expect(fault("bind 1 11 0 1 0\n", limits: limits) == .limitExceeded)
        #expect(fault("bind 1 1 2049 1 0\n", limits: limits) == .limitExceeded)
        #expect(SyncMessageError.Kind.limitExceeded.code == .badSyntax)
    }

    @Test func `compressed bodies (P-38)`() throws {
        let body = [UInt8](repeating: 7, count: 5000)
        let stream = try #require(ZlibBody.deflated(body))
        #expect(try ZlibBody.inflated(stream, size: 5000) == body)
        let faults: [([UInt8], Int)] = [
            (stream, 4999), (stream, 5001), (stream, 0), (Array(stream.dropLast()), 5000), (stream + [0], 5000),
            ([], 0), ([], 10), ([1, 2, 3], 10), (stream, 64 << 20)
        ]
        for (stream, size) in faults {
            #expect(throws: SyncMessageError.self) { try ZlibBody.inflated(stream, size: size) }
        }
        #expect(ZlibBody.deflated(Array(body.prefix(1024))) == nil)
        var generator = SeededGenerator(seed: 1)
        #expect(ZlibBody.deflated((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) }) == nil)
    }

    @Test(.enabled(if: ProtocolVectors.isPresent, Comment(rawValue: ProtocolVectors.absence)))
    func `changed and cut recorded messages never crash`() throws {
        var generator = SeededGenerator(seed: randomSeed)
        var samples: [([UInt8], SyncProtocol, ProtocolVectors.Side)] = []
        for record in try ProtocolVectors.load() {
            let protocols = record.protocols
            for event in record.events {
                guard let bytes = event.message, let agreed = protocols[event.connection] else { continue }
                samples.append((bytes, agreed, event.from))
            }
        }
        var refused = 0
        for _ in 0..<6000 * soakFactor {
            var (bytes, agreed, side) = samples.randomElement(using: &generator) ?? ([], flexible, .client)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator))
            case 1:
                bytes.insert(
                    UInt8.random(in: 0...255, using: &generator),
                    at: bytes.indices.randomElement(using: &generator) ?? 0)
            case 2:
                let digits = bytes.indices.filter { (48...57).contains(bytes[$0]) }
                if let place = digits.randomElement(using: &generator) {
                    bytes[place] = UInt8.random(in: 45...58, using: &generator)
                }
            default:
                for _ in 0..<3 {
                    if let place = bytes.indices.randomElement(using: &generator) {
                        bytes[place] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
            }
            do {
                switch side {
                case .client: _ = try ClientMessage(decoding: bytes, for: agreed)
                case .server: _ = try ServerMessage(decoding: bytes, for: agreed)
                }
            } catch {
                refused += 1
                #expect(error.offset >= 0 && !error.rule.isEmpty)
            }
        }
        #expect(refused > 1000, "seed \(randomSeed)")
    }
}
