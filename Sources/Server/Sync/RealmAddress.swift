import COpenSSL
import Sync

/// Names a server realm: the objects of an app with one value of the partition key, or all objects of an app of flexible
/// sync.
package struct RealmAddress: Hashable, Sendable {
    package var appId: String
    /// nil: the realm of an app of flexible sync.
    package var partition: PartitionValue?

    package init(appId: String, partition: PartitionValue?) {
        self.appId = appId
        self.partition = partition
    }

    /// A file name holds 255 bytes, of which the files beside the realm's need some.
    private static let nameLimit = 120

    /// The realm's folder below the data directory.
    package var folder: String { "apps/" + Self.safe(appId) }

    /// The realm's file below the data directory. Different realms have different files, and no name leads out of its
    /// folder, whatever a client puts into it.
    package var path: String { folder + "/" + name + ".realm" }

    private var name: String {
        switch partition {
        case nil: "flexible"
        case .null: "null"
        case .int(let value): "int-\(value)"
        case .objectId(let value): "oid-\(value)"
        case .uuid(let value): "uuid-\(value.uuidString.lowercased())"
        case .string(let value): Self.safe(value, prefix: "str-")
        }
    }

    /// Letters, digits, `-` and `_` as they are, other bytes as `%` and two digits; a digest of what would be too long.
    private static func safe(_ text: String, prefix: String = "") -> String {
        var name = prefix
        for byte in text.utf8 {
            guard name.utf8.count < nameLimit else { return "sha-" + digest(text) }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "%" + hex(byte)
            }
        }
        return name
    }

    private static func digest(_ text: String) -> String {
        let input = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(input, input.count, &digest)
        return digest.map(hex).joined()
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
