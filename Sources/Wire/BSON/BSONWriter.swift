import CBSON
import Foundation
import Model

/// Name of an element that is being written: a key, or the next position of the array being written.
package enum BSONKey: ExpressibleByStringLiteral, Sendable {
    case literal(StaticString)
    case text(String)
    case next

    package init(stringLiteral value: StaticString) {
        self = .literal(value)
    }
}

/// Builds documents on libbson, one after another in the same memory. Not for several threads at once.
///
/// What can't be written (a key with NUL, more than 2 GiB) is remembered, and `finish` throws.
package final class BSONWriter {
    private let root: OpaquePointer
    private var document: OpaquePointer
    /// Memory for nested documents by depth, kept for the next ones.
    private var children: [OpaquePointer] = []
    private var depth = 0
    /// Position in the array being written, by depth.
    private var positions: [UInt32] = [0]
    private var failure: BSONError?

    package init() {
        guard let root = bson_new() else { preconditionFailure("out of memory") }
        self.root = root
        document = root
    }

    deinit {
        bson_destroy(root)
        for child in children { free(UnsafeMutableRawPointer(child)) }
    }

    /// Forgets what was written and begins a new document.
    package func reset() {
        precondition(depth == 0, "reset inside a nested document")
        bson_reinit(root)
        positions[0] = 0
        failure = nil
    }

    /// The finished document, in place.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        precondition(depth == 0, "unfinished nested document")
        if let failure { throw failure }
        var length: UInt32 = 0
        let data = reeve_bson_bytes(root, &length)
        return try body(UnsafeRawBufferPointer(start: data, count: Int(length)))
    }

    /// A copy of the finished document.
    package func finish() throws(BSONError) -> [UInt8] {
        precondition(depth == 0, "unfinished nested document")
        if let failure { throw failure }
        var length: UInt32 = 0
        let data = reeve_bson_bytes(root, &length)
        return Array(UnsafeRawBufferPointer(start: data, count: Int(length)))
    }

    /// Bytes of the outermost document so far, with what is written of the nested ones: for keeping below a limit.
    package var byteCount: Int {
        // libbson counts a nested document as an empty one, of five bytes, until it ends.
        children[..<depth].reduce(Self.length(root)) { $0 + Self.length($1) - 5 }
    }

    private static func length(_ document: OpaquePointer) -> Int {
        var length: UInt32 = 0
        _ = reeve_bson_bytes(document, &length)
        return Int(length)
    }

    private func append(_ key: BSONKey, _ body: (OpaquePointer, UnsafePointer<CChar>, Int32) -> Bool) {
        guard failure == nil else { return }
        let done: Bool
        switch key {
        case .literal(let text):
            done = text.utf8Start.withMemoryRebound(to: CChar.self, capacity: text.utf8CodeUnitCount) {
                body(document, $0, Int32(text.utf8CodeUnitCount))
            }
        case .text(var text):
            done = text.withUTF8 { utf8 in
                guard !utf8.contains(0) else {
                    failure = BSONError(.badKey, at: byteCount)
                    return false
                }
                // An empty string may have no memory at all.
                guard let start = utf8.baseAddress, utf8.count > 0 else { return body(document, [0], 0) }
                return UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    body(document, $0, Int32(utf8.count))
                }
            }
        case .next:
            var buffer: (UInt64, UInt64) = (0, 0)
            let position = positions[depth]
            positions[depth] = position + 1
            done = withUnsafeMutableBytes(of: &buffer) { buffer in
                guard let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) else { return false }
                var digits: UnsafePointer<CChar>?
                let count = bson_uint32_to_string(position, &digits, start, buffer.count)
                guard let digits else { return false }
                return body(document, digits, Int32(count))
            }
        }
        if !done, failure == nil { failure = BSONError(.tooLarge, at: byteCount) }
    }
}

// MARK: - Values
extension BSONWriter {
    package func null(_ key: BSONKey) {
        append(key) { bson_append_null($0, $1, $2) }
    }

    package func bool(_ key: BSONKey, _ value: Bool) {
        append(key) { bson_append_bool($0, $1, $2, value) }
    }

    package func int32(_ key: BSONKey, _ value: Int32) {
        append(key) { bson_append_int32($0, $1, $2, value) }
    }

    package func int64(_ key: BSONKey, _ value: Int64) {
        append(key) { bson_append_int64($0, $1, $2, value) }
    }

    package func double(_ key: BSONKey, _ value: Double) {
        append(key) { bson_append_double($0, $1, $2, value) }
    }

    package func date(_ key: BSONKey, milliseconds: Int64) {
        append(key) { bson_append_date_time($0, $1, $2, milliseconds) }
    }

    package func string(_ key: BSONKey, _ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            guard let length = Int32(exactly: utf8.count) else { return failTooLarge() }
            append(key) { document, key, keyLength in
                guard let start = utf8.baseAddress, length > 0 else {
                    return bson_append_utf8(document, key, keyLength, "", 0)
                }
                return UnsafeRawPointer(start).withMemoryRebound(to: CChar.self, capacity: utf8.count) {
                    bson_append_utf8(document, key, keyLength, $0, length)
                }
            }
        }
    }

    package func binary(_ key: BSONKey, subtype: UInt8 = 0, _ bytes: UnsafeRawBufferPointer) {
        guard let length = UInt32(exactly: bytes.count) else { return failTooLarge() }
        append(key) { reeve_bson_append_binary($0, $1, $2, subtype, bytes.baseAddress, length) }
    }

    package func objectId(_ key: BSONKey, _ value: ObjectId) {
        withUnsafeTemporaryAllocation(byteCount: 12, alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return }
            value.store(to: start)
            append(key) { reeve_bson_append_object_id($0, $1, $2, start) }
        }
    }

    package func decimal(_ key: BSONKey, _ value: Decimal128) {
        append(key) { reeve_bson_append_decimal($0, $1, $2, value.low, value.high) }
    }

    /// A nested document, written by `body`.
    package func document(_ key: BSONKey, _ body: (BSONWriter) throws -> Void) rethrows {
        try nested(
            key, begin: { bson_append_document_begin($0, $1, $2, $3) },
            end: { bson_append_document_end($0, $1) }, body)
    }

    /// An array, written by `body` with keys `.next`.
    package func array(_ key: BSONKey, _ body: (BSONWriter) throws -> Void) rethrows {
        try nested(
            key, begin: { bson_append_array_begin($0, $1, $2, $3) },
            end: { bson_append_array_end($0, $1) }, body)
    }

    /// A finished document that has been validated before.
    package func document(_ key: BSONKey, copying view: UnsafeBSONView) {
        document(key) { writer in for element in view { writer.value(.text(element.key), BSONValue(element)) } }
    }

    private func nested(
        _ key: BSONKey, begin: (OpaquePointer, UnsafePointer<CChar>, Int32, OpaquePointer) -> Bool,
        end: (OpaquePointer, OpaquePointer) -> Bool, _ body: (BSONWriter) throws -> Void
    ) rethrows {
        if depth == children.count {
            guard let child = reeve_bson_allocate_child() else { preconditionFailure("out of memory") }
            children.append(child)
            positions.append(0)
        }
        let parent = document
        let child = children[depth]
        append(key) { begin($0, $1, $2, child) }
        guard failure == nil else { return }
        depth += 1
        positions[depth] = 0
        document = child
        defer {
            document = parent
            depth -= 1
            if !end(parent, child), failure == nil { failure = BSONError(.tooLarge, at: byteCount) }
        }
        try body(self)
    }

    private func failTooLarge() {
        if failure == nil { failure = BSONError(.tooLarge, at: byteCount) }
    }
}

// MARK: - Owned values
extension BSONWriter {
    package func value(_ key: BSONKey, _ value: BSONValue) {
        switch value {
        case .double(let value): double(key, value)
        case .string(let value): string(key, value)
        case .document(let value): document(key) { $0.elements(of: value) }
        case .array(let values): array(key) { writer in for value in values { writer.value(.next, value) } }
        case .binary(let subtype, let value): value.withUnsafeBytes { binary(key, subtype: subtype, $0) }
        case .objectId(let value): objectId(key, value)
        case .bool(let value): bool(key, value)
        case .date(let value): date(key, milliseconds: value)
        case .null: null(key)
        case .int32(let value): int32(key, value)
        case .int64(let value): int64(key, value)
        case .decimal128(let value): decimal(key, value)
        }
    }

    /// Appends all elements of `document` to the current one.
    package func elements(of document: BSONDocument) {
        for element in document.elements { value(.text(element.key), element.value) }
    }
}
