/// A change of the `sync` database, as the journal holds it.
enum SyncOperation: Hashable {
    case put(key: [UInt8], value: [UInt8])
    /// Puts `head` followed by the changeset of the transaction, so that the journal has the changeset once.
    case putChangeset(key: [UInt8], head: [UInt8])
    case remove(key: [UInt8])
    /// Removes all keys from one up to, and without, another.
    case removeRange(from: [UInt8], to: [UInt8])

    private enum Kind: UInt8 {
        case put = 1
        case putChangeset = 2
        case remove = 3
        case removeRange = 4
    }

    func encode(to writer: inout ByteWriter) {
        func append(_ kind: Kind, _ first: [UInt8], _ second: [UInt8] = []) {
            writer.append(kind.rawValue)
            for part in [first, second] {
                writer.append(varint: UInt64(part.count))
                writer.bytes.append(contentsOf: part)
            }
        }
        switch self {
        case .put(let key, let value): append(.put, key, value)
        case .putChangeset(let key, let head): append(.putChangeset, key, head)
        case .remove(let key): append(.remove, key)
        case .removeRange(let from, let to): append(.removeRange, from, to)
        }
    }

    /// Nil if the bytes end early or say something else.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> [SyncOperation]? {
        var reader = ByteReader(bytes)
        var operations: [SyncOperation] = []
        while !reader.isAtEnd {
            guard let kind = reader.uint8().flatMap(Kind.init), let first = reader.counted(),
                let second = reader.counted()
            else { return nil }
            switch kind {
            case .put: operations.append(.put(key: first, value: second))
            case .putChangeset: operations.append(.putChangeset(key: first, head: second))
            case .remove: operations.append(.remove(key: first))
            case .removeRange: operations.append(.removeRange(from: first, to: second))
            }
        }
        return operations
    }
}
