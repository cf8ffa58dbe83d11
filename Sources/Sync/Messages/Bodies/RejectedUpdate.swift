import Foundation
import Model

/// An object whose changes the server has undone, and why (P-78). Nothing of it may be left out (P-79).
package struct RejectedUpdate: Hashable, Sendable, Decodable {
    package var table: String
    /// Base64 of the primary key in changeset encoding (P-80). `key` reads it.
    package var pk: String
    package var reason: String

    /// Nil for the key of a class without declared primary key, which no message can name.
    package init?(table: String, key: PrimaryKey, reason: String) {
        guard let bytes = PrimaryKeyBytes.encoded(key) else { return nil }
        self.table = table
        self.reason = reason
        pk = Data(bytes).base64EncodedString()
    }

    /// Nil when the server sent something else than a key.
    package var key: PrimaryKey? {
        Data(base64Encoded: pk).flatMap { PrimaryKeyBytes.decoded([UInt8]($0)) }
    }

    var json: JSONObjectWriter {
        var object = JSONObjectWriter()
        object.string("table", table)
        object.string("pk", pk)
        object.string("reason", reason)
        return object
    }
}
