import Foundation

/// Names a transaction that is on disk, for every process and for as long as its realm is where it is.
///
/// As text it is one word of ASCII that a shell leaves alone:
/// `reeve:1:` version `:` identity of the realm, 32 hexadecimal digits `:` path, percent-encoded.
package struct WireReceipt: Hashable, Sendable {
    /// Where the realm is.
    package var path: String
    /// Which realm that is: another file at the same path is another one.
    package var realm: UUID
    /// That the transaction made.
    package var version: UInt64

    package init(path: String, realm: UUID, version: UInt64) {
        self.path = path
        self.realm = realm
        self.version = version
    }

    private static let prefix = "reeve:1:"

    package var text: String {
        let hex = realm.uuidString.replacing("-", with: "").lowercased()
        var encoded = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return "\(WireReceipt.prefix)\(version):\(hex):\(encoded)"
    }

    /// Nil for what isn't a receipt, or one of another version of the format.
    package init?(_ text: String) {
        guard text.hasPrefix(WireReceipt.prefix) else { return nil }
        let parts = text.dropFirst(WireReceipt.prefix.count).split(
            separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let version = UInt64(parts[0]), (1...UInt64(Int64.max)).contains(version),
            let realm = WireReceipt.uuid(parts[1]), let path = String(parts[2]).removingPercentEncoding,
            path.hasPrefix("/"), !path.utf8.contains(0)
        else { return nil }
        self.init(path: path, realm: realm, version: version)
    }

    private static func uuid(_ hex: Substring) -> UUID? {
        let digits = Array(hex)
        guard digits.count == 32 else { return nil }
        let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
        return UUID(uuidString: groups.map { String($0) }.joined(separator: "-"))
    }
}
