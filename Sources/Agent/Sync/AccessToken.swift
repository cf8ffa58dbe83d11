import Foundation

/// A token as its holder reads it (H-24). Only the server checks the signature.
package struct AccessToken: Hashable, Sendable {
    package let text: String
    /// Seconds since 1970.
    package let expiry: Int64
    /// The user's custom data, as JSON of an object; nil if the token has none (H-39).
    package let customData: String?

    /// Nil unless it has three parts and says when it was made and until when it is good.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), let payload = Self.decode(parts[1]),
            let claims = (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any],
            let expiry = claims["exp"] as? Int64, claims["iat"] is Int64
        else { return nil }
        self.text = text
        self.expiry = expiry
        customData = (claims["user_data"] as? [String: Any]).flatMap(JSONText.object)
    }

    /// Base64 of either alphabet, padded or not.
    private static func decode(_ part: Substring) -> Data? {
        var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while text.hasSuffix("=") { text.removeLast() }
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text)
    }

    /// Whether it is of no use any more at a time, in seconds since 1970 (P-124).
    package func isExpired(at now: Int64) -> Bool { expiry < now - 5 }
}
