import Foundation
import Model

/// Where the realms of users are, unless a configuration says otherwise (H-64).
enum SyncedFileName {
    static let flexible = "flx_sync_default"

    /// The name of a partition's file, without its ending; nil for values that can't be a partition's.
    static func partition(_ value: AnyBSON) -> String? {
        switch value {
        case .string(let text): "s_" + encoded(text)
        case .int32(let number): "i_\(number)"
        case .int64(let number): "l_\(number)"
        case .objectId(let id): "o_\(id.stringValue)"
        case .uuid(let id): "u_\(id.uuidString.lowercased())"
        case .null: "null"
        default: nil
        }
    }

    /// The file of that name, of a user of an app, below a directory.
    static func url(_ name: String, of user: String, app: String, in base: URL) -> URL {
        let preferred = directory(of: user, app: app, in: base).appendingPathComponent(name + ".realm")
        guard name.utf8.count + 6 > nameLimit || preferred.path.utf8.count > pathLimit else { return preferred }
        let digest = SHA256.digest(Array(preferred.path.utf8))
        let hex = (0..<4).map { index in
            let digits = String(digest[index], radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        return directory(app: app, in: base).appendingPathComponent(hex + ".realm")
    }

    /// Where the realms of an app's users are, below a directory.
    static func directory(app: String, in base: URL) -> URL {
        base.appendingPathComponent("mongodb-realm", isDirectory: true)
            .appendingPathComponent(encoded(app), isDirectory: true)
    }

    /// Where the copies of realms go that are reset by hand.
    static func recoveryDirectory(app: String, in base: URL) -> URL {
        directory(app: app, in: base).appendingPathComponent("recovered-realms", isDirectory: true)
    }

    static func directory(of user: String, app: String, in base: URL) -> URL {
        directory(app: app, in: base).appendingPathComponent(encoded(user), isDirectory: true)
    }

    /// Bytes that a name may have: files beside a realm have longer ones.
    private static let nameLimit = 242
    private static let pathLimit = 3_800

    /// Letters, digits, `-`, `_` and `.` stay; all other bytes become percent-encoded.
    static func encoded(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                out += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        // A name that leads elsewhere.
        return out == "." || out == ".." ? out.replacing(".", with: "%2E") : out
    }
}
