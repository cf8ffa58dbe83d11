/// Why bytes aren't a BSON document that this protocol takes, or why one can't be built.
package struct BSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The bytes end inside the document, or a length points beyond its parent.
        case truncated
        /// A length is negative, too small, or contradicts the end mark.
        case badLength
        /// Documents nested deeper than the limit.
        case tooDeep(limit: Int)
        /// An element type that the protocol doesn't use.
        case unsupportedType(UInt8)
        /// A string or key that is not UTF-8.
        case invalidUTF8
        /// A Boolean that is neither 0 nor 1, a string without its NUL, a UUID that isn't 16 bytes long.
        case badValue
        /// A key with a NUL in it (building only).
        case badKey
        /// The document would be larger than 2 GiB (building only).
        case tooLarge
    }

    package var reason: Reason
    /// Byte of the document at which the reader stopped.
    package var offset: Int

    package init(_ reason: Reason, at offset: Int = 0) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        let what =
            switch reason {
            case .truncated: "the document is cut off"
            case .badLength: "a length is wrong"
            case .tooDeep(let limit): "documents are nested more than \(limit) deep"
            case .unsupportedType(let type): "element type 0x\(String(type, radix: 16)) is not used by this protocol"
            case .invalidUTF8: "a string is not UTF-8"
            case .badValue: "a value is malformed"
            case .badKey: "a key contains NUL"
            case .tooLarge: "the document is too large"
            }
        return "\(what) (byte \(offset))"
    }
}
