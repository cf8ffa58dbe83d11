/// Reads the elementary fields of changesets from memory that outlives it. Every read checks the end.
struct UnsafeByteCursor {
    private(set) var position: UnsafeRawPointer
    private let start: UnsafeRawPointer
    private let end: UnsafeRawPointer
    /// Bytes of the stream before `start`.
    private let base: Int

    init(_ bytes: UnsafeRawBufferPointer, base: Int) {
        start = bytes.baseAddress ?? UnsafeByteBuffer.placeholder
        position = start
        end = start + bytes.count
        self.base = base
    }

    var isAtEnd: Bool { position == end }

    /// Bytes from the start of the stream.
    var offset: Int { offset(of: position) }

    func offset(of place: UnsafeRawPointer) -> Int { base + (place - start) }

    // MARK: Integers (C-17 … C-21)

    @inline(__always)
    mutating func unsigned32() throws(ChangesetError) -> UInt32 {
        if let byte = shortUnsigned() { return UInt32(byte) }
        return UInt32(truncatingIfNeeded: try longUnsigned(maximumLength: 5, maximum: UInt64(UInt32.max)))
    }

    @inline(__always)
    mutating func unsigned8() throws(ChangesetError) -> UInt8 {
        if let byte = shortUnsigned() { return byte }
        return UInt8(truncatingIfNeeded: try longUnsigned(maximumLength: 2, maximum: 0xff))
    }

    @inline(__always)
    mutating func unsigned64() throws(ChangesetError) -> UInt64 {
        if let byte = shortUnsigned() { return UInt64(byte) }
        return try longUnsigned(maximumLength: 10, maximum: .max)
    }

    @inline(__always)
    mutating func boolean() throws(ChangesetError) -> Bool {
        try unsigned8() != 0
    }

    @inline(__always)
    mutating func signed64() throws(ChangesetError) -> Int64 {
        if position < end {
            let byte = position.load(as: UInt8.self)
            if byte < 0x80 {
                position += 1
                let magnitude = Int64(byte & 0x3f)
                return byte & 0x40 == 0 ? magnitude : ~magnitude
            }
        }
        return try longSigned()
    }

    @inline(__always)
    private mutating func shortUnsigned() -> UInt8? {
        guard position < end else { return nil }
        let byte = position.load(as: UInt8.self)
        guard byte < 0x40 else { return nil }
        position += 1
        return byte
    }

    @inline(never)
    private mutating func longUnsigned(maximumLength: Int, maximum: UInt64) throws(ChangesetError) -> UInt64 {
        let from = position
        let (magnitude, isNegative) = try integer(maximumLength: maximumLength)
        guard !isNegative else { throw failure(.malformedInteger, "C-20", at: from, "negative unsigned integer") }
        guard magnitude <= maximum else { throw failure(.malformedInteger, "C-21", at: from, "integer too large") }
        return magnitude
    }

    @inline(never)
    private mutating func longSigned() throws(ChangesetError) -> Int64 {
        let from = position
        let (magnitude, isNegative) = try integer(maximumLength: 10)
        guard magnitude <= UInt64(Int64.max) else {
            throw failure(.malformedInteger, "C-21", at: from, "integer too large")
        }
        let value = Int64(bitPattern: magnitude)
        return isNegative ? ~value : value
    }

    @inline(__always)
    private mutating func integer(maximumLength: Int) throws(ChangesetError) -> (UInt64, isNegative: Bool) {
        let from = position
        var magnitude: UInt64 = 0
        var shift: UInt64 = 0
        for _ in 0..<maximumLength {
            guard position < end else { throw failure(.truncated, "C-21", at: from, "input ends inside an integer") }
            let byte = position.load(as: UInt8.self)
            position += 1
            if byte & 0x80 == 0 {
                let bits = UInt64(byte & 0x3f)
                // Only the tenth byte, at shift 63, can lose bits.
                guard shift < 63 || bits <= 1 else {
                    throw failure(.malformedInteger, "C-21", at: from, "integer too large")
                }
                return (magnitude | bits << shift, byte & 0x40 != 0)
            }
            // A tenth byte that continues is refused by the loop's end, whatever it would add.
            magnitude |= UInt64(byte & 0x7f) << shift
            shift += 7
        }
        throw failure(.malformedInteger, "C-21", at: from, "integer longer than \(maximumLength) bytes")
    }

    /// The coefficient of a decimal: seven bits a byte, no sign bit, at most 17 bytes (C-25).
    mutating func coefficient() throws(ChangesetError) -> UInt128 {
        let from = position
        var value: UInt128 = 0
        for index in 0..<17 {
            guard position < end else { throw failure(.truncated, "C-25", at: from, "input ends inside a decimal") }
            let byte = position.load(as: UInt8.self)
            position += 1
            value |= UInt128(byte & 0x7f) << UInt128(7 * index)
            if byte & 0x80 == 0 { return value }
        }
        throw failure(.malformedInteger, "C-25", at: from, "coefficient longer than 17 bytes")
    }

    // MARK: Bytes

    /// A length and that many bytes (C-26).
    @inline(__always)
    mutating func bytes(limit: Int) throws(ChangesetError) -> UnsafeRawBufferPointer {
        let from = position
        let length = try unsigned64()
        guard length <= UInt64(limit) else {
            throw failure(.valueTooLong, "C-16", at: from, "\(length) bytes where \(limit) are allowed")
        }
        return UnsafeRawBufferPointer(start: try take(Int(length)), count: Int(length))
    }

    /// Passes over `count` bytes.
    @inline(__always)
    mutating func take(_ count: Int) throws(ChangesetError) -> UnsafeRawPointer {
        let from = position
        guard end - position >= count else {
            throw failure(.truncated, "C-59", at: from, "\(count) bytes expected, \(end - position) left")
        }
        position += count
        return from
    }

    @inline(never)
    func failure(
        _ code: ChangesetError.Code, _ rule: String, at place: UnsafeRawPointer, _ message: @autoclosure () -> String
    ) -> ChangesetError {
        ChangesetError(code, rule: rule, offset: offset(of: place), message())
    }
}
