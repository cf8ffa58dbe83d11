import COpenSSL
import CSodium

/// A JSON Web Token in its compact form: three parts with dots between them.
package struct JSONWebToken: Hashable, Sendable {
    package let header: JSONValue
    package let claims: JSONValue
    private let signed: String
    private let signature: [UInt8]

    /// Bytes of a token at most: it travels in a header.
    package static let sizeLimit = 32 << 10

    /// Takes a token apart; nil if it isn't one. Nothing is verified yet.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.sizeLimit else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64.decode(parts[0]), let payload = Base64.decode(parts[1]),
            let signature = Base64.decode(parts[2]), let header = try? JSONValue(parsing: head),
            let claims = try? JSONValue(parsing: payload), header.isObject, claims.isObject
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = "\(parts[0]).\(parts[1])"
    }

    /// The algorithm that the token says it is signed with. What is accepted is for the verifier to say, not for the token.
    package var algorithm: String? { header["alg"]?.string }

    /// Makes a token signed with HMAC-SHA256.
    package static func sign(_ claims: JSONValue, secret: [UInt8]) -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let signed = "\(Base64.encodeURL(Array(header.text.utf8))).\(Base64.encodeURL(Array(claims.text.utf8)))"
        return "\(signed).\(Base64.encodeURL(hmac(signed, secret)))"
    }

    /// Whether it is signed with HMAC-SHA256 and this secret.
    package func isSigned(secret: [UInt8]) -> Bool {
        guard algorithm == "HS256", signature.count == 32 else { return false }
        return sodium_memcmp(signature, Self.hmac(signed, secret), 32) == 0
    }

    /// Whether it is signed with RSA-SHA256 and the private key of this public one (PEM).
    package func isSigned(rsaKey pem: String) -> Bool {
        guard algorithm == "RS256" else { return false }
        defer { ERR_clear_error() }
        guard let key = Self.publicKey(pem) else { return false }
        defer { EVP_PKEY_free(key) }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        let input = Array(signed.utf8)
        return EVP_DigestVerify(context, signature, signature.count, input, input.count) == 1
    }

    /// Whether a text is the PEM form of a public key.
    package static func isPublicKey(_ pem: String) -> Bool {
        defer { ERR_clear_error() }
        guard let key = publicKey(pem) else { return false }
        EVP_PKEY_free(key)
        return true
    }

    private static func publicKey(_ pem: String) -> OpaquePointer? {
        let text = Array(pem.utf8)
        guard let buffer = BIO_new_mem_buf(text, Int32(text.count)) else { return nil }
        defer { BIO_free(buffer) }
        return PEM_read_bio_PUBKEY(buffer, nil, nil, nil)
    }

    private static func hmac(_ text: String, _ secret: [UInt8]) -> [UInt8] {
        let input = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        var state = crypto_auth_hmacsha256_state()
        crypto_auth_hmacsha256_init(&state, secret, secret.count)
        crypto_auth_hmacsha256_update(&state, input, UInt64(input.count))
        crypto_auth_hmacsha256_final(&state, &digest)
        return digest
    }
}
