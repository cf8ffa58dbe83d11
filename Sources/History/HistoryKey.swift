/// Keys of the `sync` database: a letter, then numbers, big-endian so that their order is that of the bytes.
enum HistoryKey {
    /// What there is once: see `ServerState`, `ClientState`.
    static let state: [UInt8] = [Kind.state.rawValue]

    /// A client reset that isn't confirmed: see `PendingClientReset`.
    static let pendingReset: [UInt8] = [Kind.reset.rawValue]

    /// Where a client file belongs: see `SyncOrigin`.
    static let origin: [UInt8] = [Kind.origin.rawValue]

    /// How far a file's migration to flexible sync is: see `FlexibleMigration`.
    static let migration: [UInt8] = [Kind.migration.rawValue]

    /// The partition of a server realm whose file's name doesn't say it.
    static let partition: [UInt8] = [Kind.partition.rawValue]

    private enum Kind: UInt8 {
        case state = 0x73  // s
        case reset = 0x70  // p
        case entry = 0x65  // e
        case file = 0x66  // f
        case form = 0x72  // r
        case origin = 0x6F  // o
        case subscriptions = 0x71  // q
        case bootstrap = 0x62  // b
        case view = 0x76  // v
        case outgoing = 0x68  // h
        case member = 0x6D  // m
        case notice = 0x6E  // n
        case migration = 0x67  // g
        case partition = 0x74  // t
        case rejection = 0x78  // x
    }

    /// An entry of the history.
    static func entry(_ version: UInt64) -> [UInt8] { key(.entry, version) }

    /// A client file that a server knows.
    static func file(_ ident: UInt64) -> [UInt8] { key(.file, ident) }

    /// What merges with a peer made of an entry.
    static func form(_ peer: UInt64, _ version: UInt64) -> [UInt8] { key(.form, peer, version) }

    /// A set of subscriptions of a client file.
    static func subscriptions(_ version: UInt64) -> [UInt8] { key(.subscriptions, version) }

    /// A part of a bootstrap that isn't complete.
    static func bootstrap(_ part: UInt64) -> [UInt8] { key(.bootstrap, part) }

    /// What a client file of flexible sync is to see, and how far what it is sent has been made.
    static func view(_ file: UInt64) -> [UInt8] { key(.view, file) }

    /// A part of the history that a client file of flexible sync is sent.
    static func outgoing(_ file: UInt64, _ number: UInt64) -> [UInt8] { key(.outgoing, file, number) }

    /// An object that is in the view of a file.
    static func member(_ file: UInt64, _ object: ObjectName) -> [UInt8] { key(.member, file) + object.recordKey }

    /// Between these are the objects of a class, or of all, that are in the view of a file.
    static func members(_ file: UInt64, of className: String? = nil) -> (from: [UInt8], to: [UInt8]) {
        guard let className else { return (key(.member, file), key(.member, file + 1)) }
        let prefix = key(.member, file) + Array(className.utf8)
        return (prefix + [0], prefix + [1])
    }

    /// What a file is to be told of changes that were undone in a version.
    static func notice(_ file: UInt64, _ version: UInt64) -> [UInt8] { key(.notice, file, version) }

    /// What became of a transaction that the server hasn't as it was made: see `Rejection`.
    static func rejection(_ version: UInt64) -> [UInt8] { key(.rejection, version) }

    /// The last number of a key.
    static func number(_ key: UnsafeRawBufferPointer) -> UInt64 {
        key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func key(_ kind: Kind, _ numbers: UInt64...) -> [UInt8] {
        var bytes = [kind.rawValue]
        for number in numbers { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        return bytes
    }
}
