import Foundation

/// Public keys as issuers of tokens publish them (RFC 7517). Only RSA keys for signatures are taken.
enum JSONWebKeySet {
    /// Keys of a set at most; what follows isn't looked at.
    static let limit = 100
    /// Bytes of a modulus: 2,048 to 8,192 bits.
    private static let modulusLength = 256...1024

    /// Public keys in PEM form by their ids; nil for what is no key set.
    static func keys(_ bytes: [UInt8]) -> [String: String]? {
        guard let document = try? JSONValue(parsing: bytes), let list = document["keys"]?.array else { return nil }
        var keys: [String: String] = [:]
        for item in list.prefix(limit) {
            guard item["kty"]?.string == "RSA", let id = item["kid"]?.string, item["use"]?.string ?? "sig" == "sig",
                item["alg"]?.string ?? "RS256" == "RS256",
                let modulus = item["n"]?.string.flatMap({ Base64.decode($0) }),
                let exponent = item["e"]?.string.flatMap({ Base64.decode($0) }),
                modulusLength.contains(modulus.drop { $0 == 0 }.count), (1...8).contains(exponent.count)
            else { continue }
            let pem = pem(modulus, exponent)
            if JSONWebToken.isPublicKey(pem) { keys[id] = pem }
        }
        return keys
    }

    /// SubjectPublicKeyInfo of an RSA key (RFC 5280, RFC 8017).
    private static func pem(_ modulus: [UInt8], _ exponent: [UInt8]) -> String {
        let key = element(0x30, integer(modulus) + integer(exponent))
        // The object identifier 1.2.840.113549.1.1.1, and no parameters.
        let algorithm: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
        let info = element(0x30, element(0x30, algorithm) + element(0x03, [0] + key))
        let text = Data(info).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(text)\n-----END PUBLIC KEY-----\n"
    }

    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var magnitude = Array(bytes.drop { $0 == 0 })
        if magnitude.first.map({ $0 >= 0x80 }) ?? true { magnitude.insert(0, at: 0) }
        return element(0x02, magnitude)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        if rest < 0x80 {
            length = [UInt8(rest)]
        } else {
            while rest > 0 {
                length.insert(UInt8(rest & 0xFF), at: 0)
                rest >>= 8
            }
            length.insert(0x80 | UInt8(length.count), at: 0)
        }
        return [tag] + length + content
    }
}
