/// Reads the tokens and bodies of one message (P-31). Every fault is thrown; nothing is allocated but what is returned.
struct MessageReader {
    private let bytes: [UInt8]
    private(set) var offset = 0
    /// The last token was followed by a line feed: what follows is the body.
    private(set) var isAtBody = false
    /// What a malformed token is called: heads of changesets have a code of their own.
    private var fault = SyncMessageError.Kind.badSyntax
    private var rule = "P-31"

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the entries of a body, whose every token ends in a space.
    init(entries bytes: [UInt8]) {
        self.bytes = bytes
        fault = .badChangesetHead
        rule = "P-53"
    }

    var remaining: Int { bytes.count - offset }

    /// The name of the message: lower-case letters and underscores, at most 32, followed by a space.
    mutating func type() throws(SyncMessageError) -> String {
        let word = bytes.prefix(33).prefix { ($0 >= 97 && $0 <= 122) || $0 == 95 }
        guard !word.isEmpty, word.count <= 32, word.count < bytes.count, bytes[word.count] == 0x20 else {
            throw error("no message type")
        }
        offset = word.count + 1
        return String(decoding: word, as: UTF8.self)
    }

    /// A number below 2^63. `last`: it ends the head.
    mutating func integer(_ name: StaticString, last: Bool = false) throws(SyncMessageError) -> Int64 {
        var value: Int64 = 0
        let start = offset
        while offset < bytes.count, offset - start < 20 {
            let byte = bytes[offset]
            guard byte >= 48, byte <= 57 else { break }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - 48))
            guard !overflow, !carry else { throw error("\(name) is too large") }
            value = sum
            offset += 1
        }
        guard offset > start else { throw error("\(name) is not a number") }
        try separator(name, last: last)
        return value
    }

    /// A number of bytes within `limit`.
    mutating func size(
        _ name: StaticString, limit: Int, last: Bool = false
    ) throws(SyncMessageError) -> Int {
        let start = offset
        let value = try integer(name, last: last)
        guard value <= limit else {
            throw SyncMessageError(
                .limitExceeded, rule: "section 5", offset: start, "\(name) is \(value), more than \(limit) bytes")
        }
        return Int(value)
    }

    /// Any integer other than 0 is true.
    mutating func boolean(_ name: StaticString, last: Bool = false) throws(SyncMessageError) -> Bool {
        try integer(name, last: last) != 0
    }

    /// A decimal of at most 32 characters; never the last token.
    mutating func double(_ name: StaticString) throws(SyncMessageError) -> Double {
        let token = bytes[offset...].prefix(33).prefix { $0 != 0x20 && $0 != 0x0A }
        let isDecimal = token.allSatisfy { ($0 >= 48 && $0 <= 57) || [43, 45, 46, 69, 101].contains($0) }
        guard token.count <= 32, isDecimal, let value = Double(String(decoding: token, as: UTF8.self)),
            value.isFinite
        else { throw error("\(name) is not a decimal") }
        offset += token.count
        try separator(name, last: false)
        return value
    }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int, _ name: StaticString) throws(SyncMessageError) -> [UInt8] {
        guard count <= remaining else {
            throw SyncMessageError(
                fault == .badChangesetHead ? .badChangesetSize : .badSyntax, rule: "P-33", offset: offset,
                "\(name) has \(count) bytes, and \(remaining) are left")
        }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// The next `count` bytes as text, which must be UTF-8.
    mutating func text(_ count: Int, _ name: StaticString) throws(SyncMessageError) -> String {
        let start = offset
        let raw = try bytes(count, name)
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw SyncMessageError(.badSyntax, rule: "P-33", offset: start, "\(name) is not UTF-8")
        }
        return text
    }

    /// Nothing may follow the body (P-33).
    func end() throws(SyncMessageError) {
        guard remaining == 0 else {
            throw SyncMessageError(.badSyntax, rule: "P-33", offset: offset, "\(remaining) bytes follow the body")
        }
    }

    private mutating func separator(_ name: StaticString, last: Bool) throws(SyncMessageError) {
        guard offset < bytes.count, bytes[offset] == (last ? 0x0A : 0x20) else {
            throw error("\(name) is not followed by \(last ? "a line feed" : "a space")")
        }
        offset += 1
        isAtBody = last
    }

    private func error(_ message: String) -> SyncMessageError {
        SyncMessageError(fault, rule: rule, offset: offset, message)
    }
}
