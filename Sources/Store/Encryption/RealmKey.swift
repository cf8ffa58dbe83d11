import CSodium

/// The key of an encrypted realm. Of the 64 bytes that the user has, only what is derived from them is kept.
package final class RealmKey: Sendable {
    /// Bytes of a key.
    package static let size = 64

    /// What the keys of files are derived from.
    private let root: SecretBytes

    /// What a derived key is for. The numbers are part of the format.
    enum Purpose: UInt8 {
        case pages = 1
        case nodes = 2
        case header = 3
        case journalHeader = 4
        case journalRecords = 5
        /// Not a secret: tells whether a key is the file's before anything is decrypted.
        case check = 6
    }

    static let subkeySize = 32

    /// Nil unless there are exactly 64 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        var key = Array(bytes)
        defer { key.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) } }
        guard key.count == RealmKey.size else { return nil }
        root = SecretBytes(count: Int(crypto_generichash_KEYBYTES_MAX)) { target in
            let label = Array("reeve encrypted realm 1".utf8)
            crypto_generichash(target, Int(crypto_generichash_KEYBYTES_MAX), label, UInt64(label.count), key, key.count)
        }
    }

    /// Whether both were made of the same bytes; takes as long for all keys.
    package func matches(_ other: RealmKey) -> Bool {
        sodium_memcmp(root.pointer, other.root.pointer, root.count) == 0
    }

    /// The key for one purpose in what `salt` names: a file, or a run of its journal.
    func subkey(_ purpose: Purpose, salt: [UInt8]) -> SecretBytes {
        let message = [purpose.rawValue] + salt
        return SecretBytes(count: RealmKey.subkeySize) { target in
            crypto_generichash(
                target, RealmKey.subkeySize, message, UInt64(message.count), root.pointer, root.count)
        }
    }

    /// What a file notes to tell a wrong key from damage.
    func check(fileId: [UInt8]) -> [UInt8] {
        let secret = subkey(.check, salt: fileId)
        return withExtendedLifetime(secret) {
            Array(UnsafeBufferPointer(start: secret.pointer, count: EncryptedHeader.checkSize))
        }
    }

    static func random(_ count: Int) -> [UInt8] {
        SecretBytes.prepare()
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            if let start = buffer.baseAddress { randombytes_buf(start, count) }
            done = count
        }
    }
}
