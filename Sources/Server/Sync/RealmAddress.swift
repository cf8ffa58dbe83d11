import COpenSSL
import Foundation
import Model
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

    /// The address of a partition by the name of its file; nil for other files, and for those whose name is a digest.
    init?(appId: String, fileName: String) {
        guard fileName.hasSuffix(".realm") else { return nil }
        let name = String(fileName.dropLast(6))
        let value: PartitionValue?
        switch name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).first {
        case "null": value = .null
        case "int": value = Int64(name.dropFirst(4)).map { .int($0) }
        case "oid": value = ObjectId(String(name.dropFirst(4))).map { .objectId($0) }
        case "uuid": value = UUID(uuidString: String(name.dropFirst(5))).map { .uuid($0) }
        case "str": value = Self.plain(name.dropFirst(4)).map { .string($0) }
        default: value = nil
        }
        guard let value else { return nil }
        self.init(appId: appId, partition: value)
        guard path == folder + "/" + fileName else { return nil }
    }

    /// Whether a file's name is a digest, so that the partition's name is known only to the file.
    static func isDigest(_ fileName: String) -> Bool { fileName.hasPrefix("sha-") && fileName.hasSuffix(".realm") }

    /// What `safe` has made a name of.
    private static func plain(_ name: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let digits = String(rest.prefix(2)), let value = UInt8(digits, radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

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
