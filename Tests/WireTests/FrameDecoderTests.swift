import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite("Frames out of a stream")
struct FrameDecoderTests {
    static let frames: [[UInt8]] = {
        var frames = [bytes(hex: "0500000000")]
        for length in [0, 3, 6, 9] {
            let document: BSONDocument = ["s": .string(String(repeating: "x", count: length))]
            frames.append((try? document.encoded()) ?? [])
        }
        return frames
    }()

    private func decode(_ pieces: [[UInt8]], limit: Int = 1 << 20) throws -> [[UInt8]] {
        var decoder = FrameDecoder(frameLimit: limit)
        var frames: [[UInt8]] = []
        for piece in pieces {
            try piece.withUnsafeBytes { try decoder.consume($0) { frames.append(Array($0)) } }
            #expect(decoder.bufferedBytes < limit)
        }
        #expect(decoder.bufferedBytes == 0)
        return frames
    }

    @Test("cut at any one place")
    func oneCut() throws {
        let stream = Self.frames.flatMap { $0 }
        for cut in 0...stream.count {
            #expect(try decode([Array(stream[..<cut]), Array(stream[cut...])]) == Self.frames, "\(cut)")
        }
    }

    @Test("cut at any two places")
    func twoCuts() throws {
        let stream = Self.frames.flatMap { $0 }
        for first in 0...stream.count {
            for second in stride(from: first, through: stream.count, by: 3) {
                let pieces = [Array(stream[..<first]), Array(stream[first..<second]), Array(stream[second...])]
                #expect(try decode(pieces) == Self.frames)
            }
        }
    }

    @Test("byte by byte")
    func bytewise() throws {
        #expect(try decode(Self.frames.flatMap { $0 }.map { [$0] }) == Self.frames)
    }

    @Test("whole frames are handed out in place, without being copied")
    func inPlace() throws {
        let stream = Self.frames.flatMap { $0 }
        try stream.withUnsafeBytes { stream in
            var decoder = FrameDecoder()
            var offset = 0
            try decoder.consume(stream) { frame in
                #expect(frame.baseAddress == stream.baseAddress.map { $0 + offset })
                offset += frame.count
            }
        }
    }

    @Test("a frame of exactly the limit passes; one more byte is refused before it has come")
    func limit() throws {
        let frame = try (["b": .binary(subtype: 0, Data(count: 100 - 14))] as BSONDocument).encoded()
        try #require(frame.count == 99 || frame.count == 100 || frame.count == 101)
        #expect(try decode([frame], limit: frame.count) == [frame])
        var decoder = FrameDecoder(frameLimit: frame.count - 1)
        #expect(throws: WireError.self) { try frame[..<4].withUnsafeBytes { try decoder.consume($0) { _ in } } }
        #expect(decoder.bufferedBytes <= 4)
    }

    @Test(
        "an impossible length ends the stream for good; frames before it have come",
        arguments: [
            ("04000000", "badFrame"), ("00000000", "badFrame"), ("ffffffff", "badFrame"), ("00000080", "badFrame"),
            ("ffffff7f", "frameTooLarge"), ("01001000", "frameTooLarge")
        ])
    func impossible(length: String, name: String) throws {
        for split in 0...4 {
            var decoder = FrameDecoder(frameLimit: 1 << 20)
            var frames = 0
            let bad = bytes(hex: length)
            let pieces = [Self.frames[1] + bad[..<split], Array(bad[split...]) + Self.frames[2]]
            let error = #expect(throws: WireError.self) {
                for piece in pieces { try piece.withUnsafeBytes { try decoder.consume($0) { _ in frames += 1 } } }
            }
            #expect(error?.name == name)
            #expect(frames == 1)
            #expect(throws: WireError.self) {
                try Self.frames[1].withUnsafeBytes { try decoder.consume($0) { _ in frames += 1 } }
            }
            #expect(frames == 1)
        }
    }

    @Test("an announced length takes no memory before its bytes come")
    func noReservation() throws {
        var decoder = FrameDecoder(frameLimit: 1 << 30)
        try bytes(hex: "ffffff3f 10").withUnsafeBytes { try decoder.consume($0) { _ in } }
        #expect(decoder.bufferedBytes == 5)
    }

    @Test("random cuts of a long stream")
    func randomCuts() throws {
        var random = SeededGenerator(seed: randomSeed)
        for _ in 0..<50 * soakFactor {
            let frames = try (0..<50).map { _ in
                try (["b": .binary(subtype: 0, Data(count: Int.random(in: 0...5000, using: &random)))] as BSONDocument)
                    .encoded()
            }
            var rest = ArraySlice(frames.flatMap { $0 })
            var pieces: [[UInt8]] = []
            while !rest.isEmpty {
                let count = min(
                    rest.count, Int.random(in: 1...Int.random(in: 1...20_000, using: &random), using: &random))
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try decode(pieces) == frames, "seed \(randomSeed)")
        }
    }

    @Test("who can't take more gets the rest handed back, and loses nothing")
    func stopping() throws {
        let stream = Self.frames.flatMap { $0 }
        for cut in 0...stream.count {
            var decoder = FrameDecoder()
            var frames: [[UInt8]] = []
            for piece in [Array(stream[..<cut]), Array(stream[cut...])] {
                var rest = piece[...]
                repeat {
                    var room = 1
                    let left = try rest.withUnsafeBytes { bytes in
                        try decoder.consume(
                            bytes, while: { room > 0 },
                            frame: {
                                frames.append(Array($0))
                                room -= 1
                            }
                        ).count
                    }
                    #expect(left < rest.count || rest.isEmpty)
                    rest = rest.suffix(left)
                } while !rest.isEmpty
            }
            #expect(frames == Self.frames && decoder.bufferedBytes == 0, "\(cut)")
        }
    }
}
