/// Cuts a stream of bytes into frames. Pure: bytes in, frames out, no validation beyond a frame's length.
///
/// Frames that lie whole in the bytes at hand are handed out in place. Only an unfinished one is kept, and memory
/// for it is taken as its bytes arrive, so that an announced length alone costs nothing.
package struct FrameDecoder {
    /// Bytes that one frame may have.
    package let frameLimit: Int
    /// The beginning of a frame whose rest hasn't come yet; always shorter than that frame.
    private var partial: [UInt8] = []
    /// Set when the stream can't be followed any more.
    private var failure: WireError?

    package init(frameLimit: Int = Int(Limits().frame)) {
        self.frameLimit = frameLimit
    }

    /// Bytes kept for an unfinished frame.
    package var bufferedBytes: Int { partial.count }

    /// Takes in `bytes` and hands out each frame that is complete with them; the memory is valid during the call.
    ///
    /// Throws `frameTooLarge` or `badFrame` when a length is impossible: frames before it have been handed out, the
    /// stream can't be followed any more, and every further call throws the same. If `frame` throws, the frames
    /// after that one are dropped: close the connection.
    package mutating func consume(
        _ bytes: UnsafeRawBufferPointer, frame: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        _ = try consume(bytes, while: { true }, frame: frame)
    }

    /// As above, but hands out a frame only while `mayGoOn` holds. Returns the bytes that were not looked at since it
    /// didn't: to be handed in again before any others.
    package mutating func consume(
        _ bytes: UnsafeRawBufferPointer, while mayGoOn: () -> Bool, frame: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> UnsafeRawBufferPointer {
        if let failure { throw failure }
        var rest = bytes
        if !partial.isEmpty {
            guard mayGoOn() else { return rest }
            rest = try complete(rest, frame)
            if !partial.isEmpty { return UnsafeRawBufferPointer(start: nil, count: 0) }
        }
        while rest.count >= 4 {
            guard mayGoOn() else { return rest }
            let length = try self.length(rest.loadUnaligned(as: Int32.self))
            guard rest.count >= length else { break }
            try frame(UnsafeRawBufferPointer(rebasing: rest[..<length]))
            rest = UnsafeRawBufferPointer(rebasing: rest[length...])
        }
        if !rest.isEmpty { partial.append(contentsOf: rest) }
        return UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Adds to the unfinished frame what belongs to it. Returns the bytes after it.
    private mutating func complete(
        _ bytes: UnsafeRawBufferPointer, _ frame: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> UnsafeRawBufferPointer {
        var rest = bytes
        if partial.count < 4 {
            let taken = min(4 - partial.count, rest.count)
            partial.append(contentsOf: rest[..<taken])
            rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
            guard partial.count == 4 else { return rest }
        }
        let length = try self.length(partial.withUnsafeBytes { $0.loadUnaligned(as: Int32.self) })
        let taken = min(length - partial.count, rest.count)
        partial.append(contentsOf: rest[..<taken])
        rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
        guard partial.count == length else { return rest }
        // Large frames are rare: their memory isn't kept.
        let done = partial
        partial.removeAll(keepingCapacity: partial.capacity <= 64 << 10)
        try done.withUnsafeBytes { try frame($0) }
        return rest
    }

    private mutating func length(_ raw: Int32) throws(WireError) -> Int {
        let length = Int(Int32(littleEndian: raw))
        if length < 5 {
            let error = WireError(.badFrame, "a frame's length is \(length), less than an empty document's 5")
            failure = error
            throw error
        }
        if length > frameLimit {
            let error = FrameEncoder.tooLarge(length, limit: frameLimit)
            failure = error
            throw error
        }
        return length
    }
}
