import CZlib

/// The body of UPLOAD and DOWNLOAD as a whole: plain, or a zlib stream (P-37, P-38).
enum ZlibBody {
    /// Bodies up to this size are sent as they are.
    static let threshold = 1024

    /// The body as a zlib stream of level 1, if that is worth it.
    static func deflated(_ body: [UInt8]) -> [UInt8]? {
        guard body.count > threshold else { return nil }
        // A stream that doesn't fit isn't smaller than the input, and of no use.
        var isSmaller = false
        let stream = [UInt8](unsafeUninitializedCapacity: body.count - 1) { output, count in
            var length = uLongf(output.count)
            isSmaller = compress2(output.baseAddress, &length, body, uLong(body.count), 1) == Z_OK
            count = isSmaller ? Int(length) : 0
        }
        return isSmaller ? stream : nil
    }

    /// The plain body. `size` is announced by the peer: memory is taken for it only where the stream can be that large.
    static func inflated(_ stream: [UInt8], size: Int) throws(SyncMessageError) -> [UInt8] {
        guard size <= MessageLimits.inflatable(stream.count) else {
            throw SyncMessageError(
                .badDecompression, rule: "P-38", offset: 0, "\(stream.count) bytes can't inflate to \(size)")
        }
        var consumed = uLong(stream.count)
        var status = Z_BUF_ERROR
        // One byte more than announced, so that a longer result shows, and an empty one has somewhere to go.
        let body = [UInt8](unsafeUninitializedCapacity: size + 1) { output, count in
            var length = uLongf(output.count)
            status = uncompress2(output.baseAddress, &length, stream, &consumed)
            count = status == Z_OK ? Int(length) : 0
        }
        guard status == Z_OK, body.count == size, consumed == stream.count else {
            throw SyncMessageError(
                .badDecompression, rule: "P-38", offset: Int(consumed),
                "the body doesn't inflate to \(size) bytes (zlib \(status))")
        }
        return body
    }
}
