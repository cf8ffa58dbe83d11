/// The body that UPLOAD and DOWNLOAD share: entries back to back, as a whole plain or deflated (P-37).
enum ChangesetBody {
    /// The three tokens of the head that describe it.
    struct Sizes {
        var isCompressed: Bool
        var plain: Int
        var compressed: Int

        init(_ reader: inout MessageReader, _ limits: MessageLimits, last: Bool = false) throws(SyncMessageError) {
            isCompressed = try reader.boolean("compressed")
            plain = try reader.size("uncompressed size", limit: limits.inflatedBody)
            compressed = try reader.size("compressed size", limit: limits.message, last: last)
        }
    }

    /// The plain entries.
    static func read(_ reader: inout MessageReader, _ sizes: Sizes) throws(SyncMessageError) -> [UInt8] {
        guard sizes.isCompressed else { return try reader.bytes(sizes.plain, "body") }
        return try ZlibBody.inflated(try reader.bytes(sizes.compressed, "body"), size: sizes.plain)
    }

    /// Refuses one entry more than a message may have.
    static func demandRoom(_ count: Int, _ limits: MessageLimits, _ offset: Int) throws(SyncMessageError) {
        guard count < limits.entries else {
            throw SyncMessageError(
                .limitExceeded, rule: "section 5", offset: offset, "more than \(limits.entries) changesets")
        }
    }

    /// What stands in the head, and the body to send.
    static func write(_ entries: [UInt8]) -> (isCompressed: Bool, plain: Int, compressed: Int, body: [UInt8]) {
        if let stream = ZlibBody.deflated(entries) { return (true, entries.count, stream.count, stream) }
        return (false, entries.count, 0, entries)
    }
}
