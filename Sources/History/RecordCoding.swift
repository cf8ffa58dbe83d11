/// Writes little-endian numbers and counted bytes of a history record.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(counted value: some Collection<UInt8>) {
        append(UInt32(value.count))
        bytes.append(contentsOf: value)
    }
}

/// Reads what `RecordWriter` wrote. Throws `HistoryError.damaged` past the end.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func number<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
        let size = MemoryLayout<T>.size
        guard bytes.count - offset >= size else { throw HistoryError.damaged }
        defer { offset += size }
        return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    mutating func counted() throws -> [UInt8] {
        let count = Int(try number(UInt32.self))
        guard bytes.count - offset >= count else { throw HistoryError.damaged }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }

    /// All that is left.
    mutating func rest() -> UnsafeRawBufferPointer {
        defer { offset = bytes.count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset...])
    }
}

/// What is wrong with a stored history.
package enum HistoryError: Error, Hashable, CustomStringConvertible {
    /// A record can't be read.
    case damaged
    /// The file is kept by the other side of sync, or by none.
    case notThisKind(String)

    package var description: String {
        switch self {
        case .damaged: "a record of the sync history can't be read; restore the file from a backup"
        case .notThisKind(let what): "the realm isn't \(what)"
        }
    }
}
