/// Writes the head and the body of one message (P-31).
struct MessageWriter {
    private(set) var bytes: [UInt8]

    init(_ type: StaticString, capacity: Int = 64) {
        bytes = []
        bytes.reserveCapacity(capacity)
        type.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// For the entries of a body.
    init(capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    mutating func integer(_ value: Int64) {
        bytes.append(0x20)
        bytes.append(contentsOf: String(value).utf8)
    }

    mutating func integer(_ value: Int) { integer(Int64(value)) }

    mutating func boolean(_ value: Bool) { integer(value ? 1 : 0) }

    /// As short as it reads back the same: "1", "0.25", "1e-05".
    mutating func double(_ value: Double) {
        let text = "\(value)"
        bytes.append(0x20)
        bytes.append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }

    /// Ends the head.
    mutating func body(_ body: some Sequence<UInt8>) {
        bytes.append(0x0A)
        bytes.append(contentsOf: body)
    }

    /// Ends a message without body.
    mutating func end() { bytes.append(0x0A) }

    /// A number in the head of an entry, and the space behind it (P-53).
    mutating func entryNumber(_ value: Int64) {
        bytes.append(contentsOf: String(value).utf8)
        bytes.append(0x20)
    }

    mutating func entryBytes(_ changeset: [UInt8]) {
        entryNumber(Int64(changeset.count))
        bytes.append(contentsOf: changeset)
    }
}
