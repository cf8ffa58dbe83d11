/// Opaque bytes that lie somewhere else: in the sender's memory, or in the frame that was received. Unsafe: they must
/// stay there until the message has been sent or read.
package struct UnsafeBytes: WireField, @unchecked Sendable {
    package var buffer: UnsafeRawBufferPointer

    package init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    package static var expectation: String { Bytes.expectation }

    package init(field element: UnsafeBSONView.Element) throws(WireDecodingError) {
        guard element.type == .binary else { throw Self.mismatch(element) }
        buffer = element.bytes
    }

    package func write(_ key: BSONKey, to writer: BSONWriter) {
        writer.binary(key, buffer)
    }
}

extension UnsafeBytes: Hashable {
    package static func == (a: UnsafeBytes, b: UnsafeBytes) -> Bool { a.buffer.elementsEqual(b.buffer) }
    package func hash(into hasher: inout Hasher) { hasher.combine(bytes: buffer) }
}

/// `WriteAppend` without a copy of the changes.
package struct UnsafeWriteAppend: WireRequest {
    package typealias Reply = Acknowledgement
    package static let method = Method.writeAppend

    package var realm: Int32
    package var transaction: Int64
    package var changes: UnsafeBytes

    package init(realm: Int32, transaction: Int64, changes: UnsafeBytes) {
        self.realm = realm
        self.transaction = transaction
        self.changes = changes
    }

    package init(_ view: UnsafeBSONView) throws(WireDecodingError) {
        self.init(
            realm: try view.get("realm"), transaction: try view.get("transaction"), changes: try view.get("changes"))
    }

    package func write(to writer: BSONWriter) {
        writer.put("realm", realm)
        writer.put("transaction", transaction)
        writer.put("changes", changes)
    }
}
