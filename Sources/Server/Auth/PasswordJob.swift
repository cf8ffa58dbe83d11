import CSodium

/// How much work a guess at a password is (argon2id).
package struct PasswordCost: Hashable, Sendable {
    package var operations: UInt64
    /// Bytes.
    package var memory: Int

    package init(operations: UInt64, memory: Int) {
        self.operations = operations
        self.memory = memory
    }

    /// libsodium's figures for logging in: 64 MiB, about a tenth of a second.
    package static let interactive = PasswordCost(
        operations: UInt64(crypto_pwhash_OPSLIMIT_INTERACTIVE), memory: Int(crypto_pwhash_MEMLIMIT_INTERACTIVE))
    /// The least that is possible, for tests.
    package static let minimal = PasswordCost(
        operations: UInt64(crypto_pwhash_OPSLIMIT_MIN), memory: Int(crypto_pwhash_MEMLIMIT_MIN))

    /// A hash of this cost that no password has.
    var hashOfNothing: String {
        let salt = "c29tZXNhbHRzb21lc2FsdA"
        return "$argon2id$v=19$m=\(memory >> 10),t=\(operations),p=1$\(salt)$" + String(repeating: "A", count: 43)
    }
}

/// Work on a password that takes too long for the loop: run it elsewhere, then give its outcome to `AuthService.finish`.
package struct PasswordJob: Sendable {
    enum Work: Sendable {
        case hash
        case verify(hash: String)
    }

    package enum Outcome: Sendable {
        case hashed(String)
        case verified(Bool)
        /// There is no memory for it.
        case failed
    }

    let password: String
    let cost: PasswordCost
    let work: Work
    let continuation: AuthService.Continuation
    /// By what URL the client came: errors carry a link that begins with it (H-47).
    var origin = ""
    /// What has changed already: the app may have been made by this request.
    var changes: [AuthChange] = []

    /// Does the work. Any thread; takes `cost.memory` meanwhile.
    package func run() -> Outcome {
        guard sodium_init() >= 0 else { return .failed }
        let bytes = password.utf8.map { CChar(bitPattern: $0) }
        switch work {
        case .hash:
            var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
            let status = crypto_pwhash_str_alg(
                &text, bytes, UInt64(bytes.count), cost.operations, cost.memory, crypto_pwhash_ALG_ARGON2ID13)
            guard status == 0 else { return .failed }
            return .hashed(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        case .verify(let hash):
            return .verified(crypto_pwhash_str_verify(hash, bytes, UInt64(bytes.count)) == 0)
        }
    }
}

/// SHA-256, of random secrets that need no slower hash.
enum Digest {
    static func sha256(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}
