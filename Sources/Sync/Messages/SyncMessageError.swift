/// Why bytes are not a message of the protocol. The connection that brought them can't go on (P-34, P-35).
package struct SyncMessageError: Error, Hashable, Sendable {
    /// What kind of fault, and with it the code that a server answers (P-126).
    package enum Kind: Hashable, Sendable {
        case unknownMessage
        case badSyntax
        case limitExceeded
        case badDecompression
        case badChangesetHead
        case badChangesetSize

        /// `limits_exceeded` aborts original clients, so that a passed limit is bad syntax to them.
        package var code: SyncErrorCode {
            switch self {
            case .unknownMessage: .unknownMessage
            case .badSyntax, .limitExceeded: .badSyntax
            case .badDecompression: .badDecompression
            case .badChangesetHead: .badChangesetHeaderSyntax
            case .badChangesetSize: .badChangesetSize
            }
        }
    }

    package var kind: Kind
    /// The rule that is broken, for example `P-31`.
    package var rule: String
    /// Bytes from the start of the message, or of the inflated body.
    package var offset: Int
    package var message: String

    package init(_ kind: Kind, rule: String, offset: Int, _ message: String) {
        self.kind = kind
        self.rule = rule
        self.offset = offset
        self.message = message
    }
}

extension SyncMessageError: CustomStringConvertible {
    package var description: String { "bad sync message at \(offset): \(message) (\(rule))" }
}
