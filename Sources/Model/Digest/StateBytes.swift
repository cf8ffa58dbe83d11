/// The bytes of one fact of a state digest. No two different facts have the same: all that varies in length says how long
/// it is, all that varies in kind begins with a number.
struct StateBytes {
    private(set) var bytes: [UInt8]

    init(_ kind: UInt8) { bytes = [kind] }

    private init() { bytes = [] }

    mutating func append(_ number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: String) {
        append(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ key: PrimaryKey) {
        if case .global(let high, let low) = key {
            bytes.append(UInt8(bitPattern: PayloadType.globalKey.rawValue))
            append(high)
            append(low)
        } else if let value = key.value {
            append(value)
        }
    }

    mutating func append(_ value: StateValue) {
        switch value {
        case .value(let value): append(value)
        case .object(let properties):
            begin(.embeddedObject, count: properties.count)
            append(sorted: properties.map { Self.entry($0.name, $0.value) })
        case .list(let elements):
            begin(.list, count: elements.count)
            for element in elements { append(element) }
        case .dictionary(let entries):
            begin(.dictionary, count: entries.count)
            append(sorted: entries.map { Self.entry($0.key, $0.value) })
        case .set(let elements):
            begin(.set, count: elements.count)
            append(
                sorted: elements.map { element in
                    var bytes = StateBytes()
                    bytes.append(element)
                    return bytes.bytes
                })
        }
    }

    private mutating func begin(_ type: PayloadType, count: Int) {
        bytes.append(UInt8(bitPattern: type.rawValue))
        append(UInt64(count))
    }

    private static func entry(_ name: String, _ value: StateValue) -> [UInt8] {
        var bytes = StateBytes()
        bytes.append(name)
        bytes.append(value)
        return bytes.bytes
    }

    /// What has no order, in that of its bytes.
    private mutating func append(sorted parts: [[UInt8]]) {
        for part in parts.sorted(by: { $0.lexicographicallyPrecedes($1) }) { bytes.append(contentsOf: part) }
    }

    private mutating func append(_ value: Value) {
        func type(_ type: PayloadType) { bytes.append(UInt8(bitPattern: type.rawValue)) }
        switch value {
        case .null: type(.null)
        case .int(let value):
            type(.int)
            append(UInt64(bitPattern: value))
        case .bool(let value):
            type(.bool)
            append(value ? 1 : 0)
        case .string(let value):
            type(.string)
            append(value)
        case .malformedString(let value):
            type(.string)
            append(UInt64(value.count))
            bytes.append(contentsOf: value)
        case .binary(let value):
            type(.binary)
            append(UInt64(value.count))
            bytes.append(contentsOf: value)
        case .timestamp(let value):
            type(.timestamp)
            append(UInt64(bitPattern: value.seconds))
            append(UInt64(bitPattern: Int64(value.nanoseconds)))
        case .float(let value):
            type(.float)
            append(UInt64(value.bitPattern))
        case .double(let value):
            type(.double)
            append(value.bitPattern)
        case .decimal(let value):
            type(.decimal)
            append(value.high)
            append(value.low)
        case .link(let link):
            type(.link)
            append(link.className)
            append(link.key)
        case .objectId(let value):
            type(.objectId)
            append(value.high)
            append(UInt64(value.low))
        case .uuid(let value):
            type(.uuid)
            append(value.words.high)
            append(value.words.low)
        }
    }
}
