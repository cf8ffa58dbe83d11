/// Record 0 of a list: the elements themselves while they fit one piece, a directory of pieces otherwise.
package struct ListRoot: Hashable, Sendable {
    package struct Piece: Hashable, Sendable {
        /// Number of the record that holds the piece as a chunk; never 0.
        package var number: UInt32
        package var count: UInt32

        /// Numbers aren't used again, but no list changes its pieces that often.
        static let greatestNumber: UInt32 = 0x7FFF_FFFF

        package init(number: UInt32, count: UInt32) {
            self.number = number
            self.count = count
        }
    }

    /// Bytes before an inline chunk, or before the directory's entries.
    package static let headerSize = 8

    /// Pieces in the order of the elements.
    package var pieces: [Piece]

    package init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// The root of a list of several pieces.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter()
        writer.append(UInt32(1))
        writer.append(UInt32(pieces.count))
        for piece in pieces {
            writer.append(piece.number)
            writer.append(piece.count)
        }
        return writer.bytes
    }

    /// The root of a list of one piece.
    package static func encoded(inline chunk: ChunkBuilder) -> [UInt8] {
        [0, 0, 0, 0, 1, 0, 0, 0] + chunk.encoded()
    }

    /// Whether a root record holds its elements itself; nil when it can't be read.
    package static func isInline(_ record: UnsafeRawBufferPointer) -> Bool? {
        guard record.count >= headerSize else { return nil }
        switch UInt32(littleEndian: record.loadUnaligned(as: UInt32.self)) {
        case 0: return true
        case 1: return false
        default: return nil
        }
    }

    /// Reads a root that isn't inline.
    package init?(_ record: UnsafeRawBufferPointer) {
        var reader = ByteReader(record)
        guard reader.uint32() == 1, let count = reader.uint32(), reader.remaining == Int(count) * 8 else { return nil }
        pieces = []
        pieces.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let number = reader.uint32(), let elements = reader.uint32(), number > 0,
                number <= Piece.greatestNumber
            else { return nil }
            pieces.append(Piece(number: number, count: elements))
        }
    }
}
