import Testing

@testable import Model

struct UnsafePooledMemoryTests {
    @Test func `memory is as large as asked for, aligned, and nobody else's`() {
        let sizes = [0, 1, 64, 32 << 10, (32 << 10) + 1, 100_000, 1 << 20, 4 << 20, (4 << 20) + 1]
        for round in 0..<3 {
            let pieces = sizes.map { UnsafePooledMemory.allocate($0) }
            for (index, piece) in pieces.enumerated() {
                #expect(piece.count >= sizes[index])
                #expect(Int(bitPattern: piece.baseAddress) & 15 == 0)
                piece.initializeMemory(as: UInt8.self, repeating: UInt8(index))
            }
            for (index, piece) in pieces.enumerated() {
                #expect(piece.allSatisfy { $0 == UInt8(index) }, "round \(round), \(sizes[index]) bytes")
                UnsafePooledMemory.deallocate(piece)
            }
        }
    }

    @Test func `no more is kept than the limit`() {
        let pieces = (0..<20).map { _ in UnsafePooledMemory.allocate(1 << 20) }
        for piece in pieces { UnsafePooledMemory.deallocate(piece) }
        #expect(UnsafePooledMemory.bytesAtHand <= UnsafePooledMemory.keptBytes)
        #expect(UnsafePooledMemory.bytesAtHand >= UnsafePooledMemory.keptBytes / 2)
    }

    @Test func `a buffer keeps its bytes when it grows`() {
        var buffer = UnsafeByteBuffer(capacity: 1)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
            bytes[start..<start + 1_000].withUnsafeBytes { buffer.append($0) }
        }
        #expect(Array(buffer.bytes) == bytes)
        buffer.removeAll(keeping: 1_000)
        #expect(buffer.count == 0)
        #expect(buffer.capacity == 1_000)
    }

    @Test func `a stream goes on after its bytes were handed over`() throws {
        var writer = ChangesetWriter(capacity: 64)
        let dog = writer.intern("Dog")
        writer.createObject(EncodedObject(target: dog, key: .int(1)))
        let first = writer.takeStreamedBytes(capacity: 64)
        #expect(writer.count == 0)
        #expect(writer.intern("Dog") == dog)
        writer.createObject(EncodedObject(target: dog, key: .int(2)))
        let stream = Array(first.bytes) + writer.finished()
        #expect(
            try Changeset.decode(stream) == [
                .createObject(className: "Dog", key: .int(1)), .createObject(className: "Dog", key: .int(2))
            ])
    }
}
