import Foundation

/// The key of an encrypted realm on its way: 64 bytes, in memory that is wiped when nobody holds it any more.
package final class EncryptionKey: WireField, Hashable, Sendable {
    package static let size = 64

    // Written by the initializer alone.
    nonisolated(unsafe) private let memory: UnsafeMutableRawBufferPointer

    /// Nil unless there are 64 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == EncryptionKey.size else { return nil }
        memory = .allocate(byteCount: EncryptionKey.size, alignment: 8)
        memory.copyBytes(from: bytes)
    }

    deinit {
        if let start = memory.baseAddress { explicit_bzero(start, memory.count) }
        memory.deallocate()
    }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(memory))
    }

    /// Takes as long for all keys.
    package static func == (a: EncryptionKey, b: EncryptionKey) -> Bool {
        zip(a.memory, b.memory).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Nothing of the key: hashes may be kept and shown.
    package func hash(into hasher: inout Hasher) {}

    package static var expectation: String { "binary of 64 bytes" }

    package convenience init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .binary, element.bytes.count == Self.size else { throw Self.mismatch(element) }
        self.init(copying: element.bytes)
    }

    private init(copying bytes: UnsafeRawBufferPointer) {
        memory = .allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: bytes)
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        writer.binary(key, UnsafeRawBufferPointer(memory))
    }
}

extension EncryptionKey: CustomStringConvertible {
    package var description: String { "an encryption key" }
}
