import Foundation
import Model
import Store
import TestSupport
import Testing

/// Chunks, record keys and change summaries survive encoding and decoding.
@Suite struct ChunkCodingTests {
    private func chunk(_ bytes: [UInt8], _ body: (UnsafeChunk) throws -> Void) throws {
        try bytes.withUnsafeBytes { memory in
            let header = try #require(ChunkHeader(checking: memory))
            #expect(header.totalSize == bytes.count)
            try body(UnsafeChunk(try #require(memory.baseAddress)))
        }
    }

    @Test(arguments: [
        ([0, 0], 0), ([1, -128], 1), ([127], 1), ([-1], 1), ([128], 2), ([-129], 2), ([32_767], 2), ([32_768], 4),
        ([-2_147_483_648], 4), ([2_147_483_648], 8), ([.min, .max], 8), ([], 0)
    ])
    func integersAreAsNarrowAsTheirValuesAllow(values: [Int64], width: Int) throws {
        var builder = ChunkBuilder(.int)
        for value in values { builder.append(int: value) }
        try chunk(builder.encoded()) { chunk in
            #expect(chunk.width == width)
            #expect((0..<chunk.count).map { chunk.int($0) } == values)
        }
    }

    @Test("golden bytes of an int and a string chunk")
    func goldenBytes() {
        var ints = ChunkBuilder(.int)
        ints.append(int: 1)
        ints.appendNull()
        ints.append(int: -2)
        #expect(
            ints.encoded()
                == [1, 1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [1, 0, 0xFE, 0, 0, 0, 0, 0]
                + [2, 0, 0, 0, 0, 0, 0, 0])
        var strings = ChunkBuilder(.string)
        strings.append(.string("ab"))
        strings.appendExternal()
        strings.append(.string("c"))
        #expect(
            strings.encoded()
                == [8, 2, 4, 0, 3, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0] + [2, 0, 2, 0, 3, 0]
                + Array("abc".utf8) + [0, 0, 0, 0, 0, 0, 0] + [2, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func editingAgreesWithAnArray() throws {
        var generator = SeededGenerator(seed: randomSeed)
        for kind in [ChunkKind.int, .string, .timestamp, .objectId, .decimal, .uuid, .double, .binary] {
            var builder = ChunkBuilder(kind)
            var model: [Value] = []
            for _ in 0..<(300 * soakFactor) {
                let value = Self.value(kind, &generator)
                var single = ChunkBuilder(kind)
                single.append(value)
                let row = Int.random(in: 0...model.count, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1, 2:
                    builder.insert(single, at: row)
                    model.insert(value, at: row)
                case 3 where row < model.count:
                    builder.remove(at: row)
                    model.remove(at: row)
                case 4 where row < model.count:
                    builder.set(row, value)
                    model[row] = value
                default:
                    builder.append(value)
                    model.append(value)
                }
            }
            try chunk(builder.encoded()) { chunk in
                #expect((0..<chunk.count).map { chunk.value($0) } == model, "seed \(randomSeed)")
                let copy = ChunkBuilder(chunk, rows: 0..<chunk.count)
                #expect(copy.encoded() == builder.encoded(), "seed \(randomSeed)")
            }
        }
    }

    private static func value(_ kind: ChunkKind, _ generator: inout SeededGenerator) -> Value {
        let number = Int64(bitPattern: generator.next())
        if number & 7 == 0 { return .null }
        switch kind {
        case .int: return .int(number >> (number & 63))
        case .double: return .double(Double(number))
        case .timestamp: return .timestamp(Timestamp(seconds: number, nanoseconds: number & 1 == 0 ? 0 : 7))
        case .objectId: return .objectId(ObjectId(high: UInt64(bitPattern: number), low: 9))
        case .decimal: return .decimal(Decimal128(low: UInt64(bitPattern: number), high: 5))
        case .uuid: return .uuid(UUID())
        case .binary: return .binary(Data(repeating: 1, count: Int(number & 31)))
        default: return .string(String(repeating: "é", count: Int(number & 31)))
        }
    }

    @Test func keysAreDenseOrNarrow() throws {
        let cases: [([Int64], Int64, Int)] = [
            ([5, 6, 7], 5, 0), ([5, 6, 7], 4, 1), ([5, 7, 260], 5, 1), ([5, 300], 5, 2), ([1, 70_000], 1, 4),
            ([0, 1 << 40], 0, 8)
        ]
        for (keys, base, width) in cases {
            try chunk(KeyChunk.encode(keys, base: base)) { chunk in
                #expect(chunk.width == width)
                #expect((0..<chunk.count).map { chunk.key($0, base: base).raw } == keys)
                for (row, key) in keys.enumerated() { #expect(chunk.row(of: ObjectKey(key), base: base) == row) }
                #expect(chunk.row(of: ObjectKey(keys[0] - 1), base: base) == nil)
                #expect(chunk.row(of: ObjectKey((keys.last ?? 0) + 1), base: base) == nil)
            }
        }
    }

    @Test func damagedHeadersAreRefused() {
        var builder = ChunkBuilder(.string)
        for _ in 0..<20 { builder.append(.string("text")) }
        builder.appendNull()
        let bytes = builder.encoded()
        for length in 0..<bytes.count {
            bytes.prefix(length).withUnsafeBytes { #expect(ChunkHeader(checking: $0) == nil) }
        }
        for byte in 0..<16 {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[byte] ^= 1 << bit
                // Whatever passes must be readable without leaving the chunk.
                damaged.withUnsafeBytes { memory in
                    guard let header = ChunkHeader(checking: memory), let start = memory.baseAddress else { return }
                    let chunk = UnsafeChunk(start)
                    #expect((header.totalSize ?? .max) <= memory.count)
                    if header.kind != .keys, header.kind != .link {
                        for row in 0..<chunk.count { _ = chunk.value(row) }
                    }
                }
            }
        }
    }

    @Test func indexKeysHaveTheOrderOfTheirValues() {
        let ordered: [[Value]] = [
            [.null, .int(.min), .int(-1), .int(0), .int(1), .int(.max)],
            [.null, .double(-.infinity), .double(-1.5), .double(0), .double(1e-300), .double(2), .double(.infinity)],
            [.null, .float(-2), .float(0), .float(0.5)],
            [
                .null, .string(""), .string("\0"), .string("\0a"), .string("a"), .string("a\0"), .string("a\0b"),
                .string("aa"), .string("b")
            ],
            [
                .null, .timestamp(Timestamp(seconds: -1, nanoseconds: -5)), .timestamp(Timestamp(seconds: -1)),
                .timestamp(Timestamp(seconds: 0)), .timestamp(Timestamp(seconds: 0, nanoseconds: 1))
            ]
        ]
        for values in ordered {
            let keys = values.map { value in
                var key = RecordKey.index(TableId(1), ColumnId(2))
                IndexCoding.append(value, to: &key)
                return key.withUnsafeBytes { Array($0) }
            }
            for (a, b) in zip(keys, keys.dropFirst()) { #expect(a.lexicographicallyPrecedes(b)) }
        }
        var key = RecordKey()
        let isIndexed = IndexCoding.append(.double(.nan), to: &key)
        #expect(!isIndexed)
    }

    @Test func recordKeysOfAnyLengthKeepTheirBytes() {
        for length in [0, 1, 30, 31, 32, 33, 100, 500] {
            var key = RecordKey()
            var expected: [UInt8] = []
            for number in 0..<length {
                key.append(UInt8(truncatingIfNeeded: number))
                expected.append(UInt8(truncatingIfNeeded: number))
            }
            key.append(UInt64(0x0102_0304_0506_0708))
            key.append(UInt16(0x090A))
            expected += [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
            [UInt8](repeating: 7, count: 40).withUnsafeBytes { key.append($0) }
            expected += Array(repeating: 7, count: 40)
            #expect(key.withUnsafeBytes { Array($0) } == expected && key.count == expected.count)
        }
    }

    @Test func schemaComesBack() throws {
        let stored = FixtureFile.stored(ReadingValueTests.sample.schema)
        let decoded = try stored.encoded().withUnsafeBytes { try StoredSchema(decoding: $0) }
        #expect(decoded.realmSchema == ReadingValueTests.sample.schema)
        #expect(decoded.stamp == stored.stamp && decoded.nextTableId == stored.nextTableId)
        #expect(throws: StoreError.self) {
            try stored.encoded().dropLast().withUnsafeBytes { try StoredSchema(decoding: $0) }
        }
    }
}
