import CBSON

/// A document where it lies, without copying: for messages that are read once and at full speed.
///
/// The memory must outlive the view; keep what is decoded, never the view. Only validated bytes become views, so
/// reading can't run astray. If a key occurs twice, the first counts.
package struct UnsafeBSONView {
    /// The document's bytes, its length and end mark included.
    package let bytes: UnsafeRawBufferPointer

    /// Depth of nested documents allowed unless told otherwise.
    package static let depthLimit = 256

    /// Checks the bytes (one pass, no allocation for flat documents) and throws if they aren't one document.
    package init(validating bytes: UnsafeRawBufferPointer, depthLimit: Int = Self.depthLimit) throws(BSONError) {
        try BSONValidator.validate(bytes, depthLimit: depthLimit)
        self.bytes = bytes
    }

    init(validated bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The document without elements.
    package static var empty: UnsafeBSONView { UnsafeBSONView(validated: emptyBytes) }

    private nonisolated(unsafe) static let emptyBytes: UnsafeRawBufferPointer = {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 5, alignment: 4)
        memory.copyBytes(from: [5, 0, 0, 0, 0])
        return UnsafeRawBufferPointer(memory)
    }()

    /// The first element with that key.
    package func element(_ key: StaticString) -> Element? {
        var iterator = makeIterator()
        let length = key.utf8CodeUnitCount
        while let element = iterator.next() {
            if Int(element.raw.key_length) == length, memcmp(element.raw.key, key.utf8Start, length) == 0 {
                return element
            }
        }
        return nil
    }
}

extension UnsafeBSONView: Sequence {
    /// One element where it lies.
    package struct Element {
        let raw: reeve_bson_element

        package var key: String {
            String(decoding: UnsafeRawBufferPointer(start: raw.key, count: Int(raw.key_length)), as: UTF8.self)
        }

        /// The element's type. Validation has let no other through.
        package var type: BSONType { BSONType(rawValue: raw.type) ?? .null }

        /// Whether the key is this one.
        package func hasKey(_ key: StaticString) -> Bool {
            Int(raw.key_length) == key.utf8CodeUnitCount && memcmp(raw.key, key.utf8Start, key.utf8CodeUnitCount) == 0
        }

        /// Payload of a string (UTF-8), binary, document, array, object id or decimal; empty for numbers.
        package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: raw.bytes, count: Int(raw.length)) }

        /// Value of an int32, int64, bool (0, 1) or date (milliseconds since 1970).
        package var integer: Int64 { raw.integer }

        /// Value of a double.
        package var number: Double { raw.number }

        /// Subtype of a binary.
        package var subtype: UInt8 { raw.subtype }

        /// The document or array as a view.
        package var view: UnsafeBSONView? {
            type == .document || type == .array ? UnsafeBSONView(validated: bytes) : nil
        }
    }

    package struct Iterator: IteratorProtocol {
        fileprivate let bytes: UnsafeRawBufferPointer
        fileprivate var offset: UInt32 = 4

        package mutating func next() -> Element? {
            guard let data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
            var raw = reeve_bson_element()
            guard reeve_bson_next(data, UInt32(bytes.count), &offset, &raw) else { return nil }
            return Element(raw: raw)
        }
    }

    package func makeIterator() -> Iterator { Iterator(bytes: bytes) }
}
