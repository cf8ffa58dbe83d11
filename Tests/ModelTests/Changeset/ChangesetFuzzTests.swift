import Foundation
import TestSupport
import Testing

@testable import Model

struct ChangesetFuzzTests {
    @Test func `random instructions survive every layout`() throws {
        var random = RandomInstructions(generator: SeededGenerator(seed: randomSeed))
        for round in 0..<300 * soakFactor {
            let instructions = random.list(maximum: 40)
            for layout in [ChangesetWriter.Layout.stringsFirst, .streaming, .writingClient] {
                let bytes = try Changeset.encode(instructions, layout: layout)
                #expect(try Changeset.decode(bytes) == instructions, "seed \(randomSeed), round \(round), \(layout)")
            }
        }
    }

    @Test func `re-encoding is stable: one list of instructions has one strings-first form`() throws {
        var random = RandomInstructions(generator: SeededGenerator(seed: randomSeed))
        for round in 0..<100 * soakFactor {
            let instructions = random.list(maximum: 20)
            let bytes = try Changeset.encode(instructions)
            let streamed = try Changeset.encode(instructions, layout: .streaming)
            #expect(try Changeset.encode(Changeset.decode(streamed)) == bytes, "seed \(randomSeed), round \(round)")
        }
    }

    @Test func `a stream cut at any instruction is read in pieces with one table`() throws {
        var random = RandomInstructions(generator: SeededGenerator(seed: randomSeed))
        for round in 0..<100 * soakFactor {
            let instructions = random.list(maximum: 20)
            var writer = ChangesetWriter()
            let strings = InternTable()
            var resolver = InstructionResolver(strings)
            var read: [Instruction] = []
            var base = 0
            for (place, instruction) in instructions.enumerated() {
                writer.append(instruction)
                guard place % 3 == 2 || place == instructions.count - 1 else { continue }
                var reader = ChangesetReader(writer.streamedBytes, strings: strings, base: base)
                while let raw = try reader.next() {
                    read.append(try resolver.resolve(raw, offset: reader.instructionOffset))
                }
                base = reader.offset
                writer.removeAll(keepingStrings: true)
            }
            #expect(read == instructions, "seed \(randomSeed), round \(round)")
        }
    }

    /// What parses must encode, and parse to itself again: the reader accepts nothing that the writer cannot say.
    @Test func `mutated changesets are refused or read to something that survives`() throws {
        var generator = SeededGenerator(seed: randomSeed)
        var random = RandomInstructions(generator: SeededGenerator(seed: randomSeed &+ 1))
        var accepted = 0
        for round in 0..<4_000 * soakFactor {
            let instructions = random.list(maximum: 6)
            var bytes = try Changeset.encode(instructions, layout: round % 2 == 0 ? .streaming : .stringsFirst)
            for _ in 0...Int.random(in: 0..<4, using: &generator) { Self.mutate(&bytes, &generator) }
            guard let parsed = try? Changeset.decode(bytes) else { continue }
            accepted += 1
            let again = try Changeset.encode(parsed)
            #expect(try Changeset.decode(again) == parsed, "seed \(randomSeed), round \(round)")
        }
        // Else the mutations would test the first check only.
        #expect(accepted > 100 * soakFactor, "seed \(randomSeed)")
    }

    @Test func `noise is refused or read, never more`() {
        var generator = SeededGenerator(seed: randomSeed)
        let openings: [[UInt8]] = [[], [0x3f, 0, 1, 0x54], [0x3f, 0, 1, 0x54, 0x3f, 1, 1, 0x66, 4, 0, 1, 1, 1]]
        for round in 0..<10_000 * soakFactor {
            let noise = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                // Small bytes more often: they are what fields are made of.
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...0x0f, using: &generator) : UInt8.random(in: 0...255, using: &generator)
            }
            guard let parsed = try? Changeset.decode(openings[round % 3] + noise) else { continue }
            let again = (try? Changeset.encode(parsed)).flatMap { try? Changeset.decode($0) }
            #expect(again == parsed, "seed \(randomSeed), round \(round)")
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = .random(in: 0...255, using: &generator)
        case 2: bytes.remove(at: place)
        case 3: bytes.insert([0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0, at: place)
        case 4: bytes.removeSubrange(place...)
        default:
            let end = Int.random(in: place...bytes.count, using: &generator)
            bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }
}
